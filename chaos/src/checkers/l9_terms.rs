//! L9: terms do not rise without need: at most one that nobody leads in for each fault.

use std::collections::BTreeSet;

use super::Violation;
use crate::history::{Evidence, FaultKind, QueenStatus, What};

/// Terms that nobody leads in, for each fault: two queens who miss their leader at the same moment may split the vote.
const TERMS_PER_FAULT: u64 = 1;

/// A link that flaps is so many faults: it breaks and heals in every second or two.
const FLAPS: u64 = 5;

/// At the beginning there is no leader either, and nothing has broken.
const FIRST_TERMS: u64 = 1;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let (mut seen, mut led, mut allowed) = (BTreeSet::new(), BTreeSet::new(), FIRST_TERMS);
    for record in &evidence.records {
        if let What::Status(QueenStatus { epoch, leads, .. }) = &record.what {
            seen.insert(*epoch);
            led.extend(leads.then_some(*epoch));
        } else if let What::Leads { epoch, .. } = &record.what {
            seen.insert(*epoch);
            led.insert(*epoch);
        } else if let What::FaultOn { kind, .. } = &record.what {
            allowed += TERMS_PER_FAULT * if *kind == FaultKind::Flapping { FLAPS } else { 1 };
        }
    }
    let (Some(first), Some(last)) = (seen.first(), seen.last()) else { return Ok(()) };
    let leaderless = last - first + 1 - led.len() as u64;
    if leaderless > allowed {
        let what = format!(
            "nobody led in {leaderless} of the terms from {first} to {last}, and {allowed} are allowed for these faults"
        );
        return Err(Violation::new("L9 terms", what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{QueenStatus, What};

    #[test]
    fn terms_that_rise_without_a_leader_are_found() {
        finds(
            "L9",
            &with(|sample| {
                sample.add("poll-2", What::Status(QueenStatus { queen: 2, life: 1, epoch: 5, leads: false }));
            }),
        );
    }
}
