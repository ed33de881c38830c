//! Mistakes that are made on purpose, in builds of their own, to show that the checkers would find them.
//!
//! Product code asks [`planted`] where a mistake could be made. In a normal build the answer is the constant `false`: the
//! compiler removes the mistake, and nothing can bring it back, no variable, file or argument. Built with
//! `--cfg planted_bugs` a process may make one of them, which it chooses once, by [`plant`]; `chaos -- score` does that for
//! each in turn.

mod bug;
mod choice;

pub use bug::Bug;
pub use choice::{noise, plant, planted};

/// Stands in every program that can make a mistake on purpose, and in no other.
pub const MARK: &str = "this program was built to make mistakes on purpose";
