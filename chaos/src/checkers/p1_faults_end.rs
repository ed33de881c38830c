//! P1: every fault that began is over before all is said to be healed; what is measured afterwards is worth nothing else.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, Phase, What};

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut standing = BTreeMap::new();
    for record in &evidence.records {
        if let What::FaultOn { fault, kind, on, .. } = &record.what {
            standing.insert(*fault, format!("{kind} of {on}"));
        } else if let What::FaultOff { fault, .. } = &record.what {
            standing.remove(fault);
        } else if let (What::Phase { phase: Phase::Healed }, Some((_, fault))) =
            (&record.what, standing.first_key_value())
        {
            return Err(Violation::new("P1 faults end", format!("{fault} still stands when all is said to be healed")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{FaultKind, Phase, What};

    #[test]
    fn a_fault_that_stands_is_found() {
        finds(
            "P1",
            &with(|sample| {
                let (kind, on) = (FaultKind::Kill, "queen-1".to_owned());
                sample.add("nemesis", What::FaultOn { fault: 1, kind, on, confirmed_by: None });
                sample.add("nemesis", What::Phase { phase: Phase::Healed });
            }),
        );
    }
}
