//! Time as data: the two clocks of the replicated state, and lengths of time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment on the wall clock: milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub u64);

/// A moment on the cluster's own counter: milliseconds for which the cluster had a leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Elapsed(pub u64);

/// A length of time in milliseconds. Written `250ms`, `5s`, `10m`, `24h`, `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

/// Why a text is no [`Span`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; {0:?} is not"
)]
pub struct InvalidSpan(pub String);

impl WallTime {
    /// The moment `span` later; the last representable one if that is too far.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Elapsed {
    /// The last moment that the counter reaches, after some hundred million years. A span later is later still, so what is
    /// put off is never due at once.
    pub const LAST: Self = Self(u64::MAX / 2);

    /// The moment `span` later; the last representable one if that is too far.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long ago `earlier` was; nothing if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

/// Characters of a wrong text that its error repeats.
const LONGEST_QUOTE: usize = 64;

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl Span {
    /// The longest length of time that a document may state: ten years.
    pub const MAX: Self = Self(3_650 * 86_400_000);

    /// That many seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000)
    }

    /// The same as the standard library's type.
    pub const fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}

impl std::str::FromStr for Span {
    type Err = InvalidSpan;

    fn from_str(text: &str) -> Result<Self, InvalidSpan> {
        let invalid = || InvalidSpan(text.chars().take(LONGEST_QUOTE).collect());
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| invalid())?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(invalid)?;
        let span = number.checked_mul(*factor).map(Self).ok_or_else(invalid)?;
        if span > Self::MAX { Err(invalid()) } else { Ok(span) }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, factor) = UNITS
            .iter()
            .rev()
            .find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor))
            .unwrap_or(&UNITS[0]);
        write!(f, "{}{unit}", self.0 / factor)
    }
}
