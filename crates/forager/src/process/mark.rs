//! How a process is told from a stranger that got its number later.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::process::proc_files::status;

/// The identity of a process on this boot of the machine: numbers are given again, but not with the same start.
///
/// Written `NUMBER:TICKS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMark {
    /// The number of the process.
    pub id: u32,
    /// When it started, in the kernel's ticks since boot.
    pub started_ticks: u64,
}

/// Characters of a text that is none which its error repeats.
const MAX_SHOWN: usize = 64;

/// A text that is no [`ProcessMark`]: how it begins.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no process: it is written NUMBER:TICKS, such as 4711:987654")]
pub struct InvalidProcessMark(String);

impl ProcessMark {
    /// The process with that number; none if there is none.
    pub fn of(id: u32) -> Option<Self> {
        status(id).map(|status| Self { id, started_ticks: status.started_ticks })
    }
}

impl fmt::Display for ProcessMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.id, self.started_ticks)
    }
}

impl FromStr for ProcessMark {
    type Err = InvalidProcessMark;

    fn from_str(text: &str) -> Result<Self, InvalidProcessMark> {
        let read = |(id, ticks): (&str, &str)| Some(Self { id: id.parse().ok()?, started_ticks: ticks.parse().ok()? });
        let shown = || text.chars().take(MAX_SHOWN).collect();
        text.split_once(':').and_then(read).ok_or_else(|| InvalidProcessMark(shown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mark_is_not_repeated_without_a_bound() {
        let error = "\"".repeat(1 << 15).parse::<ProcessMark>().expect_err("it is none").to_string();
        assert!(error.len() < 256, "{} bytes", error.len());
    }

    #[test]
    fn a_mark_is_read_as_it_is_written() {
        let own = ProcessMark::of(std::process::id()).expect("this process runs");
        assert_eq!(own.to_string().parse(), Ok(own));
        for text in ["", "1", "1:", ":1", "1:2:3", "a:1"] {
            assert!(text.parse::<ProcessMark>().is_err(), "{text}");
        }
    }
}
