//! The faults of one document, collected within a bound.

use crate::Fault;

use super::{Position, path::Path};

/// Faults of a document that are told one by one; what is beyond is only counted.
pub const MAX_FAULTS: usize = 100;

/// Bytes of a path that are told; a longer one is cut, and its fault has a position in any case.
const LONGEST_PATH_BYTES: usize = 512;

/// Collects faults. Messages beyond [`MAX_FAULTS`] are never made.
#[derive(Default)]
pub(super) struct Faults {
    kept: Vec<Fault>,
    more: usize,
}

impl Faults {
    pub(super) fn add(&mut self, path: &Path<'_>, position: Position, message: impl FnOnce() -> String) {
        if self.kept.len() < MAX_FAULTS {
            self.kept.push(Fault { path: shown(path), position: Some(position), message: message() });
        } else {
            self.more += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether further faults are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() == MAX_FAULTS
    }

    /// The faults in the order of the document.
    pub(super) fn finish(mut self) -> Vec<Fault> {
        self.kept.sort_by_key(|fault| fault.position);
        if self.more > 0 {
            let message = match self.more {
                1 => "and 1 more fault".to_owned(),
                more => format!("and {more} more faults"),
            };
            self.kept.push(Fault { path: String::new(), position: None, message });
        }
        self.kept
    }
}

fn shown(path: &Path<'_>) -> String {
    let whole = path.to_string();
    if whole.len() <= LONGEST_PATH_BYTES {
        return whole;
    }
    format!("{}…", &whole[..whole.floor_char_boundary(LONGEST_PATH_BYTES)])
}

/// The fault of a document as a whole.
pub(super) fn whole(message: String) -> Fault {
    Fault { path: String::new(), position: None, message }
}
