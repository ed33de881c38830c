//! The stores that are put to the test.

pub(crate) mod journal;
pub(crate) mod log;
pub(crate) mod small_file;
pub(crate) mod snapshots;

use crate::crash_states::subject::Subject;

/// All stores that are written through the `Disk` trait.
pub(crate) const ON_DISK: [Subject; 3] = [snapshots::SNAPSHOTS, journal::JOURNAL, small_file::SMALL_FILE];

/// Bytes that differ from place to place and from step to step, and are never zero.
pub(crate) fn payload(step: usize, length: usize) -> Vec<u8> {
    (0..length).map(|place| u8::try_from((step * 31 + place * 7 + place / 251) % 255).unwrap_or_default() + 1).collect()
}
