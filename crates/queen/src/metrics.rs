//! What this queen counts, and how it is shown to Prometheus.
//!
//! Counters rise while this queen leads, so that the sum over all queens counts each thing once. Gauges are read from
//! the state when somebody asks.

mod family;
mod histogram;
pub(crate) mod label;
mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use antfarm_model::CostClass;
use antfarm_replication::{ElectionCause, Replica, ReplicaStatus};
use antfarm_scheduler::{Ending, ForagerState, InstanceState, RejectReason, State};
use antfarm_storage::LogEngine;

use family::Family;
use histogram::Histogram;
use text::Page;

/// A cheap handle to the counters of one queen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Metrics(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    in_office: AtomicBool,
    leader_changes: AtomicU64,
    elections: Family,
    assignments: Family,
    results: Family,
    rejects: Family,
    reissues: Family,
    stale_messages: Family,
    assign_latency: Histogram,
    commit_latency: Histogram,
}

impl Metrics {
    /// Another member leads than before, or this one again in another term.
    pub(crate) fn leader_changed(&self) {
        self.0.leader_changes.fetch_add(1, Ordering::Relaxed);
    }

    /// This queen was elected, for this reason.
    pub(crate) fn elected(&self, cause: ElectionCause) {
        self.0.elections.add(cause.as_str(), 1);
    }

    /// This queen took office, or resigned.
    pub(crate) fn in_office(&self, is: bool) {
        self.0.in_office.store(is, Ordering::Relaxed);
    }

    /// Attempts were opened.
    pub(crate) fn assigned(&self, class: CostClass, number: u64) {
        self.0.assignments.add(class.as_str(), number);
    }

    /// Instances have come to an end, or to `needs_decision`.
    pub(crate) fn ended(&self, state: InstanceState, number: u64) {
        self.0.results.add(state.as_str(), number);
    }

    /// A forager would not run attempts.
    pub(crate) fn rejected(&self, reason: RejectReason, number: u64) {
        self.0.rejects.add(label::reject(reason), number);
    }

    /// An instance got another attempt after this one.
    pub(crate) fn reissued_after(&self, ending: Ending) {
        self.0.reissues.add(label::ending(ending), 1);
    }

    /// An instance got another attempt beside the one of a forager that is not heard.
    pub(crate) fn reissued_beside(&self) {
        self.0.reissues.add("suspect", 1);
    }

    /// A message of a former leadership, incarnation or attempt was ignored; `kind` is its `type`.
    pub(crate) fn stale_message(&self, kind: &'static str) {
        self.0.stale_messages.add(kind, 1);
    }

    /// An assignment was sent, so long after its instance had become ready.
    pub(crate) fn assign_latency(&self, latency: Duration) {
        self.0.assign_latency.observe(latency);
    }

    /// An entry was applied, so long after it was proposed.
    pub(crate) fn commit_latency(&self, latency: Duration) {
        self.0.commit_latency.observe(latency);
    }

    /// Everything in Prometheus' text format.
    pub(crate) fn render(&self, replica: &Replica, log: &dyn LogEngine, state_bytes: usize) -> String {
        let status = replica.status();
        let counters = &self.0;
        let mut page = Page::default();
        page.counter("antfarm_leader_changes_total", "Leaderships that this queen has seen begin.");
        page.value(&[], counters.leader_changes.load(Ordering::Relaxed));
        page.family("antfarm_elections_total", "Elections that this queen won.", "cause", &counters.elections);
        page.family("antfarm_assignments_total", "Attempts that were opened.", "class", &counters.assignments);
        page.family("antfarm_results_total", "Instances that came to an end.", "outcome", &counters.results);
        page.family("antfarm_rejects_total", "Attempts that foragers would not run.", "reason", &counters.rejects);
        page.family("antfarm_reissues_total", "Instances that got another attempt.", "cause", &counters.reissues);
        page.family("antfarm_stale_messages_total", "Messages that were too old.", "type", &counters.stale_messages);
        page.histogram("antfarm_assign_latency_seconds", "From ready to sent.", &counters.assign_latency);
        page.histogram("antfarm_commit_latency_seconds", "From proposed to applied.", &counters.commit_latency);
        page.gauge("antfarm_is_leader", "Whether this queen leads, as a quorum confirmed.");
        page.value(&[], u64::from(counters.in_office.load(Ordering::Relaxed)));
        log_metrics(&mut page, log);
        replication_gauges(&mut page, &status);
        page.gauge("antfarm_state_bytes", "Bytes of memory that the replicated state takes on this queen.");
        page.value(&[], state_bytes);
        replica.read(|state| state_gauges(&mut page, state, &status));
        page.finish()
    }
}

