//! How much memory a node takes that waits: resident memory before and after many of them.

use std::fmt::Write as _;
use std::fs;

use anyhow::Context;

use super::farm::Farm;

/// The graphs in which the nodes are.
pub(super) const GRAPHS: u32 = 100;

/// Bytes for each node.
pub(super) struct Memory {
    /// By which the process grew.
    pub(super) resident: u64,
    /// That the state counts.
    pub(super) counted: u64,
}

/// What each node takes, of so many in [`GRAPHS`] graphs. The name of each has 20 characters; it refers to the results
/// of two others and has 100 bytes of arguments beside.
pub(super) fn of_open_nodes(nodes: u32) -> anyhow::Result<Memory> {
    let in_each = nodes.div_ceil(GRAPHS);
    let counted = |farm: &Farm| (farm.state.snapshot().bytes() + farm.state.index_bytes()) as u64;
    let mut farm = Farm::empty();
    farm.submit(&linked(GRAPHS, in_each, "noop")); // what parsing leaves behind is there before it counts
    let (before, counted_before) = (resident()?, counted(&farm));
    (0..GRAPHS).for_each(|graph| farm.submit(&linked(graph, in_each, "noop")));
    let grown = resident()?.saturating_sub(before);
    assert_eq!(farm.state.graph_count(), GRAPHS as usize + 1, "all are open");
    let number = u64::from(in_each * GRAPHS);
    Ok(Memory { resident: grown / number, counted: (counted(&farm) - counted_before) / number })
}

/// The resident memory of this process, in bytes.
fn resident() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/status").context("the size of this process cannot be read")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("its status has no VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().context("its VmRSS is no number of kB")?;
    Ok(kib << 10)
}

/// A graph in which each node refers to the two before it, as lines of JSON.
pub(in crate::bench) fn linked(number: u32, nodes: u32, tool: &str) -> String {
    let filling = "x".repeat(100);
    let mut text = format!("{{\"id\":\"graph-{number}\"}}\n");
    for node in 0..nodes {
        let references: Vec<String> = (1..=2)
            .filter_map(|back| node.checked_sub(back))
            .map(|of| format!("{{\"$ref\":\"{}\"}}", id(of)))
            .collect();
        let args = format!("[\"{filling}\",[{}]]", references.join(","));
        writeln!(text, "{{\"id\":\"{}\",\"tool\":\"{tool}\",\"args\":{args}}}", id(node)).expect("a String takes all");
    }
    text
}

/// 20 characters.
fn id(node: u32) -> String {
    format!("node-{node:015}")
}
