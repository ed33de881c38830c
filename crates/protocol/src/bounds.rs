//! How large frames, lists and texts may be.

/// No frame is larger, whatever a configuration says.
pub const LARGEST_FRAME_BYTES: usize = 64 << 20;

/// Messages in one frame.
pub const MAX_MESSAGES: usize = 16_384;

/// Attempts in one list. Three such lists as JSON, which is what a hello may hold, fit into a frame of 4 MiB.
pub const MAX_ATTEMPTS: usize = 16_384;

/// Tools of a forager, or members of a cluster, in one list.
pub const MAX_NAMES: usize = 1_024;

/// A text for people or an address, in bytes: longer ones are cut by those who write them.
pub const LARGEST_TEXT_BYTES: usize = 8 << 10;

/// The kept end of a program's standard error, in bytes. What is no UTF-8 takes up to three times as much when it is sent.
pub const LARGEST_LOG_BYTES: usize = 64 << 10;
