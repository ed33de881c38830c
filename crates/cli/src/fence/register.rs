//! The record of one key on its disk: read, compare, raise.

use std::path::Path;

use antfarm_model::Fence;
use antfarm_storage::{Disk, write_atomically};

use crate::fence::{FenceError, Key, record};

/// The answer to a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// No attempt came with a higher fence, and this is durable.
    Admitted,
    /// An attempt came with this higher fence.
    Stale(Fence),
}

/// The highest fence that the record of a key has; nothing if there is no record.
///
/// Needs no lock: a record is replaced as a whole.
pub(super) fn highest(disk: &dyn Disk, path: &Path, key: &Key) -> Result<Option<Fence>, FenceError> {
    let mut file = match disk.open(path) {
        Err(error) if error.is_not_found() => return Ok(None),
        file => file?,
    };
    let damaged = |why| FenceError::Damaged { path: path.to_owned(), why };
    let mut bytes = vec![0; record::MAX_BYTES + 1];
    let mut length = 0;
    loop {
        match file.read(&mut bytes[length..])? {
            0 if length > record::MAX_BYTES => return Err(damaged("it is longer than any record")),
            0 => break,
            more => length += more,
        }
    }
    record::decode(key, &bytes[..length]).map(Some).map_err(damaged)
}

/// Compares a fence with the record, and raises the record to it. The caller has the lock of the key.
///
/// The same fence again is admitted: it is the same attempt, which may try its effect again.
pub(super) fn admit(disk: &dyn Disk, path: &Path, key: &Key, fence: Fence) -> Result<Admission, FenceError> {
    match highest(disk, path, key)? {
        Some(highest) if highest > fence => Ok(Admission::Stale(highest)),
        Some(highest) if highest == fence => {
            // Whoever wrote it may have been killed before the new name of the file was durable.
            disk.sync_folder(path.parent().expect("a record stands in a folder"))?;
            Ok(Admission::Admitted)
        }
        Some(_) | None => {
            write_atomically(disk, path, record::encode(key, fence).as_bytes())?;
            Ok(Admission::Admitted)
        }
    }
}

#[cfg(test)]
mod tests;
