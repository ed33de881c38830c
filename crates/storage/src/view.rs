//! What every reader of an engine sees: all changes that were made, written already or not.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;

use crate::change::{Change, Removed};
use crate::engine::{Bounds, Fact, MAX_FACT_BYTES, MAX_RECORD_BYTES, Record};
use crate::error::StorageError;

/// The log's extent, the payloads that are at hand in memory, the vote and the facts.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// Where an empty log begins; unknown until the first append or purge.
    start: Option<u64>,
    /// Payload sizes of all readable records, the first one at `start`.
    lengths: VecDeque<u32>,
    bytes: u64,
    /// The payloads of the last `recent.len()` records, each with the number of the change that brought it.
    recent: VecDeque<(u64, Bytes)>,
    recent_bytes: usize,
    vote: Option<Vec<u8>>,
    facts: BTreeMap<Fact, Vec<u8>>,
}

/// Where the records of a read are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The first index of the answer.
    pub(crate) from: u64,
    /// Up to here, exclusively, they are only on the disk.
    pub(crate) memory_from: u64,
    /// The end of the answer, exclusive.
    pub(crate) to: u64,
}

impl View {
    /// A view of what was found on the disk; records follow by [`View::admit`].
    pub(crate) fn restored(start: Option<u64>, vote: Option<Vec<u8>>, facts: BTreeMap<Fact, Vec<u8>>) -> Self {
        Self { start, vote, facts, ..Self::default() }
    }

    /// Takes over what was found beside the log.
    pub(crate) fn remember(&mut self, vote: Option<Vec<u8>>, facts: BTreeMap<Fact, Vec<u8>>) {
        (self.vote, self.facts) = (vote, facts);
    }

    pub(crate) fn bounds(&self) -> Bounds {
        let first = self.start.unwrap_or(0);
        Bounds { first, last: (self.lengths.len() as u64).checked_sub(1).map(|more| first + more) }
    }

    pub(crate) fn log_bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn vote(&self) -> Option<Vec<u8>> {
        self.vote.clone()
    }

    pub(crate) fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.facts.get(&fact).cloned()
    }

    /// Checks that records may follow the last one.
    pub(crate) fn check(&self, records: &[Record]) -> Result<(), StorageError> {
        let Some(head) = records.first() else { return Ok(()) };
        let next = if self.start.is_none() { head.index } else { self.bounds().next() };
        for (expected, record) in (next..).zip(records) {
            if record.index != expected {
                return Err(StorageError::OutOfOrder { expected, found: record.index });
            }
            check_size("log record", record.payload.len(), MAX_RECORD_BYTES)?;
        }
        Ok(())
    }

    /// Appends checked records, as change number `change`, and says what is to be written.
    pub(crate) fn append(&mut self, records: Vec<Record>, change: u64) -> Change {
        let start = match (self.start, records.first()) {
            (None, Some(head)) => {
                self.start = Some(head.index);
                self.start
            }
            (Some(_), _) | (None, None) => None,
        };
        for record in &records {
            self.admit(record.payload.clone(), change);
        }
        Change::Append { start, records }
    }

    /// Takes in the next record.
    pub(crate) fn admit(&mut self, payload: Bytes, change: u64) {
        self.lengths.push_back(length(&payload));
        self.bytes += payload.len() as u64;
        self.recent_bytes += payload.len();
        self.recent.push_back((change, payload));
    }

    /// Removes what comes after `index`, and says what is to be removed.
    pub(crate) fn truncate_after(&mut self, index: Option<u64>) -> Change {
        let Bounds { first, .. } = self.bounds();
        let kept = index.map_or(0, |index| (index + 1).saturating_sub(first));
        let kept = usize::try_from(kept).unwrap_or(usize::MAX).min(self.lengths.len());
        let lengths: Vec<u32> = self.lengths.split_off(kept).into();
        self.forget(&lengths);
        for _ in 0..lengths.len() {
            if let Some((_, payload)) = self.recent.pop_back() {
                self.recent_bytes -= payload.len();
            }
        }
        Change::Truncate(Removed { first: first + kept as u64, lengths })
    }

    /// Removes what comes up to and including `index`, and says where the log begins then.
    pub(crate) fn purge_to(&mut self, index: u64) -> Change {
        let Bounds { first, .. } = self.bounds();
        let start = first.max(index + 1);
        let count = usize::try_from(start - first).unwrap_or(usize::MAX).min(self.lengths.len());
        let lengths: Vec<u32> = self.lengths.drain(..count).collect();
        self.forget(&lengths);
        while self.recent.len() > self.lengths.len() {
            self.forget_oldest();
        }
        self.start = Some(start);
        Change::Purge(start)
    }

    pub(crate) fn save_vote(&mut self, vote: Vec<u8>) -> Result<Change, StorageError> {
        check_size("vote", vote.len(), MAX_FACT_BYTES)?;
        self.vote = Some(vote.clone());
        Ok(Change::Vote(vote))
    }

    pub(crate) fn save_fact(&mut self, fact: Fact, value: Vec<u8>) -> Result<Change, StorageError> {
        check_size("fact", value.len(), MAX_FACT_BYTES)?;
        self.facts.insert(fact, value.clone());
        Ok(Change::Fact(fact, value))
    }

    /// What a read answers: at least one record if there is one, then as many as fit into `max_bytes`.
    pub(crate) fn extent(&self, from: u64, to: u64, max_bytes: usize) -> Extent {
        let bounds = self.bounds();
        let from = from.max(bounds.first);
        let to = to.min(bounds.next());
        let memory_from = bounds.next() - self.recent.len() as u64;
        let mut end = from;
        let mut bytes = 0;
        while end < to {
            bytes += self.lengths[offset(end, bounds.first)] as usize;
            if end > from && bytes > max_bytes {
                break;
            }
            end += 1;
        }
        Extent { from, memory_from: memory_from.clamp(from, end), to: end }
    }

    /// The records of `from..to`, which must be at hand.
    pub(crate) fn at_hand(&self, from: u64, to: u64) -> Vec<Record> {
        let memory_from = self.bounds().next() - self.recent.len() as u64;
        let payload = |index| self.recent[offset(index, memory_from)].1.clone();
        (from..to).map(|index| Record { index, payload: payload(index) }).collect()
    }

    /// Payload size of a readable record.
    pub(crate) fn length_of(&self, index: u64) -> u32 {
        self.lengths[offset(index, self.bounds().first)]
    }

    /// Lets go of the oldest payloads until at most `max_bytes` are at hand, but of none that change `written` or an
    /// earlier one did not bring to the disk.
    pub(crate) fn evict(&mut self, max_bytes: usize, written: u64) {
        while self.recent_bytes > max_bytes && self.recent.front().is_some_and(|(change, _)| *change <= written) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, payload)) = self.recent.pop_front() {
            self.recent_bytes -= payload.len();
        }
    }

    fn forget(&mut self, lengths: &[u32]) {
        self.bytes -= lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
    }
}

fn check_size(item: &'static str, bytes: usize, limit: usize) -> Result<(), StorageError> {
    if bytes > limit {
        return Err(StorageError::TooLarge { item, bytes: bytes as u64, limit: limit as u64 });
    }
    Ok(())
}

fn offset(index: u64, first: u64) -> usize {
    usize::try_from(index - first).expect("a log in memory has no more records than fit into memory")
}

fn length(payload: &Bytes) -> u32 {
    u32::try_from(payload.len()).expect("records are checked against MAX_RECORD_BYTES")
}
