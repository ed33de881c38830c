//! The sled database on the disk, and what must be done around it so that it is as durable as it says.

use std::fs::{File, TryLockError};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sled::Batch;

use crate::disk::{Disk, DiskLock, SystemDisk, folder_of};
use crate::error::{Damage, StorageError};
use crate::sled_engine::records::Records;
use crate::sled_engine::value::{LOG_PREFIX, piece_key};

/// Memory that sled may take for its own cache; it is known to take some multiple of it.
const CACHE_BYTES: u64 = 8 << 20;

/// Makes durable what sled wrote to its file.
pub(crate) type SyncFile = Box<dyn FnMut() -> io::Result<()> + Send>;

/// An open database, locked to this process.
pub(super) struct SledStore {
    db: sled::Db,
    folder: PathBuf,
    // Dropped in this order: the database, then this, which waits until it is closed, then the lock.
    _closing: Closing,
    _lock: Box<dyn DiskLock>,
}

/// Waits, when it is dropped, until sled has let go of its file: threads of its own may use it a little longer than the
/// database lives, and until then the folder cannot be opened again.
pub(super) struct Closing {
    file: File,
}

impl Closing {
    const ATTEMPTS: u32 = 1000;
    const PAUSE: Duration = Duration::from_millis(5);

    pub(super) fn of(folder: &Path) -> Result<Self, StorageError> {
        let path = folder.join("db");
        let file = File::open(&path).map_err(|error| StorageError::io(&path, "opening", error))?;
        Ok(Self { file })
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        for _ in 0..Self::ATTEMPTS {
            // sled holds the same kind of lock; ours ends with `file`.
            match self.file.try_lock() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(Self::PAUSE),
                Ok(()) | Err(TryLockError::Error(_)) => return,
            }
        }
    }
}

impl SledStore {
    /// Opens or makes the database in `folder`, and makes durable whatever of it is there.
    ///
    /// sled syncs neither its folder nor the names in it. And what an earlier process wrote without a sync, before it
    /// was killed, reads like everything else: it must not be relied on before it is durable.
    pub(super) fn open(folder: &Path) -> Result<Self, StorageError> {
        SystemDisk.create_folders(folder)?;
        let lock = SystemDisk.lock(&folder.join("lock"))?;
        clear(folder)?;
        let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).flush_every_ms(None);
        // sled panics over some damaged files. Where panics abort, the process ends here, before anything was used.
        let db = catch_unwind(AssertUnwindSafe(move || config.open()))
            .map_err(|_| StorageError::damaged(folder, Damage::Engine))?;
        let db = db.map_err(|error| engine_error(folder, error))?;
        for name in ["db", "conf"] {
            let path = folder.join(name);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|error| StorageError::io(&path, "syncing", error))?;
        }
        SystemDisk.sync_folder(folder)?;
        SystemDisk.sync_folder(folder_of(folder))?;
        Ok(Self { db, folder: folder.to_owned(), _closing: Closing::of(folder)?, _lock: lock })
    }

    /// Syncs the file that all of sled's pages are in, with a handle of our own: `flush` only starts and awaits the
    /// writing of dirty pages, and flushes neither the file's size nor the cache of the device.
    pub(super) fn sync_file(&self) -> Result<SyncFile, StorageError> {
        let path = self.folder.join("db");
        let file = File::options().write(true).open(&path);
        let file = file.map_err(|error| StorageError::io(&path, "opening", error))?;
        Ok(Box::new(move || file.sync_data()))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn apply(&self, batch: Batch) -> Result<(), StorageError> {
        self.db.apply_batch(batch).map_err(|error| engine_error(&self.folder, error))
    }

    /// Hands everything that was applied to the operating system.
    pub(super) fn flush(&self) -> Result<(), StorageError> {
        self.db.flush().map(|_| ()).map_err(|error| engine_error(&self.folder, error))
    }

    pub(super) fn value(&self, key: &[u8]) -> Result<Option<sled::IVec>, StorageError> {
        self.db.get(key).map_err(|error| engine_error(&self.folder, error))
    }

    pub(super) fn values(&self, prefix: &[u8]) -> impl Iterator<Item = Result<(sled::IVec, sled::IVec), StorageError>> {
        self.db.scan_prefix(prefix).map(|entry| entry.map_err(|error| engine_error(&self.folder, error)))
    }

    /// All stored records from `start` on.
    pub(super) fn records_from(&self, start: u64) -> Records {
        let after: &[u8] = &[LOG_PREFIX[0] + 1];
        Records::new(self.db.range(&piece_key(start, 0)[..]..after), self.folder.clone())
    }

    /// Removes up to `keys` stored pieces of records before `start`, and says how many there were.
    pub(super) fn sweep(&self, start: u64, keys: usize) -> Result<usize, StorageError> {
        let before = self.db.range(LOG_PREFIX..&piece_key(start, 0)[..]).keys().take(keys);
        let mut batch = Batch::default();
        let mut count = 0;
        for key in before {
            batch.remove(key.map_err(|error| engine_error(&self.folder, error))?);
            count += 1;
        }
        self.apply(batch)?;
        Ok(count)
    }

    /// The stored records of `from..to`.
    pub(super) fn records(&self, from: u64, to: u64) -> Records {
        Records::new(self.db.range(piece_key(from, 0)..piece_key(to, 0)), self.folder.clone())
    }
}

/// Removes what sled only stumbles over, before it is opened.
///
/// - Its snapshots, which only shorten its recovery. When a process ends in the middle of its first batch, sled finds the end
///   of the log before the place that the snapshot was taken at, calls that corruption, and never opens again.
/// - Its settings while its file is empty: they are written in two parts and synced by nobody, so that a power cut during
///   the very first start leaves half of them, which sled refuses. Nothing was ever written then, and if something was, the
///   number of the last acknowledged write says so.
fn clear(folder: &Path) -> Result<(), StorageError> {
    let path = folder.join("db");
    let bytes = match std::fs::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(StorageError::io(&path, "looking for", error)),
    };
    for name in SystemDisk.list(folder)? {
        if name.starts_with("snap.") || (bytes == 0 && name == "conf") {
            SystemDisk.remove(&folder.join(name))?;
        }
    }
    Ok(())
}

/// What sled says, in our words.
pub(super) fn engine_error(folder: &Path, error: sled::Error) -> StorageError {
    match error {
        sled::Error::Io(error) => StorageError::io(folder, "using sled in", error),
        // Unsupported is what damaged settings look like to it.
        sled::Error::Corruption { .. } | sled::Error::Unsupported(_) => StorageError::damaged(folder, Damage::Engine),
        error @ (sled::Error::CollectionNotFound(_) | sled::Error::ReportableBug(_)) => {
            StorageError::io(folder, "using sled in", io::Error::other(error))
        }
    }
}
