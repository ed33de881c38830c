//! Many stubs of foragers on one thread, and what they saw.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::watch;

use super::session;
use super::stub::Stub;

/// What a test tells all stubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Hold what you run.
    Hold,
    /// End what you run, with a result.
    Finish,
    /// The test is over.
    Go,
}

/// What stubs saw.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How often each instance was started, by graph, node and index.
    pub(super) starts: BTreeMap<String, u32>,
    /// The epoch of the leader that each stub was adopted by last.
    pub(super) adopted: BTreeMap<usize, u64>,
    /// What must not happen to foragers that do nothing wrong.
    pub(super) mishaps: Vec<String>,
}

/// What stubs saw, for all of them and the test.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Seen>>);

impl Notes {
    pub(super) fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stubs. Dropping it ends them.
pub(super) struct Flock {
    order: watch::Sender<Order>,
    notes: Notes,
    thread: Option<JoinHandle<()>>,
}

impl Flock {
    /// So many stubs, each with one slot, these tools, and a session with each address.
    pub(super) fn start(number: usize, addresses: &[String], tools: &[&str]) -> Self {
        let order = watch::Sender::new(Order::Hold);
        let notes = Notes::default();
        let (addresses, tools) = (addresses.to_vec(), tools.iter().map(ToString::to_string).collect::<Vec<_>>());
        let (orders, seen) = (order.subscribe(), notes.clone());
        let thread = std::thread::spawn(move || live(number, &addresses, &tools, &orders, &seen));
        Self { order, notes, thread: Some(thread) }
    }

    /// How often each instance was started.
    pub(super) fn starts(&self) -> BTreeMap<String, u32> {
        self.notes.lock().starts.clone()
    }

    /// How many stubs were adopted by a leader of a higher epoch.
    pub(super) fn adopted_after(&self, epoch: u64) -> usize {
        self.notes.lock().adopted.values().filter(|adopted| **adopted > epoch).count()
    }

    /// What must not have happened.
    pub(super) fn mishaps(&self) -> Vec<String> {
        self.notes.lock().mishaps.clone()
    }

    /// Everything that runs ends, and so does what is assigned from now on.
    pub(super) fn finish(&self) {
        self.order.send_replace(Order::Finish);
    }
}

impl Drop for Flock {
    fn drop(&mut self) {
        self.order.send_replace(Order::Go);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it may have panicked, which shows in what it noted
        }
    }
}

fn live(number: usize, addresses: &[String], tools: &[String], orders: &watch::Receiver<Order>, notes: &Notes) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let local = tokio::task::LocalSet::new();
    for which in 0..number {
        let stub = Rc::new(Stub::new(which, tools, notes.clone()));
        for address in addresses {
            local.spawn_local(session::keep(Rc::clone(&stub), address.clone(), orders.clone()));
        }
    }
    runtime.block_on(local);
}
