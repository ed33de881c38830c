//! One operation on files, as every recorder writes it down.

use std::fmt;
use std::path::PathBuf;

use bytes::Bytes;

/// A file, whatever its name is: what an inode is to a file system.
pub(crate) type FileNo = usize;

/// What happened to files, or what the workload says of itself.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    CreateFolder {
        path: PathBuf,
    },
    /// A new, empty file.
    Create {
        path: PathBuf,
        file: FileNo,
    },
    Write {
        file: FileNo,
        offset: u64,
        bytes: Bytes,
    },
    SetLength {
        file: FileNo,
        length: u64,
    },
    SyncFile {
        file: FileNo,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    SyncFolder {
        path: PathBuf,
    },
    /// From here on, the first so many steps of the workload may have an effect.
    Began(usize),
    /// From here on, the first so many steps of the workload are promised.
    Acknowledged(usize),
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateFolder { path } | Self::Remove { path } | Self::SyncFolder { path } => {
                write!(f, "{} {}", self.kind(), path.display())
            }
            Self::Create { path, file } => write!(f, "create {} as file {file}", path.display()),
            Self::Write { file, offset, bytes } => write!(f, "write {} bytes at {offset} of file {file}", bytes.len()),
            Self::SetLength { file, length } => write!(f, "set length {length} of file {file}"),
            Self::SyncFile { file } => write!(f, "sync file {file}"),
            Self::Rename { from, to } => write!(f, "rename {} to {}", from.display(), to.display()),
            Self::Began(steps) => write!(f, "mark {steps} steps as begun"),
            Self::Acknowledged(steps) => write!(f, "mark {steps} steps as promised"),
        }
    }
}

impl Operation {
    /// What it is called in reports.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::CreateFolder { .. } => "create folder",
            Self::Create { .. } => "create",
            Self::Write { .. } => "write",
            Self::SetLength { .. } => "set length",
            Self::SyncFile { .. } => "sync file",
            Self::Rename { .. } => "rename",
            Self::Remove { .. } => "remove",
            Self::SyncFolder { .. } => "sync folder",
            Self::Began(_) | Self::Acknowledged(_) => "mark",
        }
    }

    /// Whether it changes nothing that can be read.
    pub(crate) fn is_sync(&self) -> bool {
        match self {
            Self::SyncFile { .. } | Self::SyncFolder { .. } | Self::Began(_) | Self::Acknowledged(_) => true,
            Self::CreateFolder { .. }
            | Self::Create { .. }
            | Self::Write { .. }
            | Self::SetLength { .. }
            | Self::Rename { .. }
            | Self::Remove { .. } => false,
        }
    }
}
