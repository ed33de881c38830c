//! S20: who has no right changes nothing.
//!
//! Identities are not built yet: whoever reaches a port is taken for what it says it is. What can be held to today is
//! that no message outside of the protocols is taken for good, and that nobody becomes a forager whom nobody started.
//! That a peer, a forager or a client without the right certificate or token is turned away cannot be looked at yet.

use super::Violation;
use crate::history::{Evidence, HostileEnd, What};

const PROPERTY: &str = "S20 authorization";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let expected: Option<Vec<String>> =
        evidence.plan().map(|plan| (1..=plan.foragers).map(|number| format!("forager-{number}")).collect());
    for record in &evidence.records {
        if let What::Hostile { to, sent, end: HostileEnd::Accepted } = &record.what {
            return Err(Violation::new(PROPERTY, format!("{to} took {sent} for good")));
        }
        let (What::Foragers { index, foragers }, Some(expected)) = (&record.what, &expected) else { continue };
        if let Some(stranger) = foragers.iter().find(|one| !expected.contains(&one.name)) {
            let what = format!("at index {index} there is a forager {:?}, whom nobody has started", stranger.name);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, forager, with};
    use crate::history::{ForagerSeen, HostileEnd, What};

    #[test]
    fn noise_that_is_taken_for_good_is_found() {
        finds(
            "S20",
            &with(|sample| {
                let end = HostileEnd::Accepted;
                sample.add("hostile", What::Hostile { to: "queen-1".into(), sent: "a hello".into(), end });
            }),
        );
    }

    #[test]
    fn a_forager_that_nobody_started_is_found() {
        finds(
            "S20",
            &with(|sample| {
                let foragers = vec![ForagerSeen { name: "stranger".into(), ..forager(0, 0) }];
                sample.add("poll-1", What::Foragers { index: 40, foragers });
            }),
        );
    }
}
