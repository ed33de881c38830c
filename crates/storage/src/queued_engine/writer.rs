//! What an engine's writer does, group by group.

use std::ops::ControlFlow;

use crate::StorageError;
use crate::acknowledged::Acknowledged;
use crate::change::Change;
use crate::queued_engine::RECENT_BYTES;
use crate::queued_engine::queue::{Queue, Work};

/// The part of a writer that knows where things are written.
pub(crate) trait GroupWriter: Send + 'static {
    /// Writes changes, in order, and says the number of this write. When it returns, they are durable.
    fn write(&mut self, changes: &[Change]) -> Result<u64, StorageError>;

    /// Removes some of what was purged, and says whether more is left to be removed. No caller waits for it.
    fn tidy(&mut self) -> Result<bool, StorageError>;
}

/// A writer, and the note of what was acknowledged.
pub(super) struct Hand {
    pub(super) writer: Box<dyn GroupWriter>,
    pub(super) acknowledged: Acknowledged,
}

impl Hand {
    /// Writes what is queued, and tidies up in between, until the queue is closed or a write fails.
    pub(super) fn run(mut self, queue: &Queue) {
        // An earlier process may have left something.
        let mut next = self.tidy(queue);
        while let ControlFlow::Continue(untidy) = next {
            next = self.step(queue, untidy);
        }
    }

    /// Writes what waits, as one group; if nothing does, waits for it, unless there is something `else_to_do`. Says
    /// whether there is something else to do; breaks off when there never will be.
    pub(super) fn step(&mut self, queue: &Queue, else_to_do: bool) -> ControlFlow<(), bool> {
        match queue.take(else_to_do) {
            Work::Nothing => {}
            Work::Closed => return ControlFlow::Break(()),
            Work::Group(group) => {
                let written = self.writer.write(&group.changes);
                match written.and_then(|number| self.acknowledged.note(number)) {
                    Ok(()) => queue.written(group, RECENT_BYTES),
                    Err(error) => {
                        queue.fail(Some(group), &error);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        self.tidy(queue)
    }

    fn tidy(&mut self, queue: &Queue) -> ControlFlow<(), bool> {
        match self.writer.tidy() {
            Ok(untidy) => ControlFlow::Continue(untidy),
            Err(error) => {
                queue.fail(None, &error);
                ControlFlow::Break(())
            }
        }
    }
}
