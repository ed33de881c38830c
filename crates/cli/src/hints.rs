//! What to do next: commands that lead on from how a graph stands.

use antfarm_client::views::GraphView;

use crate::table;

/// An id has at most this many characters.
const MOST_ID: usize = 128;

/// Lines with the commands that lead on from here, as they can be pasted; nothing, if there is nothing to do but wait.
pub(crate) fn of(graph: &GraphView) -> String {
    let (id, nodes) = (&graph.id, &graph.nodes);
    let mut hints = Vec::new();
    let first = |state: &str| graph.troubles.iter().find(|trouble| trouble.state == state);
    if let Some(trouble) = first("needs_decision") {
        hints.push(format!("decide:       antfarm node explain {}", path(id, &trouble.id)));
    }
    if let Some(trouble) = first("failed").filter(|_| nodes.needs_decision == 0) {
        hints.push(format!("look closer:  antfarm node explain {0}; antfarm node logs {0}", path(id, &trouble.id)));
    }
    match graph.state.as_str() {
        "succeeded" => hints.push(format!("its results:  antfarm graph results {id}")),
        "failed" | "expired" | "cancelled" if graph.finished_at.is_some() => {
            hints.push(format!("run it again: antfarm submit --id {} FILE", next_id(id)));
        }
        "paused" => hints.push(format!("let it go on: antfarm graph resume {id}")),
        "running" if nodes.ready > 0 => {
            hints.push(format!("why not yet:  antfarm graph show {id} --state ready; antfarm node explain {id}/NODE"));
        }
        _ => {}
    }
    table::lines(hints.into_iter().map(|hint| format!("  {hint}")))
}

/// The next id of a series: `nightly`, `nightly-2`, `nightly-3`.
pub(crate) fn next_id(id: &str) -> String {
    // More than one figure may be a part of a date.
    let numbered = id.rsplit_once('-').filter(|(_, number)| number.len() == 1 && *number != "0");
    let next = match numbered.and_then(|(name, number)| Some((name, number.parse::<u32>().ok()?))) {
        Some((name, number)) => format!("{name}-{}", number + 1),
        None => format!("{id}-2"),
    };
    if next.len() > MOST_ID { "NEW-ID".to_owned() } else { next }
}

/// What a shell takes as `GRAPH/NODE`.
pub(crate) fn path(graph: &str, node: &str) -> String {
    let path = format!("{graph}/{node}");
    if path.contains('[') { format!("'{path}'") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_on_where_a_series_stands() {
        for (id, next) in
            [("nightly", "nightly-2"), ("nightly-2", "nightly-3"), ("a-b", "a-b-2"), ("x-0", "x-0-2"), ("a-9", "a-10")]
        {
            assert_eq!(next_id(id), next);
        }
        assert_eq!(next_id("nightly-2026-11-30"), "nightly-2026-11-30-2", "a day is no number of a series");
        assert_eq!(next_id(&"a".repeat(127)), "NEW-ID");
    }
}
