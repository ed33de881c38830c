//! The events of the last entries, bounded in number and bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use antfarm_model::{LogIndex, Name};
use antfarm_replication::QueueLength;

/// Events that are kept; of more, the oldest are forgotten.
const MAX_EVENTS: usize = 65_536;

/// Bytes of documents that are kept.
const MAX_BYTES: usize = 16 << 20;

/// Events that one read returns, unless one entry has more.
const READ_EVENTS: usize = 512;

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Published {
    /// The entry that brought it about.
    pub(crate) index: LogIndex,
    /// The id of the graph that it is about, if it is about one.
    pub(crate) graph: Option<Name>,
    /// The document, JSON without a line break.
    pub(crate) json: Box<str>,
}

/// The events that would come next are not kept here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The earliest entry after which all events are kept.
    pub(crate) oldest: LogIndex,
}

/// A place in a [`Ring`].
#[derive(Debug)]
pub(super) struct Cursor {
    /// The number of the next event, counted from the start of the process.
    next: u64,
    /// Events of entries up to here are passed over.
    after: LogIndex,
}

/// The events of the last entries.
pub(super) struct Ring {
    events: VecDeque<Arc<Published>>,
    bytes: usize,
    /// The number of the first event.
    first: u64,
    /// Events of entries up to here may be missing.
    floor: LogIndex,
}

impl Ring {
    pub(super) fn new(floor: LogIndex) -> Self {
        Self { events: VecDeque::new(), bytes: 0, first: 0, floor }
    }

    /// A ring in which every cursor of this one is at a place that is gone.
    pub(super) fn emptied(&self, floor: LogIndex) -> Self {
        Self { first: self.first + self.events.len() as u64 + 1, ..Self::new(floor) }
    }

    /// Adds all events of an entry.
    pub(super) fn push(&mut self, index: LogIndex, events: Vec<Published>) {
        for event in events {
            assert_eq!(event.index, index, "the events of one entry come together");
            self.bytes += event.json.len();
            self.events.push_back(Arc::new(event));
        }
        while self.events.len() > MAX_EVENTS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.events.pop_front() else { break };
            self.bytes -= oldest.json.len();
            self.first += 1;
            self.floor = oldest.index;
        }
    }

    /// How many events are kept, and how many bytes.
    pub(super) fn lengths(&self) -> [QueueLength; 2] {
        [
            QueueLength { name: "events", length: self.events.len(), limit: MAX_EVENTS },
            QueueLength { name: "bytes of events", length: self.bytes, limit: MAX_BYTES },
        ]
    }

    /// A cursor at what comes after an entry.
    pub(super) fn after(&self, index: LogIndex) -> Result<Cursor, Gone> {
        if index < self.floor {
            return Err(self.gone());
        }
        let passed = self.events.partition_point(|event| event.index <= index);
        Ok(Cursor { next: self.first + passed as u64, after: index })
    }

    /// The next events, whole entries, and moves the cursor behind them; nothing if there are none yet.
    pub(super) fn read(&self, cursor: &mut Cursor) -> Result<Vec<Arc<Published>>, Gone> {
        let skipped = cursor.next.checked_sub(self.first).and_then(|skipped| usize::try_from(skipped).ok());
        let skipped = skipped.ok_or(self.gone())?;
        let mut read: Vec<Arc<Published>> = Vec::new();
        for event in self.events.iter().skip(skipped) {
            if read.len() >= READ_EVENTS && read.last().is_some_and(|last| last.index != event.index) {
                break;
            }
            cursor.next += 1;
            if event.index > cursor.after {
                read.push(Arc::clone(event));
            }
        }
        Ok(read)
    }

    fn gone(&self) -> Gone {
        Gone { oldest: self.floor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(index: u64, json: &str) -> Published {
        Published { index: LogIndex(index), graph: None, json: json.into() }
    }

    fn texts(read: Result<Vec<Arc<Published>>, Gone>) -> Vec<String> {
        read.expect("nothing is gone").iter().map(|event| event.json.to_string()).collect()
    }

    #[test]
    fn a_reader_gets_what_comes_after_its_position() {
        let mut ring = Ring::new(LogIndex(10));
        ring.push(LogIndex(11), vec![event(11, "a"), event(11, "b")]);
        ring.push(LogIndex(13), vec![event(13, "c")]);
        let mut cursor = ring.after(LogIndex(11)).expect("it is kept");
        assert_eq!(texts(ring.read(&mut cursor)), ["c"]);
        assert!(texts(ring.read(&mut cursor)).is_empty());
        ring.push(LogIndex(14), vec![event(14, "d")]);
        assert_eq!(texts(ring.read(&mut cursor)), ["d"]);
    }

    #[test]
    fn a_reader_ahead_of_the_ring_waits_for_its_position() {
        let mut ring = Ring::new(LogIndex(10));
        let mut cursor = ring.after(LogIndex(12)).expect("it will come");
        ring.push(LogIndex(12), vec![event(12, "known")]);
        assert!(texts(ring.read(&mut cursor)).is_empty());
        ring.push(LogIndex(13), vec![event(13, "new")]);
        assert_eq!(texts(ring.read(&mut cursor)), ["new"]);
    }

    #[test]
    fn a_position_before_the_first_event_is_gone() {
        let ring = Ring::new(LogIndex(10));
        assert_eq!(ring.after(LogIndex(9)).err(), Some(Gone { oldest: LogIndex(10) }));
        assert!(ring.after(LogIndex(10)).is_ok());
    }

    #[test]
    fn the_ring_is_bounded_and_a_slow_reader_is_told() {
        let mut ring = Ring::new(LogIndex(0));
        let mut slow = ring.after(LogIndex(0)).expect("it is kept");
        for index in 1..=MAX_EVENTS as u64 + 10 {
            ring.push(LogIndex(index), vec![event(index, "x")]);
        }
        assert_eq!(ring.events.len(), MAX_EVENTS);
        assert_eq!(ring.read(&mut slow), Err(Gone { oldest: LogIndex(10) }));
        ring.push(LogIndex(70_000), vec![event(70_000, &"x".repeat(MAX_BYTES))]);
        assert_eq!(ring.events.len(), 1);
    }

    #[test]
    fn a_read_never_divides_an_entry() {
        let mut ring = Ring::new(LogIndex(0));
        let many = READ_EVENTS + 100;
        ring.push(LogIndex(1), (0..many).map(|_| event(1, "x")).collect());
        ring.push(LogIndex(2), vec![event(2, "y")]);
        let mut cursor = ring.after(LogIndex(0)).expect("it is kept");
        assert_eq!(ring.read(&mut cursor).map(|read| read.len()), Ok(many));
        assert_eq!(texts(ring.read(&mut cursor)), ["y"]);
    }

    #[test]
    fn after_a_gap_every_reader_is_told() {
        let mut ring = Ring::new(LogIndex(0));
        let mut cursor = ring.after(LogIndex(0)).expect("it is kept");
        ring = ring.emptied(LogIndex(50));
        assert_eq!(ring.read(&mut cursor), Err(Gone { oldest: LogIndex(50) }));
    }
}
