//! What became of a graph, as a sentence and as an exit status.

use antfarm_client::views::{GraphView, TroubleView};
use antfarm_model::WallTime;

use crate::exit::Exit;

/// `nightly succeeded: 163 of 163 nodes succeeded, in 21.4 s`, with a line for each trouble. Ends with a line break.
pub(crate) fn sentence(graph: &GraphView) -> String {
    let nodes = &graph.nodes;
    let others = [
        (nodes.failed, "failed"),
        (nodes.expired, "expired"),
        (nodes.cancelled, "cancelled"),
        (nodes.skipped, "skipped"),
        (nodes.needs_decision, "in need of a decision"),
    ];
    let others = others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let time = seconds(graph).map_or(String::new(), |seconds| format!(", in {seconds:.1} s"));
    let mut text = format!("{} {}: {} of {} nodes succeeded", graph.id, graph.state, nodes.succeeded, nodes.total);
    text.extend(others);
    text.push_str(&time);
    text.push('\n');
    text.push_str(&troubles(graph));
    text
}

/// A line for each of the first instances that did not succeed, with the reason.
pub(crate) fn troubles(graph: &GraphView) -> String {
    let trouble = |trouble: &TroubleView| {
        let unsaid = if trouble.state == "expired" { "its deadline passed" } else { "no reason was told" };
        let why = trouble.reason.as_deref().unwrap_or(unsaid).trim_end().replace('\n', "\n    ");
        format!("  {} {}: {why}\n", trouble.id, trouble.state)
    };
    graph.troubles.iter().map(trouble).collect()
}

/// From the submission to the end, by the cluster's clock.
pub(crate) fn seconds(graph: &GraphView) -> Option<f64> {
    let begin: WallTime = graph.submitted_at.parse().ok()?;
    let end: WallTime = graph.finished_at.as_ref()?.parse().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    Some(end.0.saturating_sub(begin.0) as f64 / 1_000.0)
}

/// The exit status of graphs that ended.
pub(crate) fn worst<'g>(graphs: impl IntoIterator<Item = &'g GraphView>) -> Exit {
    let succeeded = graphs.into_iter().all(|graph| graph.state == "succeeded");
    if succeeded { Exit::Done } else { Exit::Failed }
}
