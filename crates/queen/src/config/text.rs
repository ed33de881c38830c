//! Lengths of time and sizes as people write them: `250ms`, `32MiB`.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A size in bytes. Written `64KiB`, `32MiB`, or as a whole number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Size(pub u64);

/// Why a text is no [`Size`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a size is a whole number with a unit (B, KiB, MiB or GiB), such as 64KiB or 32MiB; {0:?} is not")]
pub struct InvalidSize(String);

const UNITS: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

impl FromStr for Size {
    type Err = InvalidSize;

    fn from_str(text: &str) -> Result<Self, InvalidSize> {
        let invalid = || InvalidSize(text.into());
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| invalid())?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(invalid)?;
        number.checked_mul(*factor).map(Self).ok_or_else(invalid)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |factor: u64| self.0 >= factor && self.0.is_multiple_of(factor);
        let (unit, factor) = UNITS.iter().rev().find(|(_, factor)| fits(*factor)).unwrap_or(&UNITS[0]);
        write!(f, "{}{unit}", self.0 / factor)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"32MiB\", or a whole number of bytes")
            }

            fn visit_i64<E: Error>(self, bytes: i64) -> Result<Size, E> {
                let size = u64::try_from(bytes).map(Size);
                size.map_err(|_| E::invalid_value(Unexpected::Signed(bytes), &self))
            }

            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Size, E> {
                Ok(Size(bytes))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Size, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// A [`Span`](antfarm_model::Span) as text.
pub(super) mod span {
    use antfarm_model::Span;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(in super::super) fn serialize<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(span)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_written_as_it_was_read() {
        for (text, bytes) in [("0B", 0), ("1000B", 1000), ("64KiB", 64 << 10), ("32MiB", 32 << 20), ("3GiB", 3 << 30)] {
            assert_eq!(text.parse(), Ok(Size(bytes)));
            assert_eq!(Size(bytes).to_string(), text);
        }
    }

    #[test]
    fn a_size_without_a_unit_or_with_another_is_refused() {
        for text in ["", "12", "12MB", "MiB", "-1B", "99999999999GiB", "1.5MiB", "1 MiB"] {
            assert_eq!(text.parse::<Size>(), Err(InvalidSize(text.into())), "{text}");
        }
    }
}
