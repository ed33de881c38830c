//! Whatever was applied at an index is the same everywhere, and logs that agree in an entry agree in all before it.

use std::collections::BTreeMap;

use super::super::Violation;
use super::super::disks::{self, Disk, Disks};
use super::violation;
use crate::history::{DiskStep, Evidence, What};

/// State machine safety.
pub(super) fn one_entry_at_an_index(evidence: &Evidence) -> Result<(), Violation> {
    let mut applied = BTreeMap::new();
    for record in &evidence.records {
        let What::Applied { queen, index, term, digest, .. } = &record.what else { continue };
        let (first, known, known_digest) = *applied.entry(*index).or_insert((*queen, *term, digest.as_str()));
        if (known, known_digest) != (*term, digest) {
            let what = format!(
                "at index {index} queen-{queen} applied entry {digest} of term {term}, and queen-{first} {known_digest} of term {known}"
            );
            return Err(violation(what));
        }
    }
    Ok(())
}

/// Log matching, looked at whenever a disk is read and at the end.
pub(super) fn match_each_other(evidence: &Evidence) -> Result<(), Violation> {
    let mut disks = Disks::new();
    for record in &evidence.records {
        disks::note(&mut disks, &record.what);
        if matches!(record.what, What::Disk { step: DiskStep::Found { .. }, .. }) {
            all_match(&disks)?;
        }
    }
    all_match(&disks)
}

fn all_match(disks: &Disks) -> Result<(), Violation> {
    for (one, left) in disks {
        for (other, right) in disks.range(one + 1..) {
            if let Some(index) = mismatch(left, right) {
                let what =
                    format!("the logs of queen-{one} and queen-{other} agree behind index {index}, and not there");
                return Err(violation(what));
            }
        }
    }
    Ok(())
}

/// The last index before a common entry at which two logs differ.
fn mismatch(left: &Disk, right: &Disk) -> Option<u64> {
    let mut agree = false;
    for (index, term) in left.log.iter().rev() {
        match right.log.get(index) {
            Some(other) if other == term => agree = true,
            Some(_) if agree => return Some(*index),
            Some(_) | None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{disk, finds, with};
    use crate::history::{DiskStep, Span, What};

    #[test]
    fn another_entry_at_an_index_is_found() {
        finds(
            "S14",
            &with(|sample| {
                let digest = "another entry".into();
                sample.add("queen-2", What::Applied { queen: 2, life: 1, index: 30, term: 2, digest });
            }),
        );
    }

    #[test]
    fn logs_that_agree_only_behind_a_difference_are_found() {
        finds(
            "S14",
            &with(|sample| {
                let entries = vec![Span { term: 1, first: 40, last: 40 }, Span { term: 2, first: 41, last: 41 }];
                sample.add("queen-2", disk(2, DiskStep::Kept { entries }));
                let entries = vec![Span { term: 2, first: 40, last: 41 }];
                sample.add("queen-3", disk(3, DiskStep::Kept { entries }));
            }),
        );
    }
}
