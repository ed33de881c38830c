//! Which engine a folder belongs to.

use std::path::Path;

use crate::StorageError;
use crate::disk::Disk;

/// A log engine, as the configuration names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EngineName {
    /// [`SegmentEngine`](crate::SegmentEngine).
    #[error("segments")]
    Segments,
    /// [`SledEngine`](crate::SledEngine).
    #[error("sled")]
    Sled,
}

/// How the names of segments end.
pub(crate) const SEGMENT_ENDING: &str = ".segment";

/// What sled always has in its folder.
const SLED_NAMES: [&str; 2] = ["conf", "db"];

impl EngineName {
    /// The engine that has written to a folder, if any has.
    pub fn of(disk: &dyn Disk, folder: &Path) -> Result<Option<Self>, StorageError> {
        if !disk.exists(folder)? {
            return Ok(None);
        }
        let names = disk.list(folder)?;
        if names.iter().any(|name| SLED_NAMES.contains(&name.as_str())) {
            return Ok(Some(Self::Sled));
        }
        Ok(names.iter().any(|name| name.ends_with(SEGMENT_ENDING)).then_some(Self::Segments))
    }

    /// Refuses a folder that another engine has written to.
    pub(crate) fn check(self, disk: &dyn Disk, folder: &Path) -> Result<(), StorageError> {
        match Self::of(disk, folder)? {
            Some(found) if found != self => {
                Err(StorageError::OtherEngine { path: folder.to_owned(), found, asked: self })
            }
            Some(_) | None => Ok(()),
        }
    }
}
