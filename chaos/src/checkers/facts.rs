//! Starts and ends as both sides know them, and how a history of real processes is translated into them.

use std::collections::BTreeMap;

use antfarm_model::{Epoch, Fence, ForagerNo, GraphNo, NodeNo};
use antfarm_scheduler::{AttemptId, InstanceId};

use super::Violation;
use crate::history::{Evidence, Line, Mark};

/// What happened, in order, by the history's own clock in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A leader sent an assignment; whether its entry was committed then.
    Dispatched { epoch: Epoch, attempt: AttemptId, committed: bool },
    /// A forager learnt of an epoch.
    EpochSeen { forager: ForagerNo, epoch: Epoch },
    /// A forager started an attempt, on the word of a leader of that epoch; whether it may overlap with others.
    Started { forager: ForagerNo, epoch: Epoch, attempt: AttemptId, may_overlap: bool, at: u64 },
    /// A started attempt runs no more.
    Ended { attempt: AttemptId, at: u64 },
}

/// A tool's first line may come so much later than the forager's decision to start it, on a machine that has other things
/// to do: so long after its own first line in an epoch a forager counts as one that has seen it, in milliseconds.
const START_SLACK_MS: u64 = 2_000;

/// Numbers for names, in the order in which they appear.
#[derive(Default)]
struct Numbers<'a>(BTreeMap<&'a str, u32>);

impl<'a> Numbers<'a> {
    fn of(&mut self, name: &'a str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(name).or_insert(next)
    }
}

/// What a checker of facts says, in the names that stand in the ledger.
pub(super) fn in_names(evidence: &Evidence, checked: Result<(), Violation>) -> Result<(), Violation> {
    checked.map_err(|mut violation| {
        let mut names = Names::default();
        let mut legend = BTreeMap::new();
        for line in &evidence.ledger {
            let name = format!("{}/{}[{}] with fence {}", line.graph, line.node, line.index, line.fence);
            legend.insert(names.attempt(line).to_string(), name);
        }
        // From the last to the first: of two numbers, one of which begins with the other, the longer comes first.
        for (number, name) in legend.iter().rev() {
            violation.what = violation.what.replace(number, name);
        }
        violation
    })
}

/// Names of a ledger as numbers.
#[derive(Default)]
struct Names<'a> {
    graphs: Numbers<'a>,
    nodes: Numbers<'a>,
    foragers: Numbers<'a>,
}

impl<'a> Names<'a> {
    fn attempt(&mut self, line: &'a Line) -> AttemptId {
        let graph = GraphNo(u64::from(self.graphs.of(&line.graph)));
        let instance = InstanceId { graph, node: NodeNo(self.nodes.of(&line.node)), index: line.index };
        AttemptId { instance, fence: Fence(line.fence) }
    }

    fn started(&mut self, line: &'a Line) -> Fact {
        let (forager, attempt) = (ForagerNo(self.foragers.of(&line.forager)), self.attempt(line));
        Fact::Started { forager, epoch: Epoch(line.epoch), attempt, may_overlap: false, at: line.at }
    }
}

/// Starts and ends in the order of the ledger. An attempt that left no end was over after its last sign of life.
pub(super) fn runs(evidence: &Evidence) -> Vec<Fact> {
    let mut names = Names::default();
    let mut last_signs = BTreeMap::new();
    for (place, line) in evidence.ledger.iter().enumerate() {
        last_signs.insert(names.attempt(line), place);
    }
    let facts = evidence.ledger.iter().enumerate().flat_map(|(place, line)| {
        let attempt = names.attempt(line);
        let started = (line.event == Mark::Start).then(|| names.started(line));
        let ended = (last_signs.get(&attempt) == Some(&place)).then_some(Fact::Ended { attempt, at: line.at });
        started.into_iter().chain(ended).collect::<Vec<_>>()
    });
    facts.collect()
}

/// Starts, each with whether the log holds an assignment with its fence at the index that the fence names.
pub(super) fn dispatches(evidence: &Evidence) -> Vec<Fact> {
    let assigned: std::collections::BTreeSet<_> = evidence
        .log
        .changes()
        .filter(|change| change.state == "assigned" && change.fence == Some(change.index))
        .map(|change| (change.graph, change.node, change.instance, change.index))
        .collect();
    let mut names = Names::default();
    let seen = evidence.ledger.iter().filter(|line| line.event == Mark::Start && evidence.log.coverage.has(line.fence));
    let facts = seen.map(|line| {
        let (graph, node, index) = line.instance();
        let committed = assigned.contains(&(graph, node, index, line.fence));
        Fact::Dispatched { epoch: Epoch(line.epoch), attempt: names.attempt(line), committed }
    });
    facts.collect()
}

/// Starts with their epochs. A forager has seen an epoch a while after it has started something in it.
pub(super) fn fencing(evidence: &Evidence) -> Vec<Fact> {
    let mut names = Names::default();
    let mut facts = Vec::new();
    for line in evidence.ledger.iter().filter(|line| line.event == Mark::Start) {
        let started = names.started(line);
        let seen = Fact::EpochSeen { forager: ForagerNo(names.foragers.of(&line.forager)), epoch: Epoch(line.epoch) };
        facts.push((line.at, started));
        facts.push((line.at + START_SLACK_MS, seen));
    }
    facts.sort_by_key(|(at, _)| *at);
    facts.into_iter().map(|(_, fact)| fact).collect()
}
