//! Writes down what becomes durable on the disk of a queen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antfarm_replication::{StoredVote, stored_vote, term_of_record};
use antfarm_storage::{LogEngine, MemoryEngine, OnDurable, Record, StorageError};

use super::chronicle::{Chronicle, Pen};
use crate::history::{Ballot, DiskStep, EntryId, Span, What};

/// The diary of one queen through all her lives. Clones are the same.
#[derive(Clone)]
pub(super) struct Diary(Arc<Mutex<Book>>);

struct Book {
    pen: Pen,
    queen: u16,
    life: u32,
    /// The last vote that was cast and is durable.
    cast: Option<Ballot>,
    /// The last index in the newest snapshot, 0 without one.
    snapshot: u64,
}

/// More records than one read brings are read in parts; this is the most of one.
const READ_BYTES: usize = 1 << 20;

impl Diary {
    pub(super) fn new(chronicle: &Chronicle, queen: u16) -> Self {
        let pen = chronicle.pen(format!("disk-{queen}"));
        Self(Arc::new(Mutex::new(Book { pen, queen, life: 0, cast: None, snapshot: 0 })))
    }

    /// The next life begins, with this snapshot.
    pub(super) fn begins(&self, life: u32, snapshot: u64) {
        let mut book = self.book();
        (book.life, book.snapshot) = (life, snapshot);
    }

    /// The newest snapshot that is durable ends with this index.
    pub(super) fn has_snapshot(&self, index: u64) {
        let mut book = self.book();
        if index > book.snapshot {
            book.snapshot = index;
            // Its term stands inside, where nobody looks.
            book.write(DiskStep::Snapshot { last: EntryId { index, term: 0 } });
        }
    }

    /// What that life finds on its disk.
    pub(super) fn finds(&self, engine: &MemoryEngine) {
        let bounds = engine.bounds();
        let (mut log, mut next) = (Vec::new(), bounds.first);
        while next < bounds.next() {
            let Ok(records) = engine.read(next, bounds.next(), READ_BYTES) else { break };
            let Some(last) = records.last() else { break };
            next = last.index + 1;
            log.extend(spans(&records));
        }
        let mut book = self.book();
        let ballot = engine.vote().as_deref().and_then(stored_vote).map(|vote| book.ballot(vote));
        let (purged, snapshot) = (bounds.first.saturating_sub(1), book.snapshot);
        book.write(DiskStep::Found { ballot, log, purged, snapshot });
    }

    pub(super) fn keeps(&self, records: &[Record], on_durable: OnDurable) -> OnDurable {
        let entries = spans(records);
        self.when_durable(on_durable, move |book| book.write(DiskStep::Kept { entries }))
    }

    pub(super) fn truncates(&self, after: Option<u64>, on_durable: OnDurable) -> OnDurable {
        self.when_durable(on_durable, move |book| book.write(DiskStep::Truncated { after: after.unwrap_or(0) }))
    }

    pub(super) fn purges(&self, upto: u64, on_durable: OnDurable) -> OnDurable {
        self.when_durable(on_durable, move |book| book.write(DiskStep::Purged { upto }))
    }

    /// A vote is cast, unless it only says who leads.
    pub(super) fn votes(&self, vote: &[u8], on_durable: OnDurable) -> OnDurable {
        let Some(vote) = stored_vote(vote).filter(|vote| !vote.leads) else { return on_durable };
        self.when_durable(on_durable, move |book| {
            let ballot = book.ballot(vote);
            book.cast = Some(ballot);
            book.write(DiskStep::Voted(ballot));
        })
    }

    pub(super) fn fails(&self, error: &StorageError) {
        self.book().write(DiskStep::Failed { what: error.to_string() });
    }

    /// The disk stands still under something that waits, from now on.
    pub(super) fn stalls(&self) {
        self.book().write(DiskStep::Stalled);
    }

    /// It goes on.
    pub(super) fn resumes(&self) {
        self.book().write(DiskStep::Resumed);
    }

    /// Writes something down when it is durable, and then tells who waits for that.
    fn when_durable(&self, on_durable: OnDurable, write: impl FnOnce(&mut Book) + Send + 'static) -> OnDurable {
        let diary = self.clone();
        Box::new(move |result| {
            if result.is_ok() {
                write(&mut diary.book());
            }
            on_durable(result);
        })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// For whom the queen has voted: what says only who leads says nothing of that, if she had voted in that term before.
    fn ballot(&self, vote: StoredVote) -> Ballot {
        let cast = self.cast.filter(|cast| vote.leads && cast.term == vote.term);
        cast.unwrap_or(Ballot { term: vote.term, candidate: u16::try_from(vote.candidate).unwrap_or(u16::MAX) })
    }

    fn write(&mut self, step: DiskStep) {
        let (queen, life) = (self.queen, self.life);
        self.pen.write(What::Disk { queen, life, step });
    }
}

/// Consecutive records of one term each.
fn spans(records: &[Record]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for record in records {
        let (index, term) = (record.index, term_of_record(&record.payload).unwrap_or(0));
        match spans.last_mut().filter(|span| span.term == term && span.last + 1 == index) {
            Some(span) => span.last = index,
            None => spans.push(Span { term, first: index, last: index }),
        }
    }
    spans
}