fn log_metrics(page: &mut Page, log: &dyn LogEngine) {
    page.gauge("antfarm_log_bytes", "Bytes of the entries in the log of this queen.");
    page.value(&[], log.log_bytes());
    let syncs = log.sync_times();
    page.sync_times("antfarm_fsync_seconds", "Syncs of the log to the disk.", &syncs);
    page.counter("antfarm_fsync_bytes_total", "Bytes of the log that were synced to the disk.");
    page.value(&[], syncs.bytes);
}

fn replication_gauges(page: &mut Page, status: &ReplicaStatus) {
    page.gauge("antfarm_commit_index", "The last entry that this queen knows to be committed.");
    page.value(&[], status.commit_index.0);
    page.gauge("antfarm_applied_index", "The last entry that this queen applied.");
    page.value(&[], status.applied_index.0);
    page.gauge("antfarm_log_entries", "Entries in the log of this queen.");
    page.value(&[], status.last_index.0.saturating_sub(status.purged_index.0));
    page.summary("antfarm_snapshot_seconds", "Snapshots that this queen has written.", status.snapshots);
    let meaning =
        "Entries that this queen has applied, and copies of its state for snapshots: no other entry is meanwhile.";
    page.summary("antfarm_apply_seconds", meaning, status.stalls);
    page.gauge("antfarm_apply_longest_seconds", "The longest of these since this queen started.");
    page.value(&[], status.stalls.longest.as_secs_f64());
}

/// O(foragers).
fn state_gauges(page: &mut Page, state: &State, status: &ReplicaStatus) {
    page.gauge("antfarm_epoch", "The epoch of the term that this queen is in.");
    page.value(&[], state.epoch(status.term).0);
    page.gauge("antfarm_graphs", "Graphs that have not been removed.");
    page.value(&[], state.graph_count() as u64);
    page.gauge("antfarm_ready_nodes", "Instances that could run.");
    for class in CostClass::ALL {
        page.value(&[("class", class.as_str())], state.ready_count(class));
    }
    let (mut open, mut slots, mut taken) = ([0_u64; CostClass::ALL.len()], 0_u64, 0_u64);
    let states = [
        ForagerState::Ready,
        ForagerState::Draining,
        ForagerState::Suspect,
        ForagerState::Lost,
        ForagerState::Quarantined,
    ];
    let mut foragers = [0_u64; 5];
    for forager in state.foragers() {
        for (sum, attempts) in open.iter_mut().zip(&forager.open) {
            *sum += attempts.len() as u64;
        }
        if let Some(position) = states.iter().position(|state| *state == forager.state()) {
            foragers[position] += 1;
        }
        if !forager.lost {
            slots += u64::from(forager.slots);
            taken += u64::from(forager.open_count());
        }
    }
    page.gauge("antfarm_open_attempts", "Attempts that are open.");
    for (class, number) in CostClass::ALL.iter().zip(open) {
        page.value(&[("class", class.as_str())], number);
    }
    page.gauge("antfarm_foragers", "Foragers that have registered.");
    for (state, number) in states.iter().zip(foragers) {
        page.value(&[("state", state.as_str())], number);
    }
    page.gauge("antfarm_slots", "Slots of the foragers that are not lost.");
    page.value(&[("state", "taken")], taken);
    page.value(&[("state", "free")], slots.saturating_sub(taken));
}
