//! Values of the domain and their validation: ids, time, task graphs, tool manifests, limits.
//!
//! Pure: no clock, socket, disk, thread or random number. Everything that arrives from outside becomes one of these
//! types or a list of [`Fault`]s that names every fault by its path.

mod digest;
pub mod document;
mod fault;
#[cfg(test)]
mod fuzz;
mod graph;
mod ids;
mod instance_name;
mod limits;
mod manifest;
pub mod pointer;
mod render;
mod rfc3339;
mod soundness;
mod time;
mod warnings;

pub use fault::Fault;
pub use graph::{Args, Dependency, Graph, Node, OnDeadline, OnFailure, Reference};
pub use ids::{Epoch, Fence, ForagerNo, GraphNo, Incarnation, InvalidName, LogIndex, MemberId, Name, NodeNo, ToolNo};
pub use instance_name::{InstanceName, InvalidInstanceName};
pub use limits::Limits;
pub use manifest::{Backoff, CostClass, EffectClass, Manifest};
pub use render::{RenderError, Results, render};
pub use rfc3339::InvalidTime;
pub use soundness::Unsound;
pub use time::{Elapsed, InvalidSpan, Span, WallTime};
