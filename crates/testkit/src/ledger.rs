//! What `append` nodes really did, by the file that they wrote to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// An instance by the names that stand in the ledger.
pub type Instance = (String, String, u32);

/// A ledger that runs may be appending to.
#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
}

/// One try of an instance, as the ledger shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Who ran it.
    pub forager: String,
    /// Its fence.
    pub fence: u64,
    /// The epoch in which it was sent.
    pub epoch: u64,
    /// The line of its start, from 0.
    pub start_line: usize,
    /// Milliseconds since 1970.
    pub started_at: u64,
    /// The line of its end; nothing if it never came to it.
    pub end_line: Option<usize>,
    /// Milliseconds since 1970.
    pub ended_at: Option<u64>,
}

#[derive(Deserialize)]
struct Line {
    event: String,
    graph: String,
    node: String,
    index: u32,
    fence: u64,
    epoch: u64,
    forager: String,
    at: u64,
}

impl Ledger {
    /// A ledger in a file that need not be there yet.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Where it is, as arguments of `append` name it.
    pub fn path(&self) -> &str {
        self.path.to_str().expect("a temporary folder has a name in UTF-8")
    }

    /// How many lines stand in it.
    pub fn len(&self) -> usize {
        let text = fs::read_to_string(&self.path).unwrap_or_default(); // as long as nobody has written
        text.lines().count()
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All attempts by instance, in the order in which they began. Panics when the ledger makes no sense: an end without
    /// a start, or a second start or end of one attempt.
    pub fn attempts(&self) -> BTreeMap<Instance, Vec<Attempt>> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let complete = text.rsplit_once('\n').map_or("", |(complete, _)| complete);
        let mut attempts: BTreeMap<Instance, Vec<Attempt>> = BTreeMap::new();
        for (number, line) in complete.lines().enumerate() {
            let line: Line = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("line {number} of the ledger: {error}: {line}"));
            let of = attempts.entry((line.graph, line.node, line.index)).or_default();
            let known = of.iter_mut().find(|attempt| attempt.fence == line.fence);
            match (line.event.as_str(), known) {
                ("start", None) => of.push(Attempt {
                    forager: line.forager,
                    fence: line.fence,
                    epoch: line.epoch,
                    start_line: number,
                    started_at: line.at,
                    end_line: None,
                    ended_at: None,
                }),
                ("end", Some(attempt)) if attempt.end_line.is_none() => {
                    attempt.end_line = Some(number);
                    attempt.ended_at = Some(line.at);
                }
                (event, known) => panic!("line {number} of the ledger: {event} of an attempt that is {known:?}"),
            }
        }
        attempts
    }

    /// The attempts of a node that is no array.
    pub fn attempts_of(&self, graph: &str, node: &str) -> Vec<Attempt> {
        self.attempts().remove(&(graph.to_owned(), node.to_owned(), 0)).unwrap_or_default()
    }

    /// When something was first started in a higher epoch than this, in milliseconds since 1970.
    pub fn first_start_above_epoch(&self, epoch: u64) -> Option<u64> {
        let attempts = self.attempts();
        attempts.values().flatten().filter(|attempt| attempt.epoch > epoch).map(|attempt| attempt.started_at).min()
    }

    /// Asserts that nothing was started in this epoch after a moment (S4), in milliseconds since 1970.
    pub fn nothing_started_in_epoch_after(&self, epoch: u64, at: u64) {
        let attempts = self.attempts();
        let late = attempts.iter().flat_map(|(instance, of)| of.iter().map(move |attempt| (instance, attempt)));
        let late: Vec<_> = late.filter(|(_, attempt)| attempt.epoch == epoch && attempt.started_at > at).collect();
        assert!(late.is_empty(), "these were started in epoch {epoch} after {at}: {late:?}");
    }

    /// Asserts that exactly these nodes of a graph began, each once, and that each came to its end (S5).
    pub fn each_node_started_exactly_once<'n>(&self, graph: &str, nodes: impl IntoIterator<Item = &'n str>) {
        let attempts = self.attempts();
        let of_graph = attempts.iter().filter(|((of, _, _), _)| of == graph);
        let mut seen = BTreeSet::new();
        for ((_, node, index), attempts) in of_graph {
            assert_eq!(attempts.len(), 1, "{graph}/{node}[{index}] was started {} times: {attempts:?}", attempts.len());
            assert!(attempts[0].end_line.is_some(), "{graph}/{node}[{index}] never ended: {attempts:?}");
            seen.insert(node.as_str());
        }
        let expected: BTreeSet<&str> = nodes.into_iter().collect();
        let missing: Vec<_> = expected.difference(&seen).collect();
        let foreign: Vec<_> = seen.difference(&expected).collect();
        assert!(
            missing.is_empty() && foreign.is_empty(),
            "{graph}: never started {missing:?}; not of the graph {foreign:?}"
        );
    }

    /// Asserts that no two attempts of an instance ran at the same time (S6), and that fences rise (S24).
    pub fn no_overlapping_attempts(&self) {
        for (instance, attempts) in self.attempts() {
            for pair in attempts.windows(2) {
                let [former, next] = pair else { unreachable!("windows have two") };
                assert!(former.fence < next.fence, "the fences of {instance:?} fall: {pair:?}");
                let was_over = former.end_line.is_none_or(|end| end < next.start_line);
                assert!(was_over, "two attempts of {instance:?} overlapped: {pair:?}");
            }
        }
    }

    /// Asserts that no child began before all its parents had ended (S8). By the order of lines, so no clock is involved.
    pub fn children_after_parents<'n>(&self, graph: &str, edges: impl IntoIterator<Item = (&'n str, &'n str)>) {
        let attempts = self.attempts();
        let of = |node: &str| &attempts[&(graph.to_owned(), node.to_owned(), 0)];
        for (parent, child) in edges {
            let ended = of(parent).iter().filter_map(|attempt| attempt.end_line).max();
            let began = of(child).iter().map(|attempt| attempt.start_line).min();
            assert!(
                ended.is_some() && ended < began,
                "{child} began at line {began:?}, and its parent {parent} ended at line {ended:?}"
            );
        }
    }

    /// Of each child, the milliseconds from the end of its last parent to its own start, in rising order.
    pub fn ready_to_start_ms<'n>(&self, graph: &str, edges: impl IntoIterator<Item = (&'n str, &'n str)>) -> Vec<u64> {
        let attempts = self.attempts();
        let of =
            |node: &str| attempts.get(&(graph.to_owned(), node.to_owned(), 0)).and_then(|attempts| attempts.first());
        let mut ready_at: BTreeMap<&str, u64> = BTreeMap::new();
        for (parent, child) in edges {
            let ended = of(parent).and_then(|attempt| attempt.ended_at).unwrap_or_default();
            let ready = ready_at.entry(child).or_default();
            *ready = ended.max(*ready);
        }
        let started = ready_at.iter().filter_map(|(child, ready)| Some(of(child)?.started_at.saturating_sub(*ready)));
        let mut latencies: Vec<u64> = started.collect();
        latencies.sort_unstable();
        latencies
    }
}

#[cfg(test)]
mod tests;
