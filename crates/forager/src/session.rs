//! Connections to queens: one line for each address, which always has a session or tries to open one.

mod line;
mod pump;
mod socket;

use antfarm_protocol::{ForagerMessage, MAX_MESSAGES, QueenMessage};
use tokio::sync::mpsc;

use crate::config::QueenAddress;

pub(crate) use line::{Line, Surroundings};

/// Messages that wait to be sent. A session that falls further behind is closed. A whole presentation fits in four times.
const OUTGOING_MESSAGES: usize = 4 * MAX_MESSAGES;

/// One connection; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SessionNo(pub(crate) u64);

/// What a session tells the foreman.
#[derive(Debug)]
pub(crate) enum Event {
    /// It is there. What is sent together becomes one frame; dropping the sender ends it.
    Opened {
        /// Which.
        session: SessionNo,
        /// With whom.
        address: QueenAddress,
        /// To talk to it.
        outgoing: mpsc::Sender<ForagerMessage>,
    },
    /// A queen said something.
    Received {
        /// Which.
        session: SessionNo,
        /// What, in order.
        messages: Vec<QueenMessage>,
    },
    /// It is gone.
    Closed {
        /// Which.
        session: SessionNo,
    },
}
