//! Where a keeper is met: a socket in a folder that is nobody else's to look into.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::keeper::KeeperError;

/// In the keeper's folder.
const SOCKET: &str = "socket";

/// The way to the socket by a descriptor of its folder: a socket's address has room for few bytes, and a path may be long.
pub(super) struct Address {
    folder: File,
}

impl Address {
    pub(super) fn in_folder(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: File::open(folder)? })
    }

    pub(super) async fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.path()).await
    }

    /// Listens in place of one who listened there before and is gone.
    pub(super) fn listen(&self) -> io::Result<UnixListener> {
        match fs::remove_file(self.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        UnixListener::bind(self.path())
    }

    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}/{SOCKET}", self.folder.as_raw_fd()).into()
    }
}

/// Makes the keeper's folder, with rights for its owner only.
pub(super) fn make_folder(folder: &Path) -> Result<(), KeeperError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let made = made.and_then(|()| fs::set_permissions(folder, Permissions::from_mode(0o700)));
    made.map_err(|source| KeeperError::Folder { folder: folder.to_owned(), source })
}
