//! What an examination found, counted by class.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::crash_states::damage::DamageClass;
use crate::crash_states::enumeration::Class;
use crate::crash_states::judge::Verdict;

/// So many violations of each row are kept with their words; the others are counted.
const SHOWN_VIOLATIONS: usize = 3;

/// What is counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Row {
    Crash(Class),
    /// A recovery of what was recovered.
    Again,
    /// A crash during a recovery or after it.
    InRecovery,
    Damage(DamageClass),
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(class) => write!(f, "{class}"),
            Self::Again => f.write_str("recovered again"),
            Self::InRecovery => f.write_str("crash in or after recovery"),
            Self::Damage(class) => write!(f, "{class}"),
        }
    }
}

/// The numbers of one row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) sound: usize,
    pub(crate) refused: usize,
    pub(crate) violations: usize,
    pub(crate) slowest: Duration,
}

/// What an examination found.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many crash states there are; not all of them may have been drawn.
    pub(crate) enumerated: usize,
    pub(crate) rows: BTreeMap<Row, Counts>,
    /// The first ones of each row, with their words.
    violations: BTreeMap<Row, Vec<String>>,
}

impl Tally {
    /// Nothing yet, of so many crash states.
    pub(crate) fn of(enumerated: usize) -> Self {
        Self { enumerated, ..Self::default() }
    }

    /// Counts a verdict.
    pub(crate) fn count(&mut self, row: Row, verdict: &Verdict, took: Duration, place: impl FnOnce() -> String) {
        let counts = self.rows.entry(row).or_default();
        counts.slowest = counts.slowest.max(took);
        match verdict {
            Verdict::Sound(_) => counts.sound += 1,
            Verdict::Refused(_) => counts.refused += 1,
            Verdict::Violation(what) => {
                counts.violations += 1;
                if counts.violations <= SHOWN_VIOLATIONS {
                    self.violations.entry(row).or_default().push(format!("{}\n    {what}", place()));
                }
            }
        }
    }

    /// Takes in what another found.
    pub(crate) fn add(&mut self, other: Self) {
        self.enumerated += other.enumerated;
        for (row, more) in other.rows {
            let counts = self.rows.entry(row).or_default();
            counts.sound += more.sound;
            counts.refused += more.refused;
            counts.violations += more.violations;
            counts.slowest = counts.slowest.max(more.slowest);
        }
        for (row, more) in other.violations {
            let words = self.violations.entry(row).or_default();
            words.extend(more);
            words.truncate(SHOWN_VIOLATIONS);
        }
    }

    /// The first violations of each row, in words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &String> {
        self.violations.values().flatten()
    }

    /// How many violations there are.
    pub(crate) fn violated(&self) -> usize {
        self.rows.values().map(|counts| counts.violations).sum()
    }

    /// How many states were recovered.
    pub(crate) fn examined(&self) -> usize {
        self.rows.values().map(|counts| counts.sound + counts.refused + counts.violations).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {:<28}{:>9}{:>9}{:>9}{:>11}{:>11}", "", "states", "sound", "refused", "violations", "slowest")?;
        for (row, counts) in &self.rows {
            let Counts { sound, refused, violations, slowest } = counts;
            let states = sound + refused + violations;
            let slowest = format!("{:.1} ms", slowest.as_secs_f64() * 1e3);
            writeln!(f, "  {:<28}{states:>9}{sound:>9}{refused:>9}{violations:>11}{slowest:>11}", row.to_string())?;
        }
        Ok(())
    }
}
