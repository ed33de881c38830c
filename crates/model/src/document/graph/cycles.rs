//! Cycles among the dependencies: one is told for every group of nodes that wait for each other.

use std::collections::{BTreeMap, VecDeque};

use crate::document::faults::Faults;
use crate::document::quote::quote;
use crate::{Name, Node};

use super::declared::Declarations;

/// Nodes of a cycle that are named.
const NAMED_NODES: usize = 10;

/// Adds a fault for every strongly connected component of more than one node.
pub(super) fn check(nodes: &[Node], declared: &Declarations<'_, '_>, faults: &mut Faults) {
    for component in components(nodes) {
        let position = declared.nodes[component[0]].position;
        declared.with_path(component[0], |path| {
            faults.add(path, position, || describe(&cycle(nodes, &component), declared));
        });
    }
}

/// The nodes that a node waits for.
fn dependencies(node: &Node) -> impl Iterator<Item = usize> {
    let references = node.args.references.iter().map(|reference| reference.of);
    references.chain(node.after.iter().copied()).map(|dependency| dependency.node.0 as usize)
}

/// A node that the search has reached.
#[derive(Clone, Copy)]
struct Reached {
    /// The earliest node, by order of arrival, that it is known to lead back to.
    low: usize,
    /// Whether its component is still open.
    is_open: bool,
}

/// The strongly connected components of more than one node, each in submission order.
///
/// Tarjan, «Depth-first search and linear graph algorithms», 1972, with the recursion on the heap.
fn components(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut reached: Vec<Option<Reached>> = vec![None; nodes.len()];
    let mut arrivals = 0;
    let mut open = Vec::new();
    let mut path = Vec::new();
    for root in 0..nodes.len() {
        let mut next = reached[root].is_none().then_some(root);
        loop {
            if let Some(node) = next.take() {
                reached[node] = Some(Reached { low: arrivals, is_open: true });
                open.push(node);
                path.push((node, arrivals, dependencies(&nodes[node])));
                arrivals += 1;
            }
            let Some((node, arrival, rest)) = path.last_mut() else { break };
            let (node, arrival) = (*node, *arrival);
            if let Some(dependency) = rest.next() {
                match reached[dependency] {
                    None => next = Some(dependency),
                    Some(other) if other.is_open => lower(&mut reached[node], other.low),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let low = reached[node].map_or(arrival, |this| this.low);
            if let Some((parent, ..)) = path.last() {
                lower(&mut reached[*parent], low);
            }
            if low == arrival {
                let begin = open.iter().rposition(|other| *other == node).expect("an open node is in the list");
                let mut component = open.split_off(begin);
                for node in &component {
                    reached[*node] = Some(Reached { low, is_open: false });
                }
                if component.len() > 1 {
                    component.sort_unstable();
                    found.push(component);
                }
            }
        }
    }
    found
}

fn lower(reached: &mut Option<Reached>, low: usize) {
    if let Some(reached) = reached {
        reached.low = reached.low.min(low);
    }
}

/// A shortest cycle through the first node of a component, from that node on, each node before the one that it waits for.
fn cycle(nodes: &[Node], component: &[usize]) -> Vec<usize> {
    let first = component[0];
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for dependency in dependencies(&nodes[node]).filter(|other| component.binary_search(other).is_ok()) {
            if dependency == first {
                let mut cycle = vec![node];
                while let Some(before) = came_from.get(&cycle[cycle.len() - 1]) {
                    cycle.push(*before);
                }
                cycle.reverse();
                return cycle;
            }
            came_from.entry(dependency).or_insert_with(|| {
                queue.push_back(dependency);
                node
            });
        }
    }
    component.to_vec()
}

fn describe(cycle: &[usize], declared: &Declarations<'_, '_>) -> String {
    let name = |node: &usize| match declared.nodes[*node].name {
        Some(name) if Name::new(name).is_ok() => name.to_owned(),
        name => quote(name.unwrap_or_default()),
    };
    let mut names: Vec<String> = cycle.iter().take(NAMED_NODES).map(name).collect();
    if cycle.len() > NAMED_NODES {
        names.push("…".to_owned());
    }
    names.push(name(&cycle[0]));
    format!("is in a cycle of {} nodes, each waiting for the next: {}", cycle.len(), names.join(" → "))
}
