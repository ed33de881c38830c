//! S6: attempts at a guarded or irrevocable instance never overlap.

use std::collections::BTreeMap;

use super::{Fact, Violation};

pub(super) fn check(facts: &[Fact]) -> Result<(), Violation> {
    let mut running = BTreeMap::new();
    for fact in facts {
        match fact {
            Fact::Started { attempt, may_overlap: false, at, .. } => {
                // A second start of the same attempt is what S5 looks for.
                if let Some(other) = running.insert(attempt.instance, attempt).filter(|other| *other != attempt) {
                    let what = format!("{attempt} started at {at} ms while {other} ran");
                    return Err(Violation::new("S6 no concurrent attempts", what));
                }
            }
            Fact::Ended { attempt, .. } => {
                if running.get(&attempt.instance) == Some(&attempt) {
                    running.remove(&attempt.instance);
                }
            }
            Fact::Started { .. } | Fact::Dispatched { .. } | Fact::EpochSeen { .. } => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkers::facts::runs;
    use crate::checkers::s05_single_start::tests::{attempt, started};
    use crate::checkers::sample::{UNSEEN, finds, with};
    use crate::history::{Call, DecidedVerdict, Line, Mark, What};

    #[test]
    fn an_overlap_is_found() {
        let ended = |fence, at| Fact::Ended { attempt: attempt(0, fence), at };
        assert!(check(&[started(0, 1, 0), ended(1, 5), started(0, 2, 6)]).is_ok());
        assert!(check(&[started(0, 1, 0), started(0, 2, 4), ended(1, 5)]).is_err());
    }

    #[test]
    fn an_overlap_of_real_attempts_is_found() {
        finds(
            "S6",
            &with(|sample| {
                let end = sample.line("write", Mark::End);
                let start = Line { fence: UNSEEN, ..sample.ledger[sample.line("write", Mark::Start)].clone() };
                sample.ledger.insert(end, start);
            }),
        );
    }

    #[test]
    fn what_somebody_has_vouched_for_may_go_on() {
        let evidence = with(|sample| {
            let (start, end) = (sample.line("pay", Mark::Start), sample.line("pay", Mark::End));
            let fence = sample.ledger[start].fence;
            let next = Line { fence: UNSEEN, ..sample.ledger[start].clone() };
            sample.ledger.insert(end, next);
            let (graph, node, verdict) = ("g1".to_owned(), "pay".to_owned(), DecidedVerdict::Retry);
            sample
                .op(Call::Decide { graph, node, index: 0, fence, verdict }, |op| What::Info { op, why: String::new() });
        });
        assert!(check(&runs(&evidence)).is_ok());
    }
}
