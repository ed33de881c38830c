//! What clients submit and what its programs are, on real machines and simulated ones.

mod graphs;
mod programs;

pub(crate) use graphs::graph;
pub(crate) use programs::{PROGRAMS, Program};
