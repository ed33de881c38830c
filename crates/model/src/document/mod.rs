//! Documents from outside: text becomes a bounded [`Tree`] with positions, and the tree becomes checked values.
//!
//! ```text
//!  bytes ── json / yaml / ndjson ──► Tree ── graph/ ──► Graph
//!                │                             │
//!                └───────── Fault, Fault, … ◄──┘      all of them, by path
//! ```
//!
//! Typed deserialisation stops at the first fault; this does not. Every reader is bounded in bytes, values and depth
//! before it allocates.

mod bounds;
mod duplicates;
mod faults;
mod fields;
mod graph;
mod json;
mod json_string;
mod manifest;
mod ndjson;
mod path;
mod place;
mod quote;
mod read;
mod suggestion;
mod tree;
mod write;
mod yaml;
mod yaml_scalar;

pub use bounds::{MAX_DEPTH, VALUES_PER_NODE};
pub use faults::MAX_FAULTS;
pub use graph::{MAX_RETRIES, graph, graph_from_tree, graph_with_id, parse_ndjson_graph};
pub use manifest::{BackoffDocument, ManifestDocument};
pub use read::parse;
pub use suggestion::ending as did_you_mean;
pub use tree::{Key, Position, Tree, Value};
