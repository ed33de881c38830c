//! What changes, ready to be shown: a bounded ring of event documents in log order, fed on every replica alike.

mod count;
mod document;
mod ring;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_env::Env;
use antfarm_model::{GraphNo, LogIndex};
use antfarm_replication::{Gap, Leadership, Outcomes, QueueLength, Replica};
use antfarm_scheduler::{Event, Outcome};
use tokio::sync::watch;

use crate::metrics::Metrics;

use ring::{Cursor, Ring};
pub(crate) use ring::{Gone, Published};

/// Events that are put into words while the state is held; one entry may have a million.
const EVENTS_AT_ONCE: usize = 1_024;

/// A cheap handle to the events of one queen.
#[derive(Clone)]
pub(crate) struct Events(Arc<Parts>);

struct Parts {
    ring: Mutex<Ring>,
    /// The last entry whose events stand in the ring.
    head: watch::Sender<LogIndex>,
    /// Who is told when a graph has ended.
    waiters: Mutex<BTreeMap<GraphNo, watch::Sender<()>>>,
}

/// Reads events from a position on. It ends where what comes next is gone.
pub(crate) struct EventReader {
    events: Events,
    head: watch::Receiver<LogIndex>,
    cursor: Cursor,
}

impl Events {
    /// Keeps what changes from now on.
    pub(crate) fn start(env: &Env, replica: &Replica, metrics: Metrics) -> Self {
        let outcomes = replica.outcomes();
        let events = Self::from(replica.read(|state| state.applied().index));
        env.spawn(feed(events.clone(), replica.clone(), outcomes, metrics));
        events
    }

    fn from(floor: LogIndex) -> Self {
        let (ring, head) = (Mutex::new(Ring::new(floor)), watch::Sender::new(floor));
        Self(Arc::new(Parts { ring, head, waiters: Mutex::default() }))
    }

    /// The last entry whose events were kept.
    pub(crate) fn head(&self) -> LogIndex {
        *self.0.head.borrow()
    }

    /// Reads what comes after an entry, be it past or to come.
    pub(crate) fn after(&self, index: LogIndex) -> Result<EventReader, Gone> {
        let head = self.0.head.subscribe();
        let cursor = self.with_ring(|ring| ring.after(index))?;
        Ok(EventReader { events: self.clone(), head, cursor })
    }

    /// Is told when a graph ends or is removed, or may have been without a word. Subscribe first, then look at the state.
    pub(crate) fn watch_graph(&self, graph: GraphNo) -> watch::Receiver<()> {
        let mut waiters = self.0.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        waiters.retain(|_, waiter| waiter.receiver_count() > 0);
        waiters.entry(graph).or_insert_with(|| watch::Sender::new(())).subscribe()
    }

    /// How much is kept for readers.
    pub(crate) fn queues(&self) -> [QueueLength; 2] {
        self.with_ring(|ring| ring.lengths())
    }

    fn with_ring<T>(&self, f: impl FnOnce(&mut Ring) -> T) -> T {
        f(&mut self.0.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn publish(&self, index: LogIndex, events: Vec<Published>) {
        self.with_ring(|ring| ring.push(index, events));
        self.0.head.send_replace(index);
    }

    /// What led up to this entry is not known here.
    fn forget_before(&self, index: LogIndex) {
        self.with_ring(|ring| *ring = ring.emptied(index));
        self.0.head.send_replace(index);
        self.0.waiters.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A dropped sender wakes its receivers.
    fn wake_waiters(&self, outcome: &Outcome) {
        let ended = outcome.events.iter().filter_map(|event| match event {
            Event::Graph { graph, finished: true, .. } | Event::GraphRemoved { graph, .. } => Some(graph),
            Event::Graph { .. }
            | Event::Instances { .. }
            | Event::Rejected { .. }
            | Event::Forager { .. }
            | Event::ForagerForgotten { .. }
            | Event::Tool { .. } => None,
        });
        let mut waiters = self.0.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        for graph in ended {
            waiters.remove(graph);
        }
    }
}

impl EventReader {
    /// Waits for the events of one entry or more, complete and in order.
    pub(crate) async fn next(&mut self) -> Result<Vec<Arc<Published>>, Gone> {
        loop {
            self.head.borrow_and_update();
            let events = self.events.with_ring(|ring| ring.read(&mut self.cursor))?;
            if !events.is_empty() {
                return Ok(events);
            }
            if self.head.changed().await.is_err() {
                return Err(Gone { oldest: self.events.head() });
            }
        }
    }
}

async fn feed(events: Events, replica: Replica, mut outcomes: Outcomes, metrics: Metrics) {
    let leadership = replica.leadership();
    loop {
        match outcomes.next().await {
            Ok(outcome) if outcome.position.index <= events.head() => {}
            Ok(outcome) => {
                let leads = matches!(*leadership.borrow(), Leadership::Leading { .. });
                let mut published = Vec::new();
                for some in outcome.events.chunks(EVENTS_AT_ONCE) {
                    published.extend(replica.read(|state| {
                        if leads {
                            count::count(state, some, &metrics);
                        }
                        document::documents(state, outcome.position.index, some)
                    }));
                }
                events.publish(outcome.position.index, published);
                events.wake_waiters(&outcome);
            }
            Err(Gap::Installed(index)) => events.forget_before(index),
            Err(Gap::Lagged(missed)) => {
                tracing::warn!(missed, "the event stream fell behind: those who watch must look at the state again");
                events.forget_before(replica.read(|state| state.applied().index));
            }
            Err(Gap::Stopped) => {
                events.forget_before(LogIndex(u64::MAX));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_snapshot_ends_what_waits_for_the_entries_in_its_place() {
        let events = Events::from(LogIndex(10));
        let mut reader = events.after(LogIndex(10)).expect("it is kept");
        let (read, ()) = tokio::join!(reader.next(), async { events.forget_before(LogIndex(50)) });
        assert_eq!(read, Err(Gone { oldest: LogIndex(50) }));
        assert_eq!(events.after(LogIndex(49)).err(), Some(Gone { oldest: LogIndex(50) }));
        assert!(events.after(LogIndex(50)).is_ok());
    }
}
