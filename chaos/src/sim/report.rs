//! What simulated runs contained, and whether it was what they were to contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use super::run::Finished;
use crate::history::{Evidence, FaultKind, Mark, What};

/// Under so many seeds, chance alone may have left out a kind of fault.
const ENOUGH_SEEDS: u64 = 50;

/// What runs contained.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) seeds: u64,
    simulated: Duration,
    elections: u64,
    /// How often each kind was asked for, and how often it was confirmed.
    faults: BTreeMap<FaultKind, (u64, u64)>,
    commits: u64,
    /// That were assigned, and that left a mark in the ledger.
    attempts: u64,
    started: u64,
    submissions: u64,
    lost_foragers: u64,
    snapshots: u64,
    connections: u64,
    bytes: u64,
}

impl Report {
    /// What one run contained.
    pub(super) fn of(finished: &Finished) -> Self {
        let evidence = &finished.evidence;
        let mut report = Self {
            seeds: 1,
            simulated: finished.simulated,
            snapshots: finished.snapshots,
            connections: finished.network.connections,
            bytes: finished.network.bytes,
            ..Self::default()
        };
        let mut epochs = BTreeSet::new();
        for record in &evidence.records {
            if let What::Leads { epoch, .. } = &record.what {
                epochs.insert(*epoch);
            } else if let What::Position { applied, .. } = &record.what {
                report.commits = report.commits.max(*applied);
            } else if let What::Ok { status: 201, .. } = &record.what {
                report.submissions += 1;
            }
        }
        report.elections = epochs.len() as u64;
        for (kind, confirmed) in faults(evidence) {
            let (asked, fired) = report.faults.entry(kind).or_default();
            *asked += 1;
            *fired += u64::from(confirmed);
        }
        report.attempts = evidence.log.changes().filter(|change| change.state == "assigned").count() as u64;
        report.started = evidence.ledger.iter().filter(|line| line.event == Mark::Start).count() as u64;
        let events = evidence.log.entries.values().flatten();
        let lost = events.filter(|event| event.r#type == "forager" && event.state.as_deref() == Some("lost"));
        report.lost_foragers = lost.count() as u64;
        report
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.simulated += other.simulated;
        self.elections += other.elections;
        for (kind, (asked, fired)) in &other.faults {
            let sum = self.faults.entry(*kind).or_default();
            *sum = (sum.0 + asked, sum.1 + fired);
        }
        self.commits += other.commits;
        self.attempts += other.attempts;
        self.started += other.started;
        self.submissions += other.submissions;
        self.lost_foragers += other.lost_foragers;
        self.snapshots += other.snapshots;
        self.connections += other.connections;
        self.bytes += other.bytes;
    }

    /// The kinds of fault that were asked for, or should have been among so many seeds, and never happened.
    pub(super) fn missing(&self, kinds: &[FaultKind]) -> Vec<FaultKind> {
        let fired = |kind: &FaultKind| self.faults.get(kind).is_some_and(|(_, fired)| *fired > 0);
        kinds.iter().copied().filter(|kind| self.seeds >= ENOUGH_SEEDS && !fired(kind)).collect()
    }

    /// How much faster than the clock on the wall it was.
    pub(super) fn ratio(&self, took: Duration) -> f64 {
        self.simulated.as_secs_f64() / took.as_secs_f64().max(f64::EPSILON)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.faults.iter().map(|(kind, (asked, fired))| format!("{fired}/{asked} {kind}"));
        write!(
            f,
            "{} seeds, {:.2} simulated hours, {} elections, faults that took effect of those that were tried: {}; {} commits, {} submissions, {} attempts ({} with marks in the ledger), {} lost foragers, {} snapshots, {} connections, {} MB",
            self.seeds,
            self.simulated.as_secs_f64() / 3_600.0,
            self.elections,
            faults.collect::<Vec<_>>().join(", "),
            self.commits,
            self.submissions,
            self.attempts,
            self.started,
            self.lost_foragers,
            self.snapshots,
            self.connections,
            self.bytes >> 20,
        )
    }
}

/// All faults of a run, and whether they were confirmed.
fn faults(evidence: &Evidence) -> Vec<(FaultKind, bool)> {
    let mut faults: Vec<(u64, FaultKind, bool)> = Vec::new();
    for record in &evidence.records {
        if let What::FaultOn { fault, kind, .. } = &record.what {
            faults.push((*fault, *kind, false));
        } else if let What::FaultOff { fault, confirmed_by: Some(_) } = &record.what {
            faults.iter_mut().filter(|(number, ..)| number == fault).for_each(|(_, _, confirmed)| *confirmed = true);
        }
    }
    faults.into_iter().map(|(_, kind, confirmed)| (kind, confirmed)).collect()
}
