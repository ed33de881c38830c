//! What changed, for those who watch.

use antfarm_model::{Fence, ForagerNo, GraphNo, Name};

use crate::command::RejectReason;
use crate::forager::ForagerState;
use crate::graph_record::GraphState;
use crate::instance::InstanceState;
use crate::instances::{Attempts, Instances};

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A graph is in another state, or is new.
    Graph {
        /// The graph.
        graph: GraphNo,
        /// The state that it is in now.
        state: GraphState,
        /// Nothing more will happen to it.
        finished: bool,
    },
    /// A graph is gone.
    GraphRemoved {
        /// The graph.
        graph: GraphNo,
        /// Its id.
        id: Name,
    },
    /// Instances are in another state.
    Instances {
        /// Which.
        instances: Instances,
        /// The state that all of them were in before.
        from: InstanceState,
        /// The state that they are in now.
        state: InstanceState,
        /// The attempt that brought it about, if one did.
        attempt: Option<(ForagerNo, Fence)>,
    },
    /// A forager would not run attempts.
    Rejected {
        /// The forager.
        forager: ForagerNo,
        /// Which.
        attempts: Attempts,
        /// How many of them were open.
        number: u32,
        /// Why.
        reason: RejectReason,
    },
    /// A forager is in another state, or registered again.
    Forager {
        /// The forager.
        forager: ForagerNo,
        /// The state that it is in now.
        state: ForagerState,
    },
    /// A forager that was lost for long is forgotten.
    ForagerForgotten {
        /// The forager.
        forager: ForagerNo,
        /// Its name.
        name: Name,
    },
    /// A tool's manifest was set or withdrawn.
    Tool {
        /// The tool.
        name: Name,
    },
}
