//! Somebody who decides what nobody knows: the fate of irrevocable attempts.

use std::time::Duration;

use serde_json::Value;

use crate::history::Call;
use crate::random::Random;
use crate::real::field::{Field, PATIENCE};
use crate::work::verdict;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// Decides until the run closes.
pub(in crate::real) fn decide(field: &Field<'_>, mut random: Random) {
    let mut scribe = field.recorder.scribe("decider");
    while field.is_open() {
        let queen = Field::any_queen(&mut random);
        for (graph, node) in undecided(field, queen) {
            let (Some(id), Some(fence)) = (node["id"].as_str(), fence_of(field, queen, &graph, &node)) else {
                continue;
            };
            let verdict = verdict(&mut random);
            let index = node["index"].as_u64().and_then(|index| u32::try_from(index).ok()).unwrap_or(0);
            let call = Call::Decide { graph, node: id.to_owned(), index, fence, verdict };
            field.ask(&mut scribe, queen, &call);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn get(field: &Field<'_>, queen: u16, path: &str) -> Option<Value> {
    field.cluster.http(queen).within(PATIENCE).get(path).ok()?.ok().ok()
}

/// Graphs with the nodes in them that wait for a decision.
fn undecided(field: &Field<'_>, queen: u16) -> Vec<(String, Value)> {
    let Some(page) = get(field, queen, "/v1/graphs?state=running&limit=1000") else { return Vec::new() };
    let graphs = page["graphs"].as_array().cloned().unwrap_or_default();
    let waiting = graphs.iter().filter(|graph| graph["nodes"]["needs_decision"].as_u64() > Some(0));
    let ids = waiting.filter_map(|graph| graph["id"].as_str());
    let nodes = ids.flat_map(|id| {
        let page = get(field, queen, &format!("/v1/graphs/{id}/nodes?state=needs_decision"));
        let nodes = page.and_then(|page| page["nodes"].as_array().cloned()).unwrap_or_default();
        nodes.into_iter().map(|node| (id.to_owned(), node)).collect::<Vec<_>>()
    });
    nodes.collect()
}

/// The fence of the attempt that somebody must decide about: the last one.
fn fence_of(field: &Field<'_>, queen: u16, graph: &str, node: &Value) -> Option<u64> {
    let node = node["id"].as_str()?;
    let page = get(field, queen, &format!("/v1/graphs/{graph}/nodes/{node}/attempts"))?;
    page["attempts"].as_array()?.iter().filter_map(|attempt| attempt["fence"].as_u64()).max()
}
