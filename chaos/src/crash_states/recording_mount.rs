//! A mounted file system in memory that records what is done to it, for programs that use the operating system's files.
//!
//! FUSE in user space, without a page cache for writes: every write of the program under test is one operation here (or
//! several, when the kernel divides it), and `sync_file_range` is none, because it makes nothing durable.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use bytes::Bytes;
use fuser::{
    BackgroundSession, BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use tempfile::TempDir;

use crate::crash_states::files::{Files, position};
use crate::crash_states::operation::{FileNo, Operation};
use crate::crash_states::recorder::{Recorded, Recorder};

/// For how long the kernel may believe what it was told: nothing changes but through it.
const BELIEF: Duration = Duration::from_hours(1);

/// Inode numbers of folders are odd, of files even; number 1 is the root.
const FIRST_FILE: u64 = 2;

/// The files of a recorder as a folder of the operating system, until it is dropped.
pub(crate) struct RecordingMount {
    session: Option<BackgroundSession>,
    folder: TempDir,
}

impl RecordingMount {
    /// Mounts the files. An error says why this machine cannot.
    pub(crate) fn new(recorder: Recorder) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut config = fuser::Config::default();
        config.mount_options = vec![MountOption::FSName("recording".to_owned())];
        let mounted = Mounted { recorder, folders: Mutex::new(vec![PathBuf::from("/")]) };
        let session = fuser::spawn_mount(mounted, folder.path(), &config);
        let session = session.context("no FUSE file system can be mounted: it takes /dev/fuse and root")?;
        Ok(Self { session: Some(session), folder })
    }

    /// Where it is mounted.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for RecordingMount {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.session.take().map(BackgroundSession::umount_and_join) {
            eprintln!("{} stays mounted: {error}", self.folder.path().display());
        }
    }
}

struct Mounted {
    recorder: Recorder,
    /// The folders by their inode numbers.
    folders: Mutex<Vec<PathBuf>>,
}

impl Mounted {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorder.recorded()
    }

    fn folder(&self, inode: INodeNo) -> Result<PathBuf, Errno> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = usize::try_from(inode.0 / 2).ok().filter(|_| inode.0 % 2 == 1);
        folder.and_then(|folder| folders.get(folder).cloned()).ok_or(Errno::ENOENT)
    }

    fn folder_inode(&self, path: &Path) -> INodeNo {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let known = folders.iter().position(|folder| folder == path).unwrap_or_else(|| {
            folders.push(path.to_owned());
            folders.len() - 1
        });
        INodeNo(known as u64 * 2 + 1)
    }

    fn inside(&self, parent: INodeNo, name: &OsStr) -> Result<PathBuf, Errno> {
        Ok(self.folder(parent)?.join(name))
    }

    fn look_up(&self, files: &Files, path: &Path) -> Result<FileAttr, Errno> {
        if let Some(file) = files.names.get(path) {
            return Ok(file_attributes(files, *file));
        }
        let found = files.folders.contains(path) || path == Path::new("/");
        if found { Ok(folder_attributes(self.folder_inode(path))) } else { Err(Errno::ENOENT) }
    }

    fn attributes(&self, inode: INodeNo) -> Result<FileAttr, Errno> {
        match file_of(inode) {
            Some(file) => Ok(file_attributes(&self.recorded().files, file)),
            None => Ok(folder_attributes(self.folder_inode(&self.folder(inode)?))),
        }
    }

    fn create_file(&self, parent: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        let path = self.inside(parent, name)?;
        let mut recorded = self.recorded();
        let file = recorded.files.next_file();
        recorded.act(Operation::Create { path, file });
        Ok(file_attributes(&recorded.files, file))
    }

    fn entries(&self, inode: INodeNo) -> Result<Vec<(INodeNo, FileType, PathBuf)>, Errno> {
        let folder = self.folder(inode)?;
        let files = &self.recorded().files;
        let inside = |path: &&PathBuf| path.parent() == Some(&folder);
        let folders = files.folders.iter().filter(inside);
        let folders = folders.map(|path| (self.folder_inode(path), FileType::Directory, path.clone()));
        let names = files.names.iter().filter(|(path, _)| inside(path));
        let names = names.map(|(path, file)| (inode_of(*file), FileType::RegularFile, path.clone()));
        Ok(folders.chain(names).collect())
    }
}

fn inode_of(file: FileNo) -> INodeNo {
    INodeNo(FIRST_FILE + 2 * file as u64)
}

fn file_of(inode: INodeNo) -> Option<FileNo> {
    if inode.0.is_multiple_of(2) { usize::try_from((inode.0 - FIRST_FILE) / 2).ok() } else { None }
}

