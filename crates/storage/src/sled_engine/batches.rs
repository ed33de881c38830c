//! Turning changes into sled batches, each of which is recovered whole or not at all.

use sled::Batch;

use crate::change::Change;
use crate::engine::Record;
use crate::sled_engine::value::{
    self, END_KEY, PIECE_BYTES, PieceHead, START_KEY, VOTE_KEY, WRITE_NUMBER_KEY, fact_key, piece_key,
};

/// A batch that has grown to this is closed at the next place where a crash may fall between two batches.
const BATCH_BYTES: usize = 1 << 20;

/// The same in keys: sled applies a batch in random order, so that a large one visits, splits and merges leaves everywhere
/// (a batch of 190,000 removals took 7 seconds and 2 GB, in batches of a thousand 3 seconds and nothing).
pub(super) const BATCH_KEYS: usize = 1000;

/// Batches to be applied one after the other.
///
/// A crash may leave any number of the first ones. That is harmless, as the order makes sure: appends are cut between
/// records, truncations remove whole records from the end. A purge only moves the beginning of the log; the writer sweeps
/// up what lies before it later.
#[derive(Default)]
pub(super) struct Batches {
    closed: Vec<Batch>,
    open: Batch,
    open_bytes: usize,
    open_keys: usize,
    /// The index after the last record, when all that was added so far is applied. Each batch says it, since sled may lose
    /// the last records without a word, and leave what is on other pages.
    pub(super) next: u64,
    /// How many values are put in all.
    pub(super) puts: usize,
    /// How many bytes of keys and values.
    pub(super) bytes: u64,
    /// Whether anything is removed.
    pub(super) removes: bool,
}

impl Batches {
    /// All changes of a group, and the number of this write. `next` is the index after the last record before.
    pub(super) fn of<'a>(changes: impl IntoIterator<Item = &'a Change>, write_number: u64, next: u64) -> Self {
        let mut batches = Self { next, ..Self::default() };
        for change in changes {
            batches.add(change);
        }
        batches.put(WRITE_NUMBER_KEY, &write_number.to_le_bytes());
        batches
    }

    /// The batches, in order.
    pub(super) fn into_batches(mut self) -> Vec<Batch> {
        self.close();
        self.closed
    }

    fn add(&mut self, change: &Change) {
        match change {
            Change::Append { start, records } => {
                if let Some(start) = start {
                    self.put(START_KEY, &start.to_le_bytes());
                }
                for record in records {
                    self.add_record(record);
                }
            }
            Change::Truncate(removed) => {
                for (index, length) in removed.records().rev() {
                    self.remove_record(index, length);
                }
            }
            Change::Purge(start) => {
                self.put(START_KEY, &start.to_le_bytes());
                self.next = self.next.max(*start);
            }
            Change::Vote(vote) => self.put(VOTE_KEY, vote),
            Change::Fact(fact, content) => self.put(&fact_key(*fact), content),
        }
    }

    fn add_record(&mut self, record: &Record) {
        let head = PieceHead::of(&record.payload);
        let mut rest = record.payload.as_ref();
        for piece in 0..value::pieces(head.length) {
            let (now, later) = rest.split_at(rest.len().min(PIECE_BYTES));
            self.put(&piece_key(record.index, piece), &head.with(now));
            rest = later;
        }
        self.next = record.index + 1;
        self.boundary();
    }

    fn remove_record(&mut self, index: u64, length: u32) {
        self.removes = true;
        self.next = index;
        for piece in 0..value::pieces(length) {
            let key = piece_key(index, piece);
            self.open_keys += 1;
            self.open.remove(&key);
        }
        self.boundary();
    }

    fn put(&mut self, key: &[u8], content: &[u8]) {
        let value = value::encode(key, content);
        let bytes = key.len() + value.len();
        self.open_bytes += bytes;
        self.bytes += bytes as u64;
        self.open_keys += 1;
        self.puts += 1;
        self.open.insert(key, value);
    }

    fn boundary(&mut self) {
        if self.open_bytes >= BATCH_BYTES || self.open_keys >= BATCH_KEYS {
            self.close();
        }
    }

    fn close(&mut self) {
        self.put(END_KEY, &self.next.to_le_bytes());
        self.closed.push(std::mem::take(&mut self.open));
        self.open_bytes = 0;
        self.open_keys = 0;
    }
}
