//! A power cut after some operation: what is durable then, and what may be lost.

use std::fmt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::crash_states::files::Files;
use crate::crash_states::operation::{FileNo, Operation};
use crate::crash_states::recorder::Recording;

/// A write is kept or lost by pages: a longer one is several changes.
const PAGE_BYTES: u64 = 4096;

/// A disk writes a sector whole.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// One moment of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut {
    /// How many operations came before.
    pub(crate) operations: usize,
    /// What no power cut takes.
    durable: Files,
    /// What is not synced, in order.
    pub(crate) pending: Vec<Change>,
    /// How many steps of the workload may have had an effect.
    pub(crate) began: usize,
    /// How many of them are promised.
    pub(crate) acknowledged: usize,
    /// Everything that was done, lost or not.
    whole: Files,
}

/// One change that is lost or kept as a whole, unless it is a write that is torn.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Folder { path: PathBuf },
    Name { path: PathBuf, file: FileNo },
    Rename { from: PathBuf, to: PathBuf, file: FileNo },
    Removal { path: PathBuf, file: FileNo },
    Length { file: FileNo, length: u64 },
    Write { file: FileNo, offset: u64, bytes: Bytes },
}

/// What becomes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Kept,
    /// Only the first so many bytes of a write arrived.
    Torn(usize),
    /// Only the first so many bytes arrived, but the file is as long as if all had.
    Stretched(usize),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path } => write!(f, "folder {}", path.display()),
            Self::Name { path, file } => write!(f, "name {} of file {file}", path.display()),
            Self::Rename { from, to, file } => {
                write!(f, "rename of file {file} from {} to {}", from.display(), to.display())
            }
            Self::Removal { path, .. } => write!(f, "removal of {}", path.display()),
            Self::Length { file, length } => write!(f, "length {length} of file {file}"),
            Self::Write { file, offset, bytes } => write!(f, "{} bytes at {offset} of file {file}", bytes.len()),
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => f.write_str("lost"),
            Self::Kept => f.write_str("kept"),
            Self::Torn(count) => write!(f, "torn after {count}"),
            Self::Stretched(count) => write!(f, "zeros after {count}"),
        }
    }
}

impl Change {
    /// The file whose content it changes.
    fn file(&self) -> Option<FileNo> {
        match self {
            Self::Length { file, .. } | Self::Write { file, .. } => Some(*file),
            Self::Folder { .. } | Self::Name { .. } | Self::Rename { .. } | Self::Removal { .. } => None,
        }
    }

    /// The folder whose names it changes.
    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder { path } | Self::Name { path, .. } | Self::Removal { path, .. } => path.parent(),
            Self::Rename { to, .. } => to.parent(),
            Self::Length { .. } | Self::Write { .. } => None,
        }
    }

    /// Whether the other write is to the same place, so that only the last one that was kept counts.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Write { file, offset, bytes },
                Self::Write { file: other_file, offset: other_offset, bytes: others },
            ) => file == other_file && offset == other_offset && bytes.len() == others.len(),
            _ => false,
        }
    }

    fn apply(&self, files: &mut Files, fate: Fate) {
        match (self, fate) {
            (_, Fate::Lost) => {}
            (Self::Write { file, offset, bytes }, Fate::Torn(count)) => files.write(*file, *offset, &bytes[..count]),
            (Self::Write { file, offset, bytes }, Fate::Stretched(count)) => {
                let end = offset + bytes.len() as u64;
                let length = end.max(files.content(*file).len() as u64);
                files.write(*file, *offset, &bytes[..count]);
                files.set_length(*file, length);
            }
            (Self::Write { file, offset, bytes }, Fate::Kept) => files.write(*file, *offset, bytes),
            (Self::Length { file, length }, _) => files.set_length(*file, *length),
            (Self::Folder { path }, _) => drop(files.folders.insert(path.clone())),
            (Self::Name { path, file }, _) => drop(files.names.insert(path.clone(), *file)),
            (Self::Rename { from, to, file }, _) => {
                forget(files, from, *file);
                files.names.insert(to.clone(), *file);
            }
            (Self::Removal { path, file }, _) => forget(files, path, *file),
        }
    }
}

fn forget(files: &mut Files, path: &Path, file: FileNo) {
    if files.names.get(path) == Some(&file) {
        files.names.remove(path);
    }
}

impl Cut {
    /// The moment before anything happened.
    pub(crate) fn before(recording: &Recording) -> Self {
        Self { durable: recording.base.clone(), whole: recording.base.clone(), ..Self::default() }
    }

    /// The next operation happens.
    pub(crate) fn advance(&mut self, operation: &Operation) {
        self.operations += 1;
        match operation {
            Operation::CreateFolder { path } => self.pending.push(Change::Folder { path: path.clone() }),
            Operation::Create { path, file } => {
                self.durable.make();
                self.pending.push(Change::Name { path: path.clone(), file: *file });
            }
            Operation::Write { file, offset, bytes } => self.write(*file, *offset, bytes),
            Operation::SetLength { file, length } => {
                self.pending.push(Change::Length { file: *file, length: *length });
            }
            Operation::Rename { from, to } => {
                assert_eq!(from.parent(), to.parent(), "a rename between folders is not understood here");
                let file = self.whole.names[from];
                self.pending.push(Change::Rename { from: from.clone(), to: to.clone(), file });
            }
            Operation::Remove { path } => {
                let file = self.whole.names[path];
                self.pending.push(Change::Removal { path: path.clone(), file });
            }
            Operation::SyncFile { file } => self.settle(|change| change.file() == Some(*file)),
            Operation::SyncFolder { path } => self.settle(|change| change.folder() == Some(path)),
            Operation::Began(steps) => self.began = *steps,
            Operation::Acknowledged(steps) => self.acknowledged = *steps,
        }
        self.whole.apply(operation);
    }

    /// What is on the disk if everything pending is lost.
    pub(crate) fn durable(&self) -> &Files {
        &self.durable
    }

    /// What is on the disk if each pending change has its fate.
    pub(crate) fn files(&self, fates: &[Fate]) -> Files {
        let mut files = self.durable.clone();
        for (change, fate) in self.pending.iter().zip(fates) {
            change.apply(&mut files, *fate);
        }
        // What is in a folder that is not there is not there.
        let Files { folders, names, .. } = &mut files;
        names.retain(|path, _| path.parent().is_none_or(|folder| folder == Path::new("/") || folders.contains(folder)));
        files
    }

    fn write(&mut self, file: FileNo, offset: u64, bytes: &Bytes) {
        let (mut offset, mut rest) = (offset, bytes.clone());
        while !rest.is_empty() {
            let in_page = usize::try_from(PAGE_BYTES - offset % PAGE_BYTES).expect("a page fits into memory");
            let now = rest.split_to(in_page.min(rest.len()));
            let end = offset + now.len() as u64;
            self.pending.push(Change::Write { file, offset, bytes: now });
            offset = end;
        }
    }

    fn settle(&mut self, synced: impl Fn(&Change) -> bool) {
        let (settled, pending) = std::mem::take(&mut self.pending).into_iter().partition(|change| synced(change));
        self.pending = pending;
        for change in Vec::<Change>::into_iter(settled) {
            change.apply(&mut self.durable, Fate::Kept);
        }
    }
}
