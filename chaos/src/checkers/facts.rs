//! Starts and ends as both sides know them, and how a history of real processes is translated into them.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{Epoch, Fence, ForagerNo, GraphNo, NodeNo};
use antfarm_scheduler::{AttemptId, InstanceId};

use super::Violation;
use crate::history::{AttemptName, AttemptStep, Call, DecidedVerdict, Evidence, Line, Mark, What};

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
        let mut names = Names::of(evidence);
        let mut legend = BTreeMap::new();
        for name in all_names(evidence) {
            let words = format!("{}/{}[{}] with fence {}", name.graph, name.node, name.instance, name.fence);
            legend.insert(names.attempt(name).to_string(), words);
        }
        // From the last to the first: of two numbers, one of which begins with the other, the longer comes first.
        for (number, name) in legend.iter().rev() {
            violation.what = violation.what.replace(number, name);
        }
        violation
    })
}

/// How documents name an attempt.
#[derive(Clone, Copy)]
struct Name<'a> {
    graph: &'a str,
    node: &'a str,
    instance: u32,
    fence: u64,
}

fn name_of(line: &Line) -> Name<'_> {
    Name { graph: &line.graph, node: &line.node, instance: line.index, fence: line.fence }
}

impl<'a> From<&'a AttemptName> for Name<'a> {
    fn from(name: &'a AttemptName) -> Self {
        Self { graph: &name.graph, node: &name.node, instance: name.instance, fence: name.fence }
    }
}

/// All attempts that the ledger shows, or somebody saw who could look inside of foragers.
fn all_names(evidence: &Evidence) -> impl Iterator<Item = Name<'_>> {
    let inside = evidence.records.iter().filter_map(|record| {
        if let What::Attempt { attempt, .. } = &record.what { Some(Name::from(attempt)) } else { None }
    });
    evidence.ledger.iter().map(name_of).chain(inside)
}

/// Names as numbers, the same for all facts of a history.
#[derive(Default)]
struct Names<'a> {
    graphs: Numbers<'a>,
    nodes: Numbers<'a>,
    foragers: Numbers<'a>,
}

impl<'a> Names<'a> {
    fn of(evidence: &'a Evidence) -> Self {
        let mut names = Self::default();
        for name in all_names(evidence) {
            names.attempt(name);
        }
        names
    }

    fn attempt(&mut self, name: Name<'a>) -> AttemptId {
        let graph = GraphNo(u64::from(self.graphs.of(name.graph)));
        let instance = InstanceId { graph, node: NodeNo(self.nodes.of(name.node)), index: name.instance };
        AttemptId { instance, fence: Fence(name.fence) }
    }

    fn forager(&mut self, name: &'a str) -> ForagerNo {
        ForagerNo(self.foragers.of(name))
    }

    fn started(&mut self, line: &'a Line) -> Fact {
        let (forager, attempt) = (self.forager(&line.forager), self.attempt(name_of(line)));
        Fact::Started { forager, epoch: Epoch(line.epoch), attempt, may_overlap: false, at: line.at }
    }
}

/// Everything that happened inside of foragers, in the order in which it happened.
pub(super) fn inside(evidence: &Evidence) -> Vec<Fact> {
    let mut names = Names::of(evidence);
    let facts = evidence.records.iter().filter_map(|record| {
        let at = record.at_us / 1_000;
        if let What::Learnt { forager, epoch, .. } = &record.what {
            return Some(Fact::EpochSeen { forager: names.forager(forager), epoch: Epoch(*epoch) });
        }
        let What::Attempt { forager, attempt, may_overlap, step, .. } = &record.what else { return None };
        let (forager, attempt) = (names.forager(forager), names.attempt(attempt.into()));
        match step {
            AttemptStep::Starts { epoch } => {
                Some(Fact::Started { forager, epoch: Epoch(*epoch), attempt, may_overlap: *may_overlap, at })
            }
            AttemptStep::Ends => Some(Fact::Ended { attempt, at }),
            AttemptStep::Confirmed | AttemptStep::Forgotten => None,
        }
    });
    facts.collect()
}

/// Attempts whose instances somebody had begin again, who vouched for the end of what was unknown: graph, node, index,
/// fence.
fn vouched_for(evidence: &Evidence) -> BTreeSet<(&str, &str, u32, u64)> {
    let decisions = evidence.ops.iter().filter_map(|op| {
        let Call::Decide { graph, node, index, fence, verdict: DecidedVerdict::Retry } = &op.call else { return None };
        Some((graph.as_str(), node.as_str(), *index, *fence))
    });
    decisions.collect()
}

/// Starts and ends in the order of the ledger. An attempt that left no end was over after its last sign of life, or, if
/// somebody has vouched for its end, when the next one started.
pub(super) fn runs(evidence: &Evidence) -> Vec<Fact> {
    let mut names = Names::of(evidence);
    let vouched_for = vouched_for(evidence);
    let mut last_signs = BTreeMap::new();
    for (place, line) in evidence.ledger.iter().enumerate() {
        last_signs.insert(names.attempt(name_of(line)), place);
    }
    let facts = evidence.ledger.iter().enumerate().flat_map(|(place, line)| {
        let attempt = names.attempt(name_of(line));
        let (graph, node, instance) = line.instance();
        let before = vouched_for.range((graph, node, instance, 0)..(graph, node, instance, line.fence));
        let before = before.filter(|_| line.event == Mark::Start).map(|(.., fence)| {
            let attempt = names.attempt(Name { graph, node, instance, fence: *fence });
            Fact::Ended { attempt, at: line.at }
        });
        let before: Vec<Fact> = before.collect();
        let started = (line.event == Mark::Start).then(|| names.started(line));
        let ended = (last_signs.get(&attempt) == Some(&place)).then_some(Fact::Ended { attempt, at: line.at });
        before.into_iter().chain(started).chain(ended).collect::<Vec<_>>()
    });
    facts.collect()
}

/// Starts, each with whether the log holds an assignment with its fence at the index that the fence names.
pub(super) fn dispatches(evidence: &Evidence) -> Vec<Fact> {
    let assigned: BTreeSet<_> = evidence
        .log
        .changes()
        .filter(|change| change.state == "assigned" && change.fence == Some(change.index))
        .map(|change| (change.graph, change.node, change.instance, change.index))
        .collect();
    let mut names = Names::of(evidence);
    let seen = evidence.ledger.iter().filter(|line| line.event == Mark::Start && evidence.log.coverage.has(line.fence));
    let facts = seen.map(|line| {
        let (graph, node, index) = line.instance();
        let committed = assigned.contains(&(graph, node, index, line.fence));
        Fact::Dispatched { epoch: Epoch(line.epoch), attempt: names.attempt(name_of(line)), committed }
    });
    facts.collect()
}

/// Starts with their epochs. A forager has seen an epoch a while after it has started something in it.
pub(super) fn fencing(evidence: &Evidence) -> Vec<Fact> {
    let mut names = Names::of(evidence);
    let mut facts = Vec::new();
    for line in evidence.ledger.iter().filter(|line| line.event == Mark::Start) {
        let started = names.started(line);
        let seen = Fact::EpochSeen { forager: names.forager(&line.forager), epoch: Epoch(line.epoch) };
        facts.push((line.at, started));
        facts.push((line.at + START_SLACK_MS, seen));
    }
    facts.sort_by_key(|(at, _)| *at);
    facts.into_iter().map(|(_, fact)| fact).collect()
}
