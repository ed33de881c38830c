//! S5: an attempt starts once.

use std::collections::BTreeSet;

use super::{Fact, Violation};

pub(super) fn check(facts: &[Fact]) -> Result<(), Violation> {
    let mut started = BTreeSet::new();
    for fact in facts {
        if let Fact::Started { attempt, .. } = fact
            && !started.insert(attempt)
        {
            return Err(Violation::new("S5 single start", format!("{attempt} started twice")));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use antfarm_model::{Epoch, Fence, ForagerNo, GraphNo, NodeNo};
    use antfarm_scheduler::{AttemptId, InstanceId};

    use super::*;
    use crate::checkers::sample::{finds, with};
    use crate::history::Mark;

    pub(in crate::checkers) fn attempt(node: u32, fence: u64) -> AttemptId {
        AttemptId { instance: InstanceId { graph: GraphNo(1), node: NodeNo(node), index: 0 }, fence: Fence(fence) }
    }

    pub(in crate::checkers) fn started(node: u32, fence: u64, at: u64) -> Fact {
        let attempt = attempt(node, fence);
        Fact::Started { forager: ForagerNo(0), epoch: Epoch(1), attempt, may_overlap: false, at }
    }

    #[test]
    fn a_second_start_is_found() {
        assert!(check(&[started(0, 1, 0), started(0, 2, 5), started(1, 1, 6)]).is_ok());
        assert!(check(&[started(0, 1, 0), started(0, 1, 9)]).is_err());
    }

    #[test]
    fn a_second_start_of_a_real_attempt_is_found() {
        finds(
            "S5",
            &with(|sample| {
                let start = sample.ledger[sample.line("write", Mark::Start)].clone();
                sample.ledger.push(start);
            }),
        );
    }
}
