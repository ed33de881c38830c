//! Moments on the wall clock as text: RFC 3339.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::WallTime;

/// Why a text is no [`WallTime`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTime {
    /// The text does not have the form of RFC 3339, or names a moment that does not exist.
    #[error("a time is written as in RFC 3339, with an offset, such as 2026-12-01T06:00:00Z; {0:?} is not")]
    Malformed(String),
    /// The moment is earlier than the first that can be stated.
    #[error("a time must not be before 1970; {0:?} is")]
    BeforeEpoch(String),
}

impl FromStr for WallTime {
    type Err = InvalidTime;

    /// Reads an RFC 3339 time; what is finer than a millisecond is cut off.
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let quoted = || text.chars().take(LONGEST_QUOTE).collect();
        if !has_form(text.as_bytes()) {
            return Err(InvalidTime::Malformed(quoted()));
        }
        let moment: Timestamp = text.parse().map_err(|_| InvalidTime::Malformed(quoted()))?;
        u64::try_from(moment.as_millisecond()).map(Self).map_err(|_| InvalidTime::BeforeEpoch(quoted()))
    }
}

impl fmt::Display for WallTime {
    /// Writes UTC, with milliseconds where there are any: `2026-12-01T06:00:00Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match i64::try_from(self.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
            Some(moment) => moment.fmt(f),
            None => write!(f, "{} ms after 1970", self.0),
        }
    }
}

/// Characters of a wrong text that its error repeats.
const LONGEST_QUOTE: usize = 64;

/// `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`: jiff's parser takes more forms than RFC 3339 has.
fn has_form(text: &[u8]) -> bool {
    let Some((moment, rest)) = text.split_at_checked(19) else { return false };
    let digits_stand = moment.iter().enumerate().all(|(i, byte)| match i {
        4 | 7 => *byte == b'-',
        10 => matches!(byte, b'T' | b't'),
        13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let offset = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 || digits > 9 {
                return false;
            }
            &fraction[digits..]
        }
        None => rest,
    };
    let offset_stands = match offset {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    digits_stand && offset_stands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_with_its_offset() {
        let moment = WallTime(1_796_104_800_000);
        assert_eq!("2026-12-01T06:00:00Z".parse(), Ok(moment));
        assert_eq!("2026-12-01T07:30:00+01:30".parse(), Ok(moment));
        assert_eq!("2026-12-01t06:00:00.2509z".parse(), Ok(WallTime(1_796_104_800_250)));
    }

    #[test]
    fn a_time_is_written_as_it_was_read() {
        for text in ["1970-01-01T00:00:00Z", "2026-12-01T06:00:00Z", "9999-12-30T21:59:59.999Z"] {
            assert_eq!(text.parse::<WallTime>().map(|time| time.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(WallTime(u64::MAX).to_string(), "18446744073709551615 ms after 1970");
    }

    #[test]
    fn other_forms_are_refused() {
        let wrong = [
            "",
            "2026-12-01",
            "2026-12-01T06:00:00",
            "2026-12-01 06:00:00Z",
            "2026-12-01T06:00Z",
            "2026-02-30T06:00:00Z",
            "2026-12-01T25:00:00Z",
            "2026-12-01T06:00:00.Z",
            "2026-12-01T06:00:00+0100",
            "2026-12-01T06:00:00Z[UTC]",
            "１026-12-01T06:00:00Z",
            "tomorrow",
        ];
        for text in wrong {
            assert_eq!(text.parse::<WallTime>(), Err(InvalidTime::Malformed(text.to_owned())));
        }
        let early = "1969-12-31T23:59:59Z";
        assert_eq!(early.parse::<WallTime>(), Err(InvalidTime::BeforeEpoch(early.to_owned())));
    }
}
