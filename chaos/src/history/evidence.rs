//! A whole history with what follows from it at once: operations, graphs, the log as events showed it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::event_log::EventLog;
use super::graph::GraphSpec;
use super::ledger::{self, Line};
use super::record::{Call, GraphShown, Plan, Record, What};

/// What the checkers look at.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) records: Vec<Record>,
    pub(crate) ledger: Vec<Line>,
    /// In the order in which they were invoked.
    pub(crate) ops: Vec<Op>,
    /// All graphs that anybody ever tried to submit.
    pub(crate) graphs: BTreeMap<String, GraphSpec>,
    pub(crate) log: EventLog,
    /// A moment by the clock of records, in microseconds, and the wall time then, in milliseconds.
    clock: Option<(u64, u64)>,
}

/// An operation of a client.
#[derive(Debug, Clone)]
pub(crate) struct Op {
    pub(crate) client: String,
    pub(crate) queen: u16,
    pub(crate) call: Call,
    /// The place of its invocation in the history.
    pub(crate) invoked: usize,
    /// What came of it, and the place of that.
    pub(crate) returned: Option<(usize, Outcome)>,
}

/// What came of an operation.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Ok { status: u16, index: u64, life: Option<u32>, graph: Option<GraphShown> },
    Fail { status: u16 },
    Unknown,
}

impl Evidence {
    /// Reads `history.jsonl` and `ledger` in a folder.
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
        };
        let records = read("history.jsonl")?;
        let records = records.lines().enumerate().map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} of the history is damaged", number + 1))
        });
        Ok(Self::new(records.collect::<anyhow::Result<_>>()?, ledger::read(&read("ledger")?)?))
    }

    /// Derives what follows from records and ledger.
    pub(crate) fn new(records: Vec<Record>, ledger: Vec<Line>) -> Self {
        let ops = operations(&records);
        let submitted = ops.iter().filter_map(|op| match &op.call {
            Call::Submit { graph } => Some((graph.id.clone(), graph.clone())),
            Call::Conflict { .. } | Call::Cancel { .. } | Call::Read { .. } | Call::Decide { .. } => None,
        });
        let graphs = submitted.collect();
        let log = EventLog::of(&records);
        let clock = records.iter().find_map(|record| {
            if let What::Clock { wall_ms } = &record.what { Some((record.at_us, *wall_ms)) } else { None }
        });
        Self { records, ledger, ops, graphs, log, clock }
    }

    /// What the run was to be.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.records.iter().find_map(|record| if let What::Plan(plan) = &record.what { Some(plan) } else { None })
    }

    /// The wall time of a moment, if anybody has written down what time it was.
    pub(crate) fn wall_ms(&self, at_us: u64) -> Option<u64> {
        let (clock_us, wall_ms) = self.clock?;
        (wall_ms + at_us / 1_000).checked_sub(clock_us / 1_000)
    }

    /// How graphs stood at the end.
    pub(crate) fn finals(&self) -> BTreeMap<&str, (&GraphShown, &BTreeMap<String, serde_json::Value>)> {
        let finals = self.records.iter().filter_map(|record| {
            let What::Final { graph, results } = &record.what else { return None };
            Some((graph.id.as_str(), (graph, results)))
        });
        finals.collect()
    }

    /// Operations that were answered with a success: the operation, the place of the answer, and the answer.
    pub(crate) fn succeeded(&self) -> impl Iterator<Item = Success<'_>> {
        self.ops.iter().filter_map(|op| match &op.returned {
            Some((returned, Outcome::Ok { status, index, life, graph })) => Some(Success {
                op,
                returned: *returned,
                status: *status,
                index: *index,
                life: *life,
                graph: graph.as_ref(),
            }),
            Some((_, Outcome::Fail { .. } | Outcome::Unknown)) | None => None,
        })
    }
}

/// An operation that was answered with a success.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Success<'a> {
    pub(crate) op: &'a Op,
    pub(crate) returned: usize,
    pub(crate) status: u16,
    pub(crate) index: u64,
    pub(crate) life: Option<u32>,
    pub(crate) graph: Option<&'a GraphShown>,
}

fn operations(records: &[Record]) -> Vec<Op> {
    let mut ops: BTreeMap<u64, Op> = BTreeMap::new();
    for (place, record) in records.iter().enumerate() {
        if let What::Invoke { op, queen, call } = &record.what {
            let (client, call) = (record.by.clone(), call.clone());
            ops.insert(*op, Op { client, queen: *queen, call, invoked: place, returned: None });
        }
        let (op, outcome) = if let What::Ok { op, status, index, life, graph } = &record.what {
            (op, Outcome::Ok { status: *status, index: *index, life: *life, graph: graph.clone() })
        } else if let What::Fail { op, status, .. } = &record.what {
            (op, Outcome::Fail { status: *status })
        } else if let What::Info { op, .. } = &record.what {
            (op, Outcome::Unknown)
        } else {
            continue;
        };
        if let Some(op) = ops.get_mut(op) {
            op.returned = Some((place, outcome));
        }
    }
    let mut ops: Vec<Op> = ops.into_values().collect();
    ops.sort_by_key(|op| op.invoked);
    ops
}
