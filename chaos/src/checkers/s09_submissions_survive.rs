//! S9: a submission that was acknowledged is there for ever after.

use super::Violation;
use crate::history::{Call, Evidence, Outcome};

const PROPERTY: &str = "S9 acknowledged submissions survive";

const NOT_FOUND: u16 = 404;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let finals = evidence.finals();
    let acknowledged = evidence.succeeded().filter_map(|success| match &success.op.call {
        Call::Submit { graph } => Some((graph.id.as_str(), success)),
        Call::Conflict { .. } | Call::Cancel { .. } | Call::Read { .. } | Call::Decide { .. } => None,
    });
    let mut since = std::collections::BTreeMap::new();
    for (id, success) in acknowledged {
        let known = since.entry(id).or_insert(success.returned);
        *known = success.returned.min(*known);
        let same = finals.get(id).zip(success.graph).map(|((last, _), first)| last.digest == first.digest);
        // Where nobody answered any more, nothing is said of the end: L1 is.
        if same != Some(true) && !finals.is_empty() {
            let how = if same.is_some() { "another graph stands under its id" } else { "it is not there" };
            let what = format!("graph {id} was acknowledged by queen-{}, and at the end {how}", success.op.queen);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    for op in &evidence.ops {
        if let (Call::Read { graph, stale: false }, Some((_, Outcome::Fail { status: NOT_FOUND }))) =
            (&op.call, &op.returned)
            && since.get(graph.as_str()).is_some_and(|since| *since < op.invoked)
        {
            let what = format!("graph {graph} was acknowledged, and queen-{} said later that there is none", op.queen);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, finds_both, with};
    use crate::history::{Call, What};

    #[test]
    fn a_submission_that_is_gone_at_the_end_is_found() {
        finds(
            "S9",
            &with(|sample| {
                sample.retain(|what| !matches!(what, What::Final { graph, .. } if graph.id == "g3"));
            }),
        );
    }

    #[test]
    fn a_read_that_does_not_find_it_is_found() {
        finds_both(
            "S9",
            "S12",
            &with(|sample| {
                let call = Call::Read { graph: "g1".into(), stale: false };
                sample.op(call, |op| What::Fail { op, status: 404, index: 40, problem: "not-found".into() });
            }),
        );
    }
}