fn file_attributes(files: &Files, file: FileNo) -> FileAttr {
    let size = files.content(file).len() as u64;
    FileAttr {
        size,
        blocks: size.div_ceil(512),
        kind: FileType::RegularFile,
        perm: 0o644,
        ..folder_attributes(inode_of(file))
    }
}

fn folder_attributes(ino: INodeNo) -> FileAttr {
    let time = SystemTime::UNIX_EPOCH;
    FileAttr {
        ino,
        size: 0,
        blocks: 0,
        atime: time,
        mtime: time,
        ctime: time,
        crtime: time,
        kind: FileType::Directory,
        perm: 0o755,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

fn answer_entry(reply: ReplyEntry, answer: Result<FileAttr, Errno>) {
    match answer {
        Ok(attributes) => reply.entry(&BELIEF, &attributes, Generation(0)),
        Err(error) => reply.error(error),
    }
}

fn answer_empty(reply: ReplyEmpty, answer: Result<(), Errno>) {
    match answer {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

impl Filesystem for Mounted {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let path = self.inside(parent, name);
        answer_entry(reply, path.and_then(|path| self.look_up(&self.recorded().files, &path)));
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(inode) {
            Ok(attributes) => reply.attr(&BELIEF, &attributes),
            Err(error) => reply.error(error),
        }
    }

    #[rustfmt::skip]
    fn setattr(
        &self, _: &Request, inode: INodeNo, _: Option<u32>, _: Option<u32>, _: Option<u32>, size: Option<u64>,
        _: Option<TimeOrNow>, _: Option<TimeOrNow>, _: Option<SystemTime>, _: Option<FileHandle>,
        _: Option<SystemTime>, _: Option<SystemTime>, _: Option<SystemTime>, _: Option<BsdFileFlags>, reply: ReplyAttr,
    ) {
        if let (Some(file), Some(length)) = (file_of(inode), size) {
            self.recorded().act(Operation::SetLength { file, length });
        }
        match self.attributes(inode) {
            Ok(attributes) => reply.attr(&BELIEF, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let made = self.inside(parent, name).map(|path| {
            self.recorded().act(Operation::CreateFolder { path: path.clone() });
            folder_attributes(self.folder_inode(&path))
        });
        answer_entry(reply, made);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.inside(parent, name).map(|path| self.recorded().act(Operation::Remove { path }));
        answer_empty(reply, removed);
    }

    #[rustfmt::skip]
    fn rename(
        &self, _: &Request, parent: INodeNo, name: &OsStr, new_parent: INodeNo, new_name: &OsStr, _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let paths = self.inside(parent, name).and_then(|from| Ok((from, self.inside(new_parent, new_name)?)));
        let renamed = paths.and_then(|(from, to)| {
            let mut recorded = self.recorded();
            if recorded.files.folders.contains(&from) {
                return Err(Errno::EPERM);
            }
            recorded.act(Operation::Rename { from, to });
            Ok(())
        });
        answer_empty(reply, renamed);
    }

    #[rustfmt::skip]
    fn create(
        &self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate,
    ) {
        match self.create_file(parent, name) {
            Ok(attributes) => {
                reply.created(&BELIEF, &attributes, Generation(0), FileHandle(0), FopenFlags::empty());
            }
            Err(error) => reply.error(error),
        }
    }

    #[rustfmt::skip]
    fn read(
        &self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, size: u32, _: OpenFlags,
        _: Option<LockOwner>, reply: ReplyData,
    ) {
        let Some(file) = file_of(inode) else { return reply.error(Errno::EISDIR) };
        let recorded = self.recorded();
        let rest = recorded.files.content(file).get(position(offset)..).unwrap_or(&[]);
        reply.data(&rest[..rest.len().min(size as usize)]);
    }

    #[rustfmt::skip]
    fn write(
        &self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, bytes: &[u8], _: WriteFlags, _: OpenFlags,
        _: Option<LockOwner>, reply: ReplyWrite,
    ) {
        let Some(file) = file_of(inode) else { return reply.error(Errno::EISDIR) };
        self.recorded().act(Operation::Write { file, offset, bytes: Bytes::copy_from_slice(bytes) });
        reply.written(u32::try_from(bytes.len()).expect("the kernel writes less than 4 GiB at once"));
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        if let Some(file) = file_of(inode) {
            self.recorded().act(Operation::SyncFile { file });
        }
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let synced = self.folder(inode).map(|path| self.recorded().act(Operation::SyncFolder { path }));
        answer_empty(reply, synced);
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let entries = match self.entries(inode) {
            Ok(entries) => entries,
            Err(error) => return reply.error(error),
        };
        for (number, (inode, kind, path)) in (1..).zip(entries).skip(position(offset)) {
            if reply.add(inode, number, kind, path.file_name().unwrap_or_default()) {
                break;
            }
        }
        reply.ok();
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }
}
