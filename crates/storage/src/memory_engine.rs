//! An engine without a disk, for tests and simulation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::StorageError;
use crate::change::Change;
use crate::engine::{Bounds, Fact, LogEngine, OnDurable, Record};
use crate::view::View;

/// A [`LogEngine`] in memory.
///
/// With [`MemoryEngine::new`] every change is durable at once. With [`MemoryEngine::held`] a test decides: changes
/// become durable, in order, when it says [`release`](MemoryEngine::release), and those that it never released are
/// missing after [`restart`](MemoryEngine::restart).
#[derive(Default)]
pub struct MemoryEngine {
    inner: Mutex<Inner>,
    held: AtomicBool,
}

#[derive(Default)]
struct Inner {
    view: View,
    waiting: VecDeque<(Change, OnDurable)>,
    durable: Durable,
    failure: Option<StorageError>,
}

/// What a power cut would leave.
#[derive(Debug, Clone, Default)]
struct Durable {
    start: Option<u64>,
    records: BTreeMap<u64, Record>,
    vote: Option<Vec<u8>>,
    facts: BTreeMap<Fact, Vec<u8>>,
}

impl MemoryEngine {
    /// An empty engine whose changes are durable at once.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty engine whose changes become durable when the test says so.
    pub fn held() -> Self {
        Self { held: true.into(), ..Self::default() }
    }

    /// From now on changes wait, as with [`held`](Self::held), or are durable at once, what waits with them.
    pub fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
        if !held {
            self.release(usize::MAX);
        }
    }

    fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    /// How many changes wait to become durable.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Makes the next `count` changes durable, or all that wait if they are fewer.
    pub fn release(&self, count: usize) {
        for _ in 0..count {
            let mut inner = self.lock();
            let Some((change, on_durable)) = inner.waiting.pop_front() else { return };
            inner.durable.apply(change);
            drop(inner);
            on_durable(Ok(()));
        }
    }

    /// Makes the first `records` of the next change durable, if that appends so many, as a write leaves it that the power
    /// cut short. Nobody is told. Whether there was such a change.
    pub fn tear(&self, records: usize) -> bool {
        let mut inner = self.lock();
        let torn = match inner.waiting.front() {
            Some((Change::Append { start, records: all }, _)) if all.len() > records => {
                Change::Append { start: *start, records: all[..records].to_vec() }
            }
            Some(_) | None => return false,
        };
        inner.durable.apply(torn);
        true
    }

    /// Ends the engine as a failed write would: whatever waits, and everything later, is answered with the error.
    pub fn fail(&self, error: &StorageError) {
        let mut inner = self.lock();
        let waiting = std::mem::take(&mut inner.waiting);
        inner.failure = Some(error.clone().ended());
        drop(inner);
        for (_, on_durable) in waiting {
            on_durable(Err(error.clone()));
        }
    }

    /// A new engine of the same kind that has what was durable in this one, as after a crash.
    #[must_use]
    pub fn restart(&self) -> Self {
        let durable = self.lock().durable.clone();
        let mut view = View::restored(durable.start, durable.vote.clone(), durable.facts.clone());
        for record in durable.records.values() {
            view.admit(record.payload.clone(), 0);
        }
        Self { inner: Mutex::new(Inner { view, durable, ..Inner::default() }), held: self.is_held().into() }
    }

    fn change(&self, on_durable: OnDurable, make: impl FnOnce(&mut View) -> Result<Change, StorageError>) {
        let mut inner = self.lock();
        let change = match &inner.failure {
            Some(failure) => Err(failure.clone()),
            None => make(&mut inner.view),
        };
        match change {
            Err(error) => {
                drop(inner);
                on_durable(Err(error));
            }
            Ok(change) => {
                inner.waiting.push_back((change, on_durable));
                drop(inner);
                if !self.is_held() {
                    self.release(1);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogEngine for MemoryEngine {
    fn append(&self, records: Vec<Record>, on_durable: OnDurable) {
        self.change(on_durable, |view| {
            view.check(&records)?;
            Ok(view.append(records, 0))
        });
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        let inner = self.lock();
        if let Some(failure) = &inner.failure {
            return Err(failure.clone());
        }
        let extent = inner.view.extent(from, to, max_bytes);
        Ok(inner.view.at_hand(extent.from, extent.to))
    }

    fn bounds(&self) -> Bounds {
        self.lock().view.bounds()
    }

    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable) {
        self.change(on_durable, |view| Ok(view.truncate_after(index)));
    }

    fn purge_to(&self, index: u64, on_durable: OnDurable) {
        self.change(on_durable, |view| Ok(view.purge_to(index)));
    }

    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable) {
        self.change(on_durable, |view| view.save_vote(vote));
    }

    fn vote(&self) -> Option<Vec<u8>> {
        self.lock().view.vote()
    }

    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable) {
        self.change(on_durable, |view| view.save_fact(fact, value));
    }

    fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.lock().view.fact(fact)
    }

    fn log_bytes(&self) -> u64 {
        self.lock().view.log_bytes()
    }
}

impl Durable {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Append { start, records } => {
                self.start = start.or(self.start);
                self.records.extend(records.into_iter().map(|record| (record.index, record)));
            }
            Change::Truncate(removed) => {
                for (index, _) in removed.records() {
                    self.records.remove(&index);
                }
            }
            Change::Purge(start) => {
                self.start = Some(start);
                self.records = self.records.split_off(&start);
            }
            Change::Vote(vote) => self.vote = Some(vote),
            Change::Fact(fact, value) => {
                self.facts.insert(fact, value);
            }
        }
    }
}

impl std::fmt::Debug for MemoryEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryEngine").field("held", &self.is_held()).finish_non_exhaustive()
    }
}
