//! S17: a process whose disk failed once says nothing more that others rely on.

use std::collections::BTreeSet;

use super::Violation;
use crate::history::{DiskStep, Evidence, What};

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut failed = BTreeSet::new();
    for record in &evidence.records {
        if let What::Disk { queen, life, step: DiskStep::Failed { .. } } = &record.what {
            failed.insert((*queen, *life));
        }
        let (queen, life, said) = if let What::Claim { queen, life, claim } = &record.what {
            (*queen, *life, format!("said {claim:?}"))
        } else if let What::Disk { queen, life, step } = &record.what
            && matches!(step, DiskStep::Voted(_) | DiskStep::Kept { .. } | DiskStep::Snapshot { .. })
        {
            (*queen, *life, format!("kept {step:?}"))
        } else {
            continue;
        };
        if failed.contains(&(queen, life)) {
            let what = format!("queen-{queen} {said} in her life {life}, after a write to her disk had failed");
            return Err(Violation::new("S17 fail-stop", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{claim, disk, finds, with};
    use crate::history::{Claim, DiskStep};

    #[test]
    fn a_queen_that_goes_on_after_a_failed_write_is_found() {
        finds(
            "S17",
            &with(|sample| {
                sample.add("queen-2", disk(2, DiskStep::Failed { what: "sync of the log".into() }));
                sample.add("queen-2", claim(2, Claim::Matched { term: 2, upto: 30 }));
            }),
        );
    }
}
