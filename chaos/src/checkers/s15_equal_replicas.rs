//! S15: replicas that applied the same entries are equal.

use std::collections::BTreeMap;

use antfarm_scheduler::State;

use super::Violation;
use crate::history::{Evidence, What};

const PROPERTY: &str = "S15 deterministic apply";

/// Whatever queens said of their digests, at equal indexes they said the same.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut digests = BTreeMap::new();
    for record in &evidence.records {
        let What::Position { queen, applied, digest, .. } = &record.what else { continue };
        let (first, known) = *digests.entry(applied).or_insert((queen, digest));
        if known != digest {
            let what = format!("at index {applied} queen-{queen} has digest {digest}, and queen-{first} has {known}");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

pub(super) fn check_replicas(replicas: &[State]) -> Result<(), Violation> {
    for pair in replicas.windows(2) {
        let [one, other] = pair else { continue };
        let equal = one.applied() != other.applied() || one.snapshot().digest() == other.snapshot().digest();
        if !equal {
            let what = format!("two replicas differ at index {}", one.applied().index);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::What;

    #[test]
    fn another_digest_at_the_same_index_is_found() {
        finds(
            "S15",
            &with(|sample| {
                sample.add("poll-2", What::Position { queen: 2, life: 1, applied: 30, digest: "bb".into() });
            }),
        );
    }
}
