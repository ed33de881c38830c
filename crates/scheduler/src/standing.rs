//! What speaks against a forager: assignments that it would not run, and tools of which everything fails there at once.
//!
//! Three answers, each for a time that grows while nothing goes well, and each bounded:
//! a node backs off at a forager that would not run it; a forager that keeps rejecting is quarantined; a tool is
//! quarantined at a forager where everything of it fails quickly, while somebody else may still run it well.

use std::collections::BTreeMap;

use antfarm_model::{Elapsed, Fence, GraphNo, NodeNo, Span, ToolNo};
use serde::{Deserialize, Serialize};

use crate::command::RejectReason;
use crate::instances::InstanceId;

/// The wait of a node at a forager after the n-th rejection in a row: doubled each time, up to the longest.
const REJECT_WAIT: Span = Span(100);
const REJECT_WAIT_MAX: Span = Span(10_000);

/// Nodes whose back-off is kept for one forager; of more, the one that ends first is dropped.
const MAX_BACKOFFS: usize = 64;

/// Decisions in a row of which a forager rejects something until it is quarantined.
const REJECTS: u32 = 8;

/// Quick failures of a tool in a row, of different instances, until it is quarantined at the forager.
const FAILURES: u32 = 16;

/// A failure is quick if the attempt was open no longer than this.
const QUICK: Span = Span::from_secs(2);

/// How long the n-th quarantine in a row lasts: doubled each time, up to the longest.
const QUARANTINE: Span = Span::from_secs(30);
const QUARANTINE_MAX: Span = Span::from_secs(600);

/// The record of one forager.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Decisions in a row of which it rejected something.
    pub rejects: u32,
    /// Why it rejected last.
    pub last_reject: Option<RejectReason>,
    /// Until when it gets nothing, because it rejected too much in a row.
    pub quarantined_until: Option<Elapsed>,
    /// The newest assignment of which it rejected something: each counts once.
    rejected: Fence,
    /// How often in a row it was quarantined.
    quarantines: u32,
    /// Nodes that it would not run.
    backoffs: BTreeMap<(GraphNo, NodeNo), Backoff>,
    /// Tools of which everything failed of late.
    tools: BTreeMap<ToolNo, ToolStanding>,
}

/// A node that a forager would not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Backoff {
    rejects: u32,
    until: Elapsed,
}

/// A tool of which everything failed of late at a forager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStanding {
    /// Quick failures in a row, of different instances.
    pub failures: u32,
    /// Until when the forager gets nothing of the tool.
    pub quarantined_until: Option<Elapsed>,
    /// The instance that failed last.
    last: InstanceId,
    /// How often in a row the tool was quarantined.
    quarantines: u32,
}

impl Standing {
    /// Until when a node is not given to the forager, if it has to wait at all.
    pub fn backs_off(&self, graph: GraphNo, node: NodeNo, now: Elapsed) -> Option<Elapsed> {
        self.backoffs.get(&(graph, node)).map(|backoff| backoff.until).filter(|until| *until > now)
    }

    /// The nodes that wait for the end of a back-off.
    pub fn backoffs(&self, now: Elapsed) -> impl Iterator<Item = (GraphNo, NodeNo, Elapsed)> {
        let waiting = move |backoff: &Backoff| backoff.until > now;
        self.backoffs
            .iter()
            .filter(move |(_, backoff)| waiting(backoff))
            .map(|((graph, node), backoff)| (*graph, *node, backoff.until))
    }

    /// The tools of which everything failed of late.
    pub fn tools(&self) -> impl Iterator<Item = (ToolNo, &ToolStanding)> {
        self.tools.iter().map(|(tool, standing)| (*tool, standing))
    }

    /// Until when a tool is quarantined, if it is.
    pub fn tool_quarantined_until(&self, tool: ToolNo) -> Option<Elapsed> {
        self.tools.get(&tool)?.quarantined_until
    }

    /// Whether nothing of a tool failed quickly since it last went well.
    pub(crate) fn is_well_with(&self, tool: ToolNo) -> bool {
        !self.tools.contains_key(&tool)
    }

    /// An attempt of a node has started: what it rejected is forgiven.
    pub(crate) fn note_start(&mut self, graph: GraphNo, node: NodeNo) {
        self.rejects = 0;
        self.backoffs.remove(&(graph, node));
    }

    /// An attempt ended by itself, so the forager does work.
    pub(crate) fn note_end(&mut self) {
        self.rejects = 0;
    }

    /// An attempt succeeded. What happened to its tool is to be forgotten, too.
    pub(crate) fn note_success(&mut self) {
        self.rejects = 0;
        self.quarantines = 0;
    }

