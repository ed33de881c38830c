//! What a run did, of real processes or simulated ones: a list of records by one clock, and the ledger of the tools that ran.
//!
//! Everything that a checker looks at stands in two files, `history.jsonl` and `ledger`, so a run can be judged again by
//! a later checker. The order of the records is the order in which they were written down, under one lock: an answer
//! that stands before a request was there before the request was sent.

mod answers;
mod attempt;
mod consensus;
mod coverage;
mod event_log;
mod evidence;
mod graph;
mod ledger;
mod record;
mod recorder;

pub(crate) use answers::metric;
pub(crate) use attempt::{AttemptName, AttemptStep, Closer, HostileEnd, OpenAttempt};
pub(crate) use consensus::{Ballot, Claim, DiskStep, EntryId, Membership, Progress, Span};
pub(crate) use event_log::Event;
pub(crate) use evidence::{Evidence, Op, Outcome, Success};
pub(crate) use graph::{GraphSpec, NodeSpec, Tool};
pub(crate) use ledger::{Line, Mark};
pub(crate) use record::{
    Call, FaultKind, ForagerSeen, Goal, GraphShown, Phase, Plan, QueenStatus, Record, Verdict as DecidedVerdict, What,
};
pub(crate) use recorder::{Recorder, Scribe};
