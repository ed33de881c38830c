//! When it is certain enough that none of some processes is left.

use std::time::Duration;

use crate::process::Pauses;

/// A list of all processes is never of one moment: none is there when none was seen this often in a row.
const LOOKS: u32 = 2;

/// A search for processes that are to be gone.
#[derive(Debug)]
pub(crate) struct Search {
    unseen: u32,
    pauses: Pauses,
}

impl Search {
    pub(crate) fn new() -> Self {
        Self { unseen: 0, pauses: Pauses::new() }
    }

    /// So many were seen now. Says how long to wait before the next look; nothing if none is left.
    pub(crate) fn saw(&mut self, count: usize) -> Option<Duration> {
        self.unseen = if count == 0 { self.unseen + 1 } else { 0 };
        (self.unseen < LOOKS).then(|| self.pauses.next())
    }
}
