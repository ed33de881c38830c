//! The file system as logs, snapshots and foragers use it, replaceable by a test.

mod atomic_write;
mod folder_lock;
#[cfg(test)]
mod hooked;
mod memory;
mod system;

use std::path::Path;

use crate::StorageError;

pub(crate) use atomic_write::folder_of;
pub use atomic_write::write_atomically;
pub use folder_lock::DataFolderLock;
#[cfg(test)]
pub(crate) use hooked::HookedDisk;
pub use memory::MemoryDisk;
pub use system::SystemDisk;

/// Files and folders. Calls block; asynchronous callers use a thread for them.
///
/// Nothing is durable before its sync: a file's content with [`DiskWriter::sync`] or [`DiskFile::sync`], and the existence, absence or name of
/// a file or folder with [`Disk::sync_folder`] of the folder that it is in.
pub trait Disk: Send + Sync + 'static {
    /// The whole content of a file.
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError>;

    /// Opens a file to read it from its beginning.
    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError>;

    /// Makes an empty file, in place of one that may be there, to write it.
    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError>;

    /// Opens a file to write at its end; makes it if it is not there.
    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError>;

    /// Opens a file to read and write it at any place; makes it if it is not there.
    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError>;

    /// Whether there is a file or folder at `path`.
    fn exists(&self, path: &Path) -> Result<bool, StorageError>;

    /// Gives a file another name in place of a file that may have it.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> Result<(), StorageError>;

    /// The names of the files and folders in a folder, sorted. Names that are not UTF-8 are left out: none is ours.
    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError>;

    /// Makes the names in a folder durable.
    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError>;

    /// Makes a folder and those above it, where they are missing, durably.
    fn create_folders(&self, folder: &Path) -> Result<(), StorageError>;

    /// Takes an exclusive lock on a file, which is made if need be. It ends with the returned value or the process.
    ///
    /// [`StorageError::Locked`] if anybody holds it, this process included.
    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError>;
}

/// A file that is being read.
pub trait DiskReader: Send {
    /// Reads up to `buffer.len()` further bytes and says how many; none only at the end.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, StorageError>;
}

/// A file that is being written.
pub trait DiskWriter: Send {
    /// Writes all of `bytes` after what was written so far.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError>;

    /// Makes the content durable.
    fn sync(&mut self) -> Result<(), StorageError>;
}

/// A file that is read and written at any place, by several threads at the same time.
pub trait DiskFile: Send + Sync {
    /// Reads up to `buffer.len()` bytes from `offset` on and says how many; none only at the end and beyond it.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError>;

    /// Writes all of `bytes` from `offset` on. If the file ends before that, zeros come between.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError>;

    /// Makes the content durable, and the length.
    fn sync(&self) -> Result<(), StorageError>;
}

/// An exclusive lock, held until it is dropped.
pub trait DiskLock: Send + Sync {}

/// Fills as much of `buffer` as the file still has, and says how much that is.
pub(crate) fn read_full(file: &mut dyn DiskReader, buffer: &mut [u8]) -> Result<usize, StorageError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}
