//! What a run, or several, contained.

use std::collections::BTreeMap;
use std::fmt;

use crate::checkers::Agreement;
use crate::history::{Call, Evidence, FaultKind, Mark, What};

/// What a run, or several, contained.
#[derive(Debug, Default)]
pub(super) struct Tally {
    runs: u64,
    /// Faults that were confirmed, by kind.
    faults: BTreeMap<FaultKind, u64>,
    /// Graphs that were acknowledged.
    submissions: u64,
    /// Operations of clients.
    operations: u64,
    /// Starts in the ledger.
    attempts: u64,
    elections: u64,
    /// What the two checks of linearizability looked at.
    orders: Agreement,
}

impl Tally {
    /// What a history shows.
    pub(super) fn of(evidence: &Evidence, orders: Agreement) -> Self {
        let mut tally = Self { runs: 1, operations: evidence.ops.len() as u64, orders, ..Self::default() };
        for (kind, _, confirmed) in faults(evidence) {
            *tally.faults.entry(kind).or_default() += u64::from(confirmed);
        }
        let acknowledged = evidence.succeeded().filter_map(|success| match &success.op.call {
            Call::Submit { graph } => Some(&graph.id),
            Call::Conflict { .. } | Call::Cancel { .. } | Call::Read { .. } | Call::Decide { .. } => None,
        });
        tally.submissions = acknowledged.collect::<std::collections::BTreeSet<_>>().len() as u64;
        tally.attempts = evidence.ledger.iter().filter(|line| line.event == Mark::Start).count() as u64;
        tally.elections =
            evidence.records.iter().filter(|record| matches!(record.what, What::Leads { .. })).count() as u64;
        tally
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        for (kind, number) in &other.faults {
            *self.faults.entry(*kind).or_default() += number;
        }
        self.submissions += other.submissions;
        self.operations += other.operations;
        self.attempts += other.attempts;
        self.elections += other.elections;
        self.orders.graphs += other.orders.graphs;
        self.orders.witnessed += other.orders.witnessed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.faults.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
        write!(
            f,
            "{} runs, faults: {}, {} submissions, {} operations, {} attempts, {} elections, \
             orders found for {} graphs and confirmed by the log for {}",
            self.runs,
            faults.join(" + "),
            self.submissions,
            self.operations,
            self.attempts,
            self.elections,
            self.orders.graphs,
            self.orders.witnessed
        )
    }
}

/// All faults of a history: what kind, to whom, and whether it was confirmed.
pub(super) fn faults(evidence: &Evidence) -> Vec<(FaultKind, String, bool)> {
    let mut faults = BTreeMap::new();
    for record in &evidence.records {
        if let What::FaultOn { fault, kind, on, confirmed_by } = &record.what {
            faults.insert(fault, (*kind, on.clone(), confirmed_by.is_some()));
        } else if let What::FaultOff { fault, confirmed_by: Some(_) } = &record.what
            && let Some((_, _, confirmed)) = faults.get_mut(fault)
        {
            *confirmed = true;
        }
    }
    faults.into_values().collect()
}
