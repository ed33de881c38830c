//! One module for each command.

pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod events;
pub(crate) mod fence;
pub(crate) mod forager;
pub(crate) mod graph;
pub(crate) mod keeper;
pub(crate) mod node;
pub(crate) mod queen;
pub(crate) mod submit;
pub(crate) mod tool;
pub(crate) mod version;
