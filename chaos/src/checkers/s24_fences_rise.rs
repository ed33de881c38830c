//! S24: the fences of an instance rise from start to start.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, Mark};

/// By the order of lines in the ledger. The same fence twice is a second start of one attempt, which S5 looks for.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut last = BTreeMap::new();
    for line in evidence.ledger.iter().filter(|line| line.event == Mark::Start) {
        let former = last.insert(line.instance(), line.fence);
        if let Some(former) = former.filter(|former| *former > line.fence) {
            let (graph, node, index) = line.instance();
            let what = format!("{graph}/{node}[{index}] started with fence {} after fence {former}", line.fence);
            return Err(Violation::new("S24 fences rise", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{change, finds, with};

    #[test]
    fn a_start_with_a_lower_fence_is_found() {
        finds(
            "S24",
            &with(|sample| {
                sample.everyone_reads(6, &change("g1", "write", "assigned", Some(6)));
                sample.run_again("write", 6);
            }),
        );
    }
}
