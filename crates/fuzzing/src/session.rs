//! How long a run is and what it depends on, as the environment says.

use std::env::var;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// Mutations of a target when nobody asks for more.
const CASES: usize = 1_000;

/// The longest that a target takes when nobody asks for more.
const WITHIN: Duration = Duration::from_secs(1);

/// How long a run is and what it depends on.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// What all mutations follow from: `ANTFARM_SEED`, else a random number.
    pub(crate) seed: u64,
    /// After so many mutations a target ends.
    pub(crate) cases: usize,
    /// After that time a target ends: `ANTFARM_FUZZ_SECONDS`, and then whatever the number of mutations.
    pub(crate) within: Duration,
    /// Where each input is written before it is decoded, for a decoder that takes the whole process with it:
    /// `ANTFARM_FUZZ_TRACE`.
    pub(crate) trace: Option<PathBuf>,
}

impl Session {
    pub(crate) fn from_environment() -> Self {
        let seconds = var("ANTFARM_FUZZ_SECONDS").ok().map(|text| text.parse().expect("a number of seconds"));
        Self {
            seed: seed(),
            cases: if seconds.is_some() { usize::MAX } else { CASES },
            within: seconds.map_or(WITHIN, Duration::from_secs),
            trace: var("ANTFARM_FUZZ_TRACE").ok().map(PathBuf::from),
        }
    }
}

fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match var("ANTFARM_SEED") {
        Ok(text) => text.parse().expect("ANTFARM_SEED is a number"),
        Err(_) => RandomState::new().hash_one("seed"),
    })
}
