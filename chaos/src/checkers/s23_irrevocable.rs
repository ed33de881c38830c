//! S23: an irrevocable instance starts once, and again only for each decision to retry and each exit with 75.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Call, DecidedVerdict, Evidence, Mark, Outcome};

/// «Failed, and worth a retry».
const EX_TEMPFAIL: i32 = 75;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut allowed: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    let mut starts: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    for op in &evidence.ops {
        let Call::Decide { graph, node, index, verdict: DecidedVerdict::Retry, .. } = &op.call else { continue };
        // A decision whose outcome is unknown may have been taken.
        if !matches!(op.returned, Some((_, Outcome::Fail { .. }))) {
            *allowed.entry((graph, node, *index)).or_default() += 1;
        }
    }
    for line in &evidence.ledger {
        match line.event {
            Mark::Start => *starts.entry(line.instance()).or_default() += 1,
            Mark::End if line.exit == Some(EX_TEMPFAIL) => *allowed.entry(line.instance()).or_default() += 1,
            Mark::Tick | Mark::End => {}
        }
    }
    for ((graph, node, index), starts) in starts {
        let spec = evidence.graphs.get(graph).and_then(|graph| graph.node(node));
        let allowed = 1 + allowed.get(&(graph, node, index)).copied().unwrap_or(0);
        if spec.is_some_and(|spec| spec.tool.is_irrevocable()) && starts > allowed {
            let what = format!("{graph}/{node}[{index}] started {starts} times, and {allowed} were allowed");
            return Err(Violation::new("S23 irrevocable", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{UNSEEN, finds, with};

    #[test]
    fn a_start_that_nobody_decided_is_found() {
        finds("S23", &with(|sample| sample.run_again("pay", UNSEEN)));
    }
}
