//! Lengths of time and numbers of things as people say them.

use std::fmt;

use antfarm_model::Span;

/// A length of time, rounded to what matters of it.
pub(super) struct Rough(pub(super) Span);

impl fmt::Display for Rough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
        let Span(millis) = self.0;
        match UNITS.iter().find(|(unit, _)| millis >= 2 * unit) {
            Some((unit, name)) => write!(f, "{} {name}", millis.div_ceil(*unit)),
            None => write!(f, "{millis} ms"),
        }
    }
}

/// A number of things: `1 forager`, `2 foragers`.
pub(super) struct Many(pub(super) usize, pub(super) &'static str);

impl fmt::Display for Many {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, name) = self;
        let plural = if *number == 1 { "" } else { "s" };
        write!(f, "{number} {name}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_rounded_up_to_what_matters() {
        let said =
            [0, 1_999, 2_000, 29_001, 120_000, 7_200_000, 172_800_001].map(|millis| Rough(Span(millis)).to_string());
        assert_eq!(said, ["0 ms", "1999 ms", "2 s", "30 s", "2 min", "2 h", "3 d"]);
    }
}
