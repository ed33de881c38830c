//! One client: does one thing after the other, each at some queen, and goes on with the next queen when one does not answer.

use std::time::Duration;

use antfarm_client::Ask;
use serde_json::Value;

use super::chronicle::Pen;
use super::field::{Field, PATIENCE};
use crate::history::{Call, GraphSpec};
use crate::random::Random;
use crate::work::{Came, Moments, graph, verdict};

/// A submission whose outcome is unknown is repeated at the next queen, at most so often.
const TRIES: usize = 6;

/// Of a hundred operations, so many submit something new.
const NEW_PERCENT: u64 = 40;

/// Between two looks of who decides.
const LOOK_EVERY: Duration = Duration::from_millis(900);

/// How clients work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    /// Between two operations they pause for at most so long.
    pub(super) most_pause_ms: u64,
    /// Whether their nodes may wait for a moment.
    pub(super) may_wait: bool,
}

/// Works as long as there is work.
pub(super) async fn work(field: Field, number: usize, habits: Habits, mut random: Random) {
    let mut pen = field.chronicle.pen(format!("client-{number}"));
    let mut submitted = 0;
    let _working = field.begin_work();
    while field.has_work() {
        let queen = field.any_queen(&mut random);
        if random.percent(NEW_PERCENT) {
            submitted += 1;
            let moments = Moments { now_ms: field.time.wall_ms(), may_wait: habits.may_wait };
            let graph = graph(format!("c{number}-{submitted}"), true, moments, &mut random);
            field.known().graphs.push(graph.clone());
            submit(&field, &mut pen, queen, &graph).await;
        } else {
            let call = field.known().about(&mut random);
            if let Some(call) = call {
                field.ask(&mut pen, queen, &call).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(random.below(habits.most_pause_ms))).await;
    }
}

/// Submits until somebody says yes or no.
async fn submit(field: &Field, pen: &mut Pen, first: u16, graph: &GraphSpec) {
    let call = Call::Submit { graph: graph.clone() };
    for queen in field.queens_from(first).cycle().take(TRIES) {
        if field.ask(pen, queen, &call).await != Came::Unknown {
            return;
        }
    }
}

/// Decides what nobody knows, the fate of irrevocable attempts, until the run closes.
pub(super) async fn decide(field: Field, mut random: Random) {
    let mut pen = field.chronicle.pen("decider");
    while field.is_open() {
        let queen = field.any_queen(&mut random);
        for (graph, node) in undecided(&field, queen).await {
            let Some(id) = node["id"].as_str() else { continue };
            let Some(fence) = fence_of(&field, queen, &graph, id).await else { continue };
            let verdict = verdict(&mut random);
            let index = node["index"].as_u64().and_then(|index| u32::try_from(index).ok()).unwrap_or(0);
            let call = Call::Decide { graph, node: id.to_owned(), index, fence, verdict };
            field.ask(&mut pen, queen, &call).await;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn get(field: &Field, queen: u16, path: String) -> Option<Value> {
    field.client(&[queen], PATIENCE).ask(&Ask::read(path)).await.ok()?.json().ok()
}

/// Graphs with the nodes in them that wait for a decision.
async fn undecided(field: &Field, queen: u16) -> Vec<(String, Value)> {
    let page = get(field, queen, "/v1/graphs?state=running&limit=1000".into()).await;
    let graphs = page.and_then(|page| page["graphs"].as_array().cloned()).unwrap_or_default();
    let waiting = graphs.iter().filter(|graph| graph["nodes"]["needs_decision"].as_u64() > Some(0));
    let mut all = Vec::new();
    for id in waiting.filter_map(|graph| graph["id"].as_str()) {
        let page = get(field, queen, format!("/v1/graphs/{id}/nodes?state=needs_decision")).await;
        let nodes = page.and_then(|page| page["nodes"].as_array().cloned()).unwrap_or_default();
        all.extend(nodes.into_iter().map(|node| (id.to_owned(), node)));
    }
    all
}

/// The fence of the attempt that somebody must decide about: the last one.
async fn fence_of(field: &Field, queen: u16, graph: &str, node: &str) -> Option<u64> {
    let page = get(field, queen, format!("/v1/graphs/{graph}/nodes/{node}/attempts")).await?;
    page["attempts"].as_array()?.iter().filter_map(|attempt| attempt["fence"].as_u64()).max()
}
