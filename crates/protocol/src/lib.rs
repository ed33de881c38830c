//! What crosses a socket between queens and foragers: messages, their two encodings, and the bounds of both.
//!
//! Pure: no clock, socket, disk, thread or random number. `DESIGN.md` beside this crate shows every message and says
//! what may be retried.

mod attempt;
mod bounds;
mod codec;
mod direction;
mod error;
mod forager_message;
mod frame;
#[cfg(test)]
mod fuzz;
mod json;
mod json_text;
mod outcome;
mod queen_message;
mod running_digest;
mod wire;

pub use attempt::AttemptRef;
pub use bounds::{LARGEST_FRAME_BYTES, LARGEST_LOG_BYTES, LARGEST_TEXT_BYTES, MAX_ATTEMPTS, MAX_MESSAGES, MAX_NAMES};
pub use codec::{Codec, Message};
pub use error::{Bounded, DecodeError, EncodeError};
pub use forager_message::{
    Accept, Cancelled, ClassSlots, ForagerMessage, Heartbeat, Hello, Load, Log, Reject, RejectReason, Returned,
    TaskResult,
};
pub use frame::Frame;
pub use json_text::{InvalidJson, JsonText};
pub use outcome::{FailureKind, Outcome};
pub use queen_message::{
    Assign, Cancel, CancelReason, Confirmed, HeartbeatAck, LogRequest, MemberAddress, QueenMessage, Recall, Refused,
    Welcome, Work,
};
pub use running_digest::RunningDigest;
