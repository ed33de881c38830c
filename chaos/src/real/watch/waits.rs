//! Why nodes wait while there is no forager.

use std::time::Duration;

use serde_json::Value;

use super::poll::ready_foragers;
use crate::history::What;
use crate::real::config::QUEENS;
use crate::real::field::{Field, PATIENCE};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Looks until the run closes.
pub(in crate::real) fn watch_waits(field: &Field<'_>) {
    let mut scribe = field.recorder.scribe("waits");
    while field.is_open() {
        if let Some(waits) = (1..=QUEENS).find_map(|queen| explained(field, queen)) {
            scribe.write(waits);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Why the first ready node of a graph waits, if there is no forager before the question and after it.
fn explained(field: &Field<'_>, queen: u16) -> Option<What> {
    (ready_foragers(field, queen)? == 0).then_some(())?;
    let graphs = get(field, queen, "/v1/graphs?state=running&limit=20")?;
    let waits = graphs["graphs"].as_array()?.iter().find_map(|graph| {
        let graph = graph["id"].as_str()?;
        let nodes = get(field, queen, &format!("/v1/graphs/{graph}/nodes?state=ready&limit=1"))?;
        let node = nodes["nodes"][0]["id"].as_str()?.to_owned();
        let explained = get(field, queen, &format!("/v1/graphs/{graph}/nodes/{node}/explain"))?;
        let reason = explained["reason"].as_str().filter(|_| explained["state"] == "ready")?.to_owned();
        Some(What::Waits { graph: graph.to_owned(), node, reason, ready_foragers: 0 })
    })?;
    (ready_foragers(field, queen)? == 0).then_some(waits)
}

fn get(field: &Field<'_>, queen: u16, path: &str) -> Option<Value> {
    field.cluster.http(queen).within(PATIENCE).get(path).ok()?.ok().ok()
}
