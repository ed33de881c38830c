//! S3: what a leader sends is committed before.

use super::{Fact, Violation};

pub(super) fn check(facts: &[Fact]) -> Result<(), Violation> {
    for fact in facts {
        if let Fact::Dispatched { attempt, committed: false, .. } = fact {
            return Err(Violation::new(
                "S3 commit before dispatch",
                format!("{attempt} was sent before it was committed"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkers::s05_single_start::tests::attempt;
    use crate::checkers::sample::{finds, with};

    #[test]
    fn an_early_dispatch_is_found() {
        let sent = |committed| Fact::Dispatched { epoch: antfarm_model::Epoch(1), attempt: attempt(0, 1), committed };
        assert!(check(&[sent(true)]).is_ok());
        assert!(check(&[sent(true), sent(false)]).is_err());
    }

    #[test]
    fn a_real_start_that_no_entry_assigned_is_found() {
        finds("S3", &with(|sample| sample.run_again("write", 22)));
    }
}
