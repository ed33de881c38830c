//! L7: whatever happens to queens, a forager to whom nothing happens is neither lost nor registered again.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, What};

/// A forager counts as healthy again so long after the last fault that named it: its lease, the allowance for clocks, and
/// the time in which an election, the loss and its event come about.
const RECOVERS_WITHIN_US: u64 = 10_000_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let faults = faults(evidence);
    let is_healthy = |forager: &str, at_us| {
        !faults.iter().any(|fault| fault.on.contains(forager) && fault.from <= at_us && at_us <= fault.upto)
    };
    // In the order of the log: a reader that missed some is ahead of those that did not.
    let mut entries = BTreeMap::new();
    for record in &evidence.records {
        if let What::Entry { index, events } = &record.what {
            entries.entry(*index).or_insert((record.at_us, events)); // as soon as anybody saw it
        }
    }
    let mut states: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, (at_us, events)) in entries {
        for event in events.iter().filter(|event| event.r#type == "forager") {
            let (Some(forager), Some(state)) = (event.forager.as_deref(), event.state.as_deref()) else { continue };
            let before = states.insert(forager, state);
            let how = match (before, state) {
                (_, "lost") => "is lost",
                (Some("ready"), "ready") => "registered again",
                _ => continue,
            };
            if is_healthy(forager, at_us) {
                let what = format!("at index {index} {forager} {how}, and nothing had happened to it");
                return Err(Violation::new("L7 no false loss", what));
            }
        }
    }
    Ok(())
}

/// A fault, from its beginning to when nobody suffers from it any more.
struct Fault<'a> {
    on: &'a str,
    from: u64,
    upto: u64,
}

fn faults(evidence: &Evidence) -> Vec<Fault<'_>> {
    let mut faults: BTreeMap<u64, Fault<'_>> = BTreeMap::new();
    for record in &evidence.records {
        if let What::FaultOn { fault, on, .. } = &record.what {
            faults.insert(*fault, Fault { on, from: record.at_us, upto: u64::MAX });
        } else if let What::FaultOff { fault, .. } = &record.what
            && let Some(fault) = faults.get_mut(fault)
        {
            fault.upto = record.at_us + RECOVERS_WITHIN_US;
        }
    }
    faults.into_values().collect()
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, lost, registered, with};

    #[test]
    fn a_healthy_forager_that_is_lost_is_found() {
        finds("L7", &with(|sample| sample.everyone_reads(25, &lost("forager-1"))));
    }

    #[test]
    fn a_healthy_forager_that_registers_again_is_found() {
        finds("L7", &with(|sample| sample.everyone_reads(25, &registered("forager-1"))));
    }
}
