//! `task.assign`: run an attempt.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, Epoch, Incarnation, Name};
use serde::{Deserialize, Serialize};

use crate::attempt::AttemptRef;
use crate::json_text::JsonText;

/// Run an attempt. Sent again whenever the leader is not sure; the forager starts it once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Flat", from = "Flat")]
pub struct Assign {
    /// The leader's epoch.
    pub epoch: Epoch,
    /// To which incarnation; any other ignores it.
    pub incarnation: Incarnation,
    /// Which attempt.
    pub attempt: AttemptRef,
    /// The how-manieth attempt at this instance it is, from 1.
    pub attempt_number: u32,
    /// How long it is until the deadline.
    pub deadline_ms: Option<u64>,
    /// What is to be done.
    pub work: Arc<Work>,
}

/// What is to be done: the same for all instances of a node, which share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The graph's name.
    pub graph_id: Name,
    /// The node's name.
    pub node_id: Name,
    /// Whether the node is an array, so that the index means something to the tool.
    pub array: bool,
    /// The tool.
    pub tool: Name,
    /// What repeating it would do.
    pub effects: EffectClass,
    /// How dear it is; which slots it takes.
    pub class: CostClass,
    /// What the tool is given; references are replaced by results.
    pub args: JsonText,
    /// How long it may run. The queen watches it and cancels.
    pub timeout_ms: u64,
}

impl Assign {
    /// The same for all attempts at an instance, another for every instance and every submission:
    /// `graph@submission-index/node[/index]`.
    pub fn idempotency_key(&self) -> String {
        let Work { graph_id, node_id, array, .. } = &*self.work;
        let AttemptRef { graph, index, .. } = self.attempt;
        if *array { format!("{graph_id}@{graph}/{node_id}/{index}") } else { format!("{graph_id}@{graph}/{node_id}") }
    }

    /// Whether the other one is an attempt at the next instance of the same node, and the same in everything else.
    pub(crate) fn is_followed_by(&self, next: &Self) -> bool {
        self.attempt.is_followed_by(&next.attempt)
            && (self.epoch, self.incarnation) == (next.epoch, next.incarnation)
            && (self.attempt_number, self.deadline_ms) == (next.attempt_number, next.deadline_ms)
            && (Arc::ptr_eq(&self.work, &next.work) || self.work == next.work)
    }
}

/// The fields as they stand in JSON, all side by side.
#[derive(Serialize, Deserialize)]
struct Flat {
    epoch: Epoch,
    incarnation: Incarnation,
    attempt: AttemptRef,
    graph_id: Name,
    node_id: Name,
    #[serde(default)]
    array: bool,
    tool: Name,
    effects: EffectClass,
    class: CostClass,
    args: JsonText,
    attempt_number: u32,
    #[serde(skip_deserializing)]
    idempotency_key: String,
    timeout_ms: u64,
    #[serde(default)]
    deadline_ms: Option<u64>,
}

impl From<Assign> for Flat {
    fn from(assign: Assign) -> Self {
        let idempotency_key = assign.idempotency_key();
        let Assign { epoch, incarnation, attempt, attempt_number, deadline_ms, work } = assign;
        let Work { graph_id, node_id, array, tool, effects, class, args, timeout_ms } = Arc::unwrap_or_clone(work);
        Self {
            epoch,
            incarnation,
            attempt,
            graph_id,
            node_id,
            array,
            tool,
            effects,
            class,
            args,
            attempt_number,
            idempotency_key,
            timeout_ms,
            deadline_ms,
        }
    }
}

impl From<Flat> for Assign {
    fn from(flat: Flat) -> Self {
        let Flat { epoch, incarnation, attempt, graph_id, node_id, array, tool, effects, class, .. } = flat;
        let Flat { args, attempt_number, timeout_ms, deadline_ms, .. } = flat;
        let work = Arc::new(Work { graph_id, node_id, array, tool, effects, class, args, timeout_ms });
        Self { epoch, incarnation, attempt, attempt_number, deadline_ms, work }
    }
}
