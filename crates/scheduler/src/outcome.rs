//! What apply answers: for each command a reply or a refusal, and what changed.

use std::sync::Arc;

use antfarm_model::{Epoch, ForagerNo, GraphNo, Incarnation, Name, WallTime};

use crate::command::VerdictKind;
use crate::entry::Position;
use crate::event::Event;

/// The answer to an entry, the same on every replica.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The entry.
    pub position: Position,
    /// One answer for each command, in order.
    pub answers: Vec<Result<Reply, Refusal>>,
    /// What changed, in order.
    pub events: Vec<Event>,
}

/// The answer «yes».
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Done, or it was so already.
    Done,
    /// The graph is there.
    Submitted {
        /// Its number.
        graph: GraphNo,
        /// Whether this command brought it.
        new: bool,
    },
    /// The forager is registered.
    Registered {
        /// Its number.
        forager: ForagerNo,
        /// Its incarnation.
        incarnation: Incarnation,
    },
    /// The instance is decided.
    Decided {
        /// Whether this command brought it about; otherwise the same was decided before, and nothing has changed.
        new: bool,
    },
}

/// The answer «no». Nothing has changed, but what the text says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The entry was decided in another leadership than the one that wrote it.
    #[error("decided in epoch {decided}, written in epoch {written}")]
    StaleEpoch {
        /// Of the decision.
        decided: Epoch,
        /// Of the entry.
        written: Epoch,
    },
    /// The bytes of the graph are no graph.
    #[error("the submitted bytes are no graph: {0}")]
    BadGraph(crate::codec::CodecError),
    /// The bytes are a graph that this program would not have made.
    #[error("the submitted bytes are no sound graph: {0}")]
    UnsoundGraph(antfarm_model::Unsound),
    /// A result is larger than any may be.
    #[error("a result may have at most {} bytes", crate::Command::MAX_RESULT_BYTES)]
    ResultTooLarge,
    /// Parts of the upload are missing.
    #[error("the upload is incomplete or was dropped after waiting too long: submit again")]
    UploadIncomplete,
    /// There are too many unfinished uploads.
    #[error("too many unfinished uploads: try again later")]
    TooManyUploads,
    /// Another graph has that id.
    #[error(
        "another graph with the id {0} exists, and a graph is never changed: choose another id (`antfarm submit --id`)"
    )]
    GraphConflict(Name),
    /// A removed graph had that id not long ago.
    #[error("the id {0} belonged to a graph that was removed not long ago: choose another id (`antfarm submit --id`)")]
    IdTaken(Name),
    /// Nodes name tools that have no manifest.
    #[error("{} without a manifest: declare each with `antfarm tool apply`, then submit again", tools(.0))]
    UnknownTools(Vec<Name>),
    /// There is no such graph.
    #[error("there is no such graph")]
    UnknownGraph,
    /// The graph has ended.
    #[error("the graph has ended")]
    GraphEnded,
    /// The graph has not ended.
    #[error("the graph has not ended: cancel it first, and wait until nothing of it runs")]
    GraphActive,
    /// There is no such tool.
    #[error("there is no tool {0}")]
    UnknownTool(Name),
    /// Graphs that have not been removed use the tool.
    #[error(
        "graphs use the tool {0}, if only as a record of what ran: delete them first, or wait until they are removed"
    )]
    ToolInUse(Name),
    /// There is no such forager.
    #[error("there is no such forager")]
    UnknownForager,
    /// The forager has registered again since.
    #[error("the forager has registered again since")]
    StaleIncarnation,
    /// Another process holds the name, and its lease is not over.
    #[error(
        "the name {0} belongs to another process, which is heard or whose lease is not over: give this one another name, \
         start it with the data folder of that one, or stop that one and wait until its lease is over"
    )]
    NameHeld(Name),
    /// The attempt is not open at this forager: it was closed before, or never opened.
    #[error("the attempt is not open at this forager")]
    UnknownAttempt,
    /// The instance is not ready.
    #[error("the instance is not ready")]
    NotReady,
    /// The forager takes no work now.
    #[error("the forager takes no work now")]
    ForagerUnavailable,
    /// The forager has no free slot.
    #[error("the forager has no free slot")]
    NoSlot,
    /// The forager does not have the tool.
    #[error("the forager does not have the tool")]
    NoSuchToolThere,
    /// The node is pinned to another forager.
    #[error("the node is pinned to another forager")]
    PinnedElsewhere,
    /// There is no such instance.
    #[error("there is no such instance")]
    UnknownInstance,
    /// The instance needs no decision.
    #[error("the instance needs no decision")]
    NothingToDecide,
    /// The decision names another attempt than the one whose fate is unknown.
    #[error("the decision names another attempt than the one whose fate is unknown: look at the node again")]
    WrongFence,
    /// The former attempt may still run.
    #[error(
        "the end of the former attempt is not proven: make sure that it has ended, then decide with --assume-ended"
    )]
    EndNotProven,
    /// Somebody has decided about that attempt before.
    #[error("{by} decided {} about this attempt at {at}: nothing was changed; look at the node again", .verdict.as_str())]
    AlreadyDecided {
        /// Who.
        by: Arc<str>,
        /// What.
        verdict: VerdictKind,
        /// When.
        at: WallTime,
    },
    /// The forager would not run this node not long ago.
    #[error("the forager would not run this node not long ago: it is asked again after a back-off")]
    BacksOff,
    /// The tool is quarantined at the forager.
    #[error("the forager gets nothing of this tool for a while, because it failed too much of it in a row")]
    ToolQuarantined,
}

fn tools(names: &[Name]) -> String {
    let list: Vec<&str> = names.iter().map(Name::as_str).collect();
    if let [one] = list.as_slice() {
        format!("the tool {one} is")
    } else {
        format!("the tools {} are", list.join(", "))
    }
}