    /// It would not run attempts of a node, all of one assignment. Tells when its quarantine ends, if one begins.
    pub(crate) fn note_reject(
        &mut self,
        (graph, node): (GraphNo, NodeNo),
        fence: Fence,
        reason: RejectReason,
        now: Elapsed,
    ) -> Option<Elapsed> {
        self.last_reject = Some(reason);
        let backoff = self.backoffs.entry((graph, node)).or_insert(Backoff { rejects: 0, until: now });
        if backoff.until <= now {
            backoff.until = now.plus(doubled(REJECT_WAIT, backoff.rejects, REJECT_WAIT_MAX));
            backoff.rejects = backoff.rejects.saturating_add(1);
        }
        if self.backoffs.len() > MAX_BACKOFFS {
            let first = self.backoffs.iter().min_by_key(|(key, backoff)| (backoff.until, **key)).map(|(key, _)| *key);
            first.map(|key| self.backoffs.remove(&key));
        }
        if fence <= self.rejected {
            return None;
        }
        self.rejected = fence;
        self.rejects = self.rejects.saturating_add(1);
        if self.rejects < REJECTS || self.quarantined_until.is_some() {
            return None;
        }
        let until = now.plus(doubled(QUARANTINE, self.quarantines, QUARANTINE_MAX));
        self.quarantines = self.quarantines.saturating_add(1);
        self.quarantined_until = Some(until);
        Some(until)
    }

    /// An attempt that was open for so long failed. Tells whether there have been so many quick failures in a row that
    /// the tool should be quarantined, if that leaves anybody who may run it well.
    pub(crate) fn note_failure(&mut self, tool: ToolNo, instance: InstanceId, open_for: Span) -> bool {
        if open_for > QUICK {
            return false;
        }
        let fresh = ToolStanding { failures: 0, quarantined_until: None, last: instance, quarantines: 0 };
        let standing = self.tools.entry(tool).or_insert(fresh);
        if standing.failures > 0 && standing.last == instance {
            return false;
        }
        standing.last = instance;
        standing.failures = standing.failures.saturating_add(1);
        standing.quarantined_until.is_none() && standing.failures.is_multiple_of(FAILURES)
    }

    /// Quarantines a tool, and tells until when.
    pub(crate) fn quarantine_tool(&mut self, tool: ToolNo, now: Elapsed) -> Option<Elapsed> {
        let standing = self.tools.get_mut(&tool)?;
        let until = now.plus(doubled(QUARANTINE, standing.quarantines, QUARANTINE_MAX));
        standing.quarantines = standing.quarantines.saturating_add(1);
        standing.quarantined_until = Some(until);
        Some(until)
    }

    /// Ends the quarantine if it is over. The next rejection brings another, and a longer one.
    pub(crate) fn release(&mut self, now: Elapsed) {
        if self.quarantined_until.take_if(|until| *until <= now).is_some() {
            self.rejects = REJECTS - 1;
        }
    }

    /// Ends the quarantine of a tool if it is over. The next quick failure brings another, and a longer one.
    pub(crate) fn release_tool(&mut self, tool: ToolNo, now: Elapsed) {
        if let Some(standing) = self.tools.get_mut(&tool)
            && standing.quarantined_until.take_if(|until| *until <= now).is_some()
        {
            standing.failures = FAILURES - 1;
        }
    }

    /// Forgets what happened to a tool, and tells until when it was quarantined, if it was.
    pub(crate) fn forget_tool(&mut self, tool: ToolNo) -> Option<Elapsed> {
        self.tools.remove(&tool)?.quarantined_until
    }

    /// Whether it keeps its bounds: that many nodes, and no tool but those that the forager has.
    pub(crate) fn keeps_bounds(&self, has: impl Fn(ToolNo) -> bool) -> bool {
        self.backoffs.len() <= MAX_BACKOFFS && self.tools.keys().all(|tool| has(*tool))
    }
}

/// `first`, doubled `times` times, but at most `longest`.
fn doubled(first: Span, times: u32, longest: Span) -> Span {
    let factor = 1_u64.checked_shl(times).unwrap_or(u64::MAX);
    Span(first.0.saturating_mul(factor)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Elapsed = Elapsed(1_000_000);

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<u64> = [0, 1, 6, 7, 63, 64, 1_000].map(|times| doubled(Span(100), times, Span(10_000)).0).into();
        assert_eq!(waits, [100, 200, 6_400, 10_000, 10_000, 10_000, 10_000]);
    }

    #[test]
    fn of_too_many_back_offs_the_one_that_ends_first_is_dropped() {
        let mut standing = Standing::default();
        for node in 0..100 {
            standing.note_reject(
                (GraphNo(1), NodeNo(node)),
                Fence(1),
                RejectReason::NoSlot,
                NOW.plus(Span(node.into())),
            );
        }
        assert_eq!(standing.backoffs.len(), MAX_BACKOFFS);
        assert_eq!(standing.backs_off(GraphNo(1), NodeNo(35), NOW), None);
        assert_eq!(standing.backs_off(GraphNo(1), NodeNo(36), NOW), Some(NOW.plus(Span(136))));
        assert_eq!(standing.rejects, 1, "all of one assignment count once");
    }
}
