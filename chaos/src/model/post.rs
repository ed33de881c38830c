//! Messages to foragers: what was once sent may arrive at any time later, in any order, any number of times, or never.
//!
//! So they are sets to which is added. A message that could have no effect any more is taken out, which changes nothing
//! but the number of states.

use super::world::{ATTEMPTS, FORAGERS, LEADERS};

/// An answer to a hello, in the session of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Welcome {
    pub(super) process: u8,
    pub(super) incarnation: u8,
}

/// What one leader has sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Sent {
    /// To which incarnation each attempt was assigned.
    pub(super) assigns: [Option<u8>; ATTEMPTS],
    /// At which incarnation each attempt was cancelled.
    pub(super) cancels: [Option<u8>; ATTEMPTS],
    pub(super) confirmed: [bool; ATTEMPTS],
    pub(super) welcomes: [Option<Welcome>; FORAGERS],
}

/// What every leader has sent.
pub(super) type Post = [Sent; LEADERS];
