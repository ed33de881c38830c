//! What speaks against a graph that is valid: deadlines that its own time-outs do not leave time for.

use crate::{Fault, Graph, Node, Span, WallTime};

impl Graph {
    /// Warnings that are told of one graph.
    pub const MAX_WARNINGS: usize = 20;

    /// The deadlines that the graph may miss by what it declares itself, at most [`Graph::MAX_WARNINGS`] of them: when
    /// every attempt takes as long as its declared time-out allows, and none has to be repeated. A node without a time-out
    /// of its own counts as taking no time, and one with a deadline as settled by then. O(nodes and dependencies).
    pub fn warnings(&self, now: WallTime) -> Vec<Fault> {
        if self.nodes.iter().all(|node| node.deadline.is_none()) {
            return Vec::new();
        }
        let latest = LatestEnds::of(&self.nodes, now);
        let warning = |(place, node): (usize, &Node)| {
            let message = latest.warning(place, node, node.deadline?, now)?;
            Some(Fault { path: format!("nodes.{}.deadline", node.id), position: None, message })
        };
        self.nodes.iter().enumerate().filter_map(warning).take(Self::MAX_WARNINGS).collect()
    }
}

/// By when each node has ended if everything takes as long as it may.
struct LatestEnds(Vec<Option<WallTime>>);

impl LatestEnds {
    /// A search in depth, with the recursion on the heap.
    fn of(nodes: &[Node], now: WallTime) -> Self {
        let mut latest = Self(vec![None; nodes.len()]);
        let mut entered = vec![false; nodes.len()];
        let mut path = Vec::new();
        for root in 0..nodes.len() {
            let mut next = (!std::mem::replace(&mut entered[root], true)).then_some(root);
            loop {
                if let Some(place) = next.take() {
                    path.push((place, dependencies(&nodes[place])));
                }
                let Some((place, rest)) = path.last_mut() else { break };
                let place = *place;
                if let Some(dependency) = rest.next() {
                    next = (!std::mem::replace(&mut entered[dependency], true)).then_some(dependency);
                } else {
                    path.pop();
                    let node = &nodes[place];
                    let end = latest.start(node, now).plus(node.timeout.unwrap_or_default());
                    latest.0[place] = Some(node.deadline.map_or(end, |deadline| end.min(deadline.max(now))));
                }
            }
        }
        latest
    }

    /// By when everything that a node waits for has ended, and its own time has come.
    fn start(&self, node: &Node, now: WallTime) -> WallTime {
        let ended = dependencies(node).filter_map(|dependency| self.0[dependency]);
        ended.chain(node.not_before).fold(now, WallTime::max)
    }

    fn warning(&self, place: usize, node: &Node, deadline: WallTime, now: WallTime) -> Option<String> {
        assert!(self.0[place].is_some(), "every node was reached");
        if deadline <= now {
            return Some(format!("{deadline} has passed: the node expires at once, and never runs"));
        }
        let (start, own) = (self.start(node, now), node.timeout.unwrap_or_default());
        let end = start.plus(own);
        (end > deadline).then(|| {
            let before = Span(start.0 - now.0);
            format!(
                "by its declared time-outs the graph may miss it by {}: what comes before the node may take {before} from \
                 now on and the node itself {own}, even if nothing has to be repeated; shorten time-outs, or allow more time",
                Span(end.0 - deadline.0)
            )
        })
    }
}

fn dependencies(node: &Node) -> impl Iterator<Item = usize> {
    let references = node.args.references.iter().map(|reference| reference.of);
    references.chain(node.after.iter().copied()).map(|dependency| dependency.node.0 as usize)
}
