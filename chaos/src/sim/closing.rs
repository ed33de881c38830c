//! How soon all is well without faults, and how everything stands then.

use std::collections::BTreeMap;
use std::time::Duration;

use antfarm_client::{Ask, Client};
use anyhow::{Context, ensure};
use serde_json::Value;
use tokio::time::Instant;

use super::chronicle::Pen;
use super::field::{Field, PATIENCE};
use super::watch::position;
use crate::history::{Call, Goal, GraphShown, GraphSpec, NodeSpec, Tool, What};
use crate::work::Came;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(80);

/// After which time it is no use to wait any longer; each goal has its own, shorter bound, which its checker knows.
const GIVE_UP_AFTER: Duration = Duration::from_secs(75);

/// A page of a list.
const PAGE: usize = 1_000;

/// Waits until some queens have a leader and take a fresh submission; whether they have one.
pub(super) async fn serves(field: &Field, pen: &mut Pen, queens: &[u16], fresh: &str) -> bool {
    let client = field.client(queens, PATIENCE);
    let leader = goal(pen, Goal::Leader, async || linearizable(&client, "/v1/graphs?limit=1").await.map(drop)).await;
    if !leader {
        return false;
    }
    let graph = fresh_graph(fresh);
    field.known().graphs.push(graph.clone());
    let mut asker = field.chronicle.pen(format!("asker-{fresh}"));
    let first = queens[0];
    goal(pen, Goal::FreshSubmission, async || {
        let came = field.ask(&mut asker, first, &Call::Submit { graph: graph.clone() }).await;
        ensure!(came == Came::Done, "a fresh submission is not acknowledged");
        Ok(())
    })
    .await;
    true
}

/// Waits until every graph has ended, and then until everything is at rest.
pub(super) async fn settle(field: &Field, pen: &mut Pen) {
    let client = field.client(&field.queen_ids(), PATIENCE);
    if goal(pen, Goal::AllFinal, async || all_final(&client).await).await {
        let mut looker = field.chronicle.pen("closing-poll");
        goal(pen, Goal::Settled, async || settled(field, &client, &mut looker).await).await;
    }
}

/// Writes down how all graphs stand, and what their results are.
pub(super) async fn final_reads(field: &Field, pen: &mut Pen) -> anyhow::Result<()> {
    let client = field.client(&field.queen_ids(), GIVE_UP_AFTER);
    let mut after = String::new();
    loop {
        let page = linearizable(&client, &format!("/v1/graphs?limit={PAGE}{after}")).await?;
        for graph in page["graphs"].as_array().context("a page has graphs")? {
            let graph = GraphShown::read(graph).context("a graph is shown as ever")?;
            let results = results(&client, &graph.id).await?;
            pen.write(What::Final { graph, results });
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return Ok(()),
        }
    }
}

/// Looks again and again, and writes down how long it took until it was as wanted; whether it ever was.
pub(super) async fn goal(pen: &mut Pen, goal: Goal, mut look: impl AsyncFnMut() -> anyhow::Result<()>) -> bool {
    let began = Instant::now();
    let (after, last_look) = loop {
        match look().await {
            Ok(()) => break (Some(began.elapsed()), String::new()),
            Err(last) if began.elapsed() > GIVE_UP_AFTER => break (None, format!("{last:#}")),
            Err(_) => tokio::time::sleep(LOOK_EVERY).await,
        }
    };
    let after_ms = after.map(super::clock::millis);
    pen.write(What::Reached { goal, after_ms, last_look });
    after.is_some()
}

/// What only a leader with a quorum may say.
async fn linearizable(client: &Client, path: &str) -> anyhow::Result<Value> {
    Ok(client.ask(&Ask::read(path)).await?.json()?)
}

pub(super) fn fresh_graph(id: &str) -> GraphSpec {
    let tool = Tool::Echo { word: "fresh".into() };
    GraphSpec::new(id.into(), vec![NodeSpec::new("only", tool, &[])])
}

/// Every graph that is there has ended: more than was acknowledged, as a submission may have been taken unheard.
async fn all_final(client: &Client) -> anyhow::Result<()> {
    let page = linearizable(client, &format!("/v1/graphs?state=running&limit={PAGE}")).await?;
    let running = page["graphs"].as_array().context("a page has graphs")?;
    let Some(first) = running.first() else { return Ok(()) };
    let id = first["id"].as_str().unwrap_or_default();
    let nodes = linearizable(client, &format!("/v1/graphs/{id}/nodes?limit={PAGE}")).await;
    let nodes = nodes.map(|nodes| nodes["nodes"].to_string()).unwrap_or_default();
    anyhow::bail!("{} graphs run, such as {id}: {nodes}", running.len())
}

async fn settled(field: &Field, client: &Client, pen: &mut Pen) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    for queen in field.queen_ids() {
        let cluster = position(field, queen, pen).await.with_context(|| format!("queen-{queen} does not answer"))?;
        ensure!(cluster["open_attempts"] == 0, "{} attempts are open", cluster["open_attempts"]);
        ensure!(cluster["leader"].is_u64(), "queen-{queen} knows no leader");
        seen.push(
            [&cluster["applied_index"], &cluster["state_digest"], &cluster["leader"], &cluster["term"]]
                .map(Value::to_string),
        );
    }
    ensure!(seen.iter().all(|one| *one == seen[0]), "queens differ: {seen:?}");
    let foragers = linearizable(client, "/v1/foragers").await?;
    let foragers = foragers["foragers"].as_array().context("a page has foragers")?;
    let ready = foragers.iter().filter(|one| one["state"] == "ready").count();
    ensure!(ready == field.foragers().len() && ready == foragers.len(), "foragers are {foragers:?}");
    Ok(())
}

/// All results of a graph, by instance.
async fn results(client: &Client, graph: &str) -> anyhow::Result<BTreeMap<String, Value>> {
    let page = linearizable(client, &format!("/v1/graphs/{graph}/results?limit={PAGE}")).await?;
    let results = page["results"].as_array().context("a page has results")?;
    let results = results.iter().map(|one| (one["id"].as_str().unwrap_or_default().to_owned(), one["result"].clone()));
    Ok(results.collect())
}
