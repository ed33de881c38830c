//! What is submitted: the same number of nodes, in one of several patterns.

use std::fmt::Write as _;

use antfarm_forager::Calls;
use antfarm_model::{CostClass, EffectClass, GraphNo, Manifest, Name, NodeNo};
use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;

use crate::tools_file::Tool;

/// Nodes that follow each other in a chain.
const CHAIN: u32 = 10;

/// The tool that is a program.
const PROGRAM: &str = "true";

/// How nodes are submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pattern {
    /// As instances of one node
    Array,
    /// Each by its name
    Listed,
    /// In chains of ten, each after the one before it
    Chains,
    /// As instances of one node that runs /bin/true
    Program,
}

/// A graph that is to be submitted.
pub(super) struct Document {
    pub(super) id: String,
    /// In lines of JSON: the graph, then its nodes.
    pub(super) body: String,
    nodes: u32,
    /// Of each node.
    instances: u32,
}

impl Pattern {
    /// Nodes that tell enough, where nobody says another number.
    pub(super) fn nodes(self) -> u32 {
        match self {
            Self::Array => 400_000,
            Self::Listed | Self::Program => 100_000,
            Self::Chains => 1_000 * CHAIN,
        }
    }

    /// Graphs, where nobody says another number.
    pub(super) fn graphs(self) -> u32 {
        if self == Self::Listed { 100 } else { 1 }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Listed => "listed",
            Self::Chains => "chains",
            Self::Program => "program",
        }
    }

    /// What foragers need for it beside their built-in tools.
    pub(super) fn tools(self) -> anyhow::Result<Vec<Tool>> {
        if self != Self::Program {
            return Ok(Vec::new());
        }
        let name = Name::new(PROGRAM).context("it has the form of a name")?;
        let manifest = Manifest { effects: EffectClass::Pure, ..Manifest::new(name, CostClass::Cpu) };
        Ok(vec![Tool { manifest, command: Some(vec!["/bin/true".to_owned()]) }])
    }

    /// Graphs with about so many nodes in all: a chain is never cut, and no graph is empty.
    pub(super) fn documents(self, name: &str, nodes: u32, graphs: u32) -> Vec<Document> {
        let each = nodes.div_ceil(graphs);
        (0..graphs).map(|number| self.document(format!("{name}-{number}"), each)).collect()
    }

    fn document(self, id: String, nodes: u32) -> Document {
        let mut body = format!("{{\"id\":\"{id}\"}}\n");
        let mut line = |node: std::fmt::Arguments<'_>| writeln!(body, "{{{node}}}").expect("a String takes all");
        let (nodes, instances) = match self {
            Self::Array | Self::Program => {
                let tool = if self == Self::Program { PROGRAM } else { "noop" };
                line(format_args!("\"id\":\"each\",\"tool\":\"{tool}\",\"array\":{{\"count\":{nodes}}}"));
                (1, nodes)
            }
            Self::Listed => {
                (0..nodes).for_each(|node| line(format_args!("\"id\":\"node-{node}\",\"tool\":\"noop\"")));
                (nodes, 1)
            }
            Self::Chains => {
                for chain in 0..nodes.div_ceil(CHAIN) {
                    line(format_args!("\"id\":\"chain-{chain}-0\",\"tool\":\"noop\""));
                    for place in 1..CHAIN {
                        let former = place - 1;
                        line(format_args!(
                            "\"id\":\"chain-{chain}-{place}\",\"tool\":\"noop\",\"after\":[\"chain-{chain}-{former}\"]"
                        ));
                    }
                }
                (nodes.div_ceil(CHAIN) * CHAIN, 1)
            }
        };
        Document { id, body, nodes, instances }
    }
}

impl Document {
    pub(super) fn instance_count(&self) -> u64 {
        u64::from(self.nodes) * u64::from(self.instances)
    }

    /// The calls of tools that it takes, once it is the submission of that number.
    pub(super) fn calls(&self, number: GraphNo) -> Calls {
        let mut calls = Calls::default();
        for node in 0..self.nodes {
            (0..self.instances).for_each(|index| calls.note(number, NodeNo(node), index));
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Limits, document};

    use super::*;

    #[test]
    fn every_pattern_is_a_sound_graph_with_as_many_instances_as_it_says() {
        for pattern in Pattern::value_variants() {
            for document in pattern.documents("work", 60, 3) {
                let graph = document::parse_ndjson_graph(document.body.as_bytes(), &Limits::default());
                let graph = graph.unwrap_or_else(|faults| panic!("{pattern:?}: {faults:?}"));
                assert_eq!(document.instance_count(), 20, "{pattern:?}");
                assert_eq!(document.calls(GraphNo(1)).number, 20, "{pattern:?}");
                assert_eq!(graph.nodes.len(), document.nodes as usize, "{pattern:?}");
            }
        }
    }

    #[test]
    fn a_chain_is_not_cut() {
        let documents = Pattern::Chains.documents("work", 12, 1);
        assert_eq!(documents[0].instance_count(), 20);
    }
}
