//! Hostile bytes for decoders: what no decoder may do with them, and the bytes themselves.
//!
//! A [`Target`] is a decoder with samples of what it reads. Running it feeds the decoder with its corpus, with beginnings
//! of its samples, and with mutations of both, on one thread with a small stack. It fails if the decoder panics, if it
//! takes more memory than its input accounts for, or if what it read does not keep what the target promises of it.
//!
//! The crate is for tests only: whoever links it counts allocations, on each thread for itself. `DESIGN.md` beside it
//! lists all targets.

mod dice;
mod fault;
mod measure;
mod mutation;
mod run;
mod session;
mod smallest;
mod target;

pub use target::Target;
