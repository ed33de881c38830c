//! The replicated state machine and the leader's decisions.
//!
//! Pure: [`State::apply`] is the only thing that changes state; it is total and deterministic and has no effects.
//! [`decide()`] looks at a state and proposes commands; it may be wrong or late, since apply checks everything again.
//! What a forager should run follows from the state ([`State::forager`]); nothing is sent from here.

mod apply;
mod chunked;
mod codec;
mod command;
mod decide;
mod draft;
mod entry;
mod event;
mod explain;
mod forager;
mod graph_record;
mod in_flight;
mod index;
mod instance;
mod instances;
mod invariants;
mod lease;
mod memo;
mod memory;
mod outcome;
mod render;
mod rows;
mod shape;
mod shared_map;
mod snapshot;
mod standing;
mod state;
mod turns;

pub use chunked::Chunked;
pub use codec::CodecError;
pub use command::{
    AttemptOutcome, Command, Decision, FailureKind, GraphSource, Registration, RejectReason, Verdict, VerdictKind,
};
pub use decide::{Budget, Contact, Foreseen, Liveness, Now, Policy, decide, foresee, recalls};
pub use draft::{Draft, Drafts};
pub use entry::{Entry, Position};
pub use event::Event;
pub use explain::{Cause, Explanation, Obstacle, Reason, explain};
pub use forager::{Attempt, CancelReason, Forager, ForagerState};
pub use graph_record::{Counts, GraphPhase, GraphRecord, GraphState};
pub use in_flight::InFlight;
pub use instance::{
    AttemptTimes, ClosedAttempt, Decided, Ending, Instance, InstanceState, OlderAttempts, OpenAttempt, Story,
};
pub use instances::{AttemptId, Attempts, InstanceId, Instances};
pub use lease::{LeaseTerms, stall};
pub use outcome::{Outcome, Refusal, Reply};
pub use shape::{GraphSpec, NodeSpec, Shape};
pub use snapshot::{LoadError, Snapshot};
pub use standing::{Standing, ToolStanding};
pub use state::State;
