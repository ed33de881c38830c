//! Working folders of attempts. One that its attempt has left untouched is handed on to the next.
//!
//! To make a folder and to remove it again is dear: some file systems look at every folder that was removed in the last
//! minutes before they make another (ext4 without a journal does), or wait for the disk at each removal.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many wait for an attempt; of more that become free, each is removed.
const SPARE: usize = 256;

/// The working folders below a data folder. A clone is the same.
#[derive(Debug, Clone)]
pub(super) struct Folders(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    below: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Empty, and nobody's.
    spare: Vec<Folder>,
    /// The number of the last that was made.
    last: u64,
}

/// An empty folder, for one attempt.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    made: Stamp,
}

/// What of a folder does not stay the same, should anything in it or about it be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    mode: u32,
    owner: (u32, u32),
    changed: (i64, i64),
}

impl Folders {
    /// What is there already is not used.
    pub(super) fn below(folder: PathBuf) -> Self {
        Self(Arc::new(Inner { below: folder, state: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty folder, which the caller gives back. The error is for people.
    pub(super) fn take(&self) -> Result<Folder, String> {
        let mut state = self.lock();
        if let Some(spare) = state.spare.pop() {
            return Ok(spare);
        }
        loop {
            state.last += 1;
            let path = self.0.below.join(state.last.to_string());
            match Folder::make(path.clone()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {} // a former keeper's
                made => {
                    return made
                        .map_err(|error| format!("its working folder {} could not be made: {error}", path.display()));
                }
            }
        }
    }

    /// Takes back a folder in which nothing runs any more.
    pub(super) async fn give_back(&self, folder: Folder) {
        if folder.is_untouched() {
            let mut state = self.lock();
            if state.spare.len() < SPARE {
                return state.spare.push(folder);
            }
        }
        if let Err(error) = remove(&folder.path).await {
            tracing::warn!(folder = %folder.path.display(), %error, "a working folder could not be removed");
        }
    }

    /// Removes those that wait for an attempt.
    pub(super) fn remove_spare(&self) {
        for folder in std::mem::take(&mut self.lock().spare) {
            // What a stranger put into it meanwhile is removed by the next forager, as all that it finds.
            let _ = fs::remove_dir(&folder.path);
        }
    }
}

impl Folder {
    fn make(path: PathBuf) -> io::Result<Self> {
        fs::create_dir(&path)?;
        let made = Stamp::of(&fs::symlink_metadata(&path)?);
        Ok(Self { path, made })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is as it was made: nothing is in it, and nobody changed its rights or put another in its place.
    fn is_untouched(&self) -> bool {
        let is_same = fs::symlink_metadata(&self.path).is_ok_and(|now| Stamp::of(&now) == self.made);
        // A stamp may have the time of the tick in which the folder was made.
        is_same && fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none())
    }
}

impl Stamp {
    fn of(folder: &Metadata) -> Self {
        Self {
            device: folder.dev(),
            inode: folder.ino(),
            mode: folder.mode(),
            owner: (folder.uid(), folder.gid()),
            changed: (folder.ctime(), folder.ctime_nsec()),
        }
    }
}

/// Removes whatever has this name.
async fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs::remove_file(path),
        Err(_) => tokio::fs::remove_dir_all(path).await,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Whether an attempt gets the folder that one before did this to; looks that it is empty and may be used.
    async fn is_handed_on_after(touch: impl FnOnce(&Path)) -> bool {
        let below = tempfile::tempdir().expect("a temporary folder");
        let folders = Folders::below(below.path().to_owned());
        let first = folders.take().expect("it can be made");
        let path = first.path().to_owned();
        touch(&path);
        folders.give_back(first).await;
        let next = folders.take().expect("it can be made");
        let metadata = fs::symlink_metadata(next.path()).expect("it is there");
        assert!(metadata.is_dir() && metadata.mode() & 0o700 == 0o700, "{metadata:?}");
        assert_eq!(fs::read_dir(next.path()).expect("it is a folder").count(), 0);
        let is_same = next.path() == path;
        assert!(is_same || fs::symlink_metadata(path).is_err(), "what is not handed on is removed");
        is_same
    }

    #[tokio::test]
    async fn a_folder_is_handed_on_only_if_it_was_not_touched() {
        assert!(is_handed_on_after(|_| {}).await);
        let touches: [fn(&Path); 6] = [
            |path| fs::write(path.join("file"), "left").expect("it can be written"),
            |path| fs::create_dir_all(path.join("a/b")).expect("it can be made"),
            |path| fs::set_permissions(path, Permissions::from_mode(0o500)).expect("it is ours"),
            |path| fs::remove_dir(path).expect("it is empty"),
            |path| {
                fs::remove_dir(path).expect("it is empty");
                fs::write(path, "a file").expect("the name is free");
            },
            |path| {
                fs::remove_dir(path).expect("it is empty");
                symlink("/", path).expect("the name is free");
            },
        ];
        for (number, touch) in touches.into_iter().enumerate() {
            assert!(!is_handed_on_after(touch).await, "touch {number}");
        }
    }

    #[tokio::test]
    async fn none_is_left_in_the_end() {
        let below = tempfile::tempdir().expect("a temporary folder");
        let left = || fs::read_dir(below.path()).expect("it is a folder").count();
        let folders = Folders::below(below.path().to_owned());
        let [one, two] = [(); 2].map(|()| folders.take().expect("it can be made"));
        folders.give_back(one).await;
        folders.give_back(two).await;
        assert_eq!(left(), 2);
        folders.remove_spare();
        assert_eq!(left(), 0);
    }

    #[test]
    fn what_a_former_keeper_left_is_not_used() {
        let below = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(below.path().join("1/old")).expect("it can be made");
        fs::write(below.path().join("2"), "old").expect("it can be written");
        let folder = Folders::below(below.path().to_owned()).take().expect("it can be made");
        assert_eq!(folder.path(), below.path().join("3"));
    }
}
