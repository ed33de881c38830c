//! The end of a run, without faults: how soon all is well, and how everything stands.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::config::{FORAGERS, QUEENS};
use super::field::{Field, PATIENCE};
use super::watch::position;
use crate::history::{Call, Goal, GraphShown, GraphSpec, NodeSpec, Scribe, Tool, What};
use crate::work::Came;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(30);

/// After which time it is no use to wait any longer; each goal has its own, shorter bound, which its checker knows.
const GIVE_UP_AFTER: Duration = Duration::from_secs(75);

/// A page of a list.
const PAGE: usize = 1_000;

/// Waits for one goal after the other, and writes down how long each took. Whether there is anybody to ask at the end.
pub(super) fn settle(field: &Field<'_>, scribe: &mut Scribe<'_>) -> anyhow::Result<bool> {
    reach(Instant::now(), || all_answer(field)).map_err(|last| anyhow::anyhow!("a queen does not come up: {last}"))?;
    let healed = Instant::now();
    let leader = goal(scribe, Goal::Leader, healed, || linearizable(field, "/v1/graphs?limit=1").map(drop));
    if leader.is_none() {
        return Ok(false);
    }
    let leader = Instant::now();
    let fresh = fresh_graph();
    field.known().graphs.push(fresh.clone());
    let mut asker = field.recorder.scribe("closing-client");
    goal(scribe, Goal::FreshSubmission, leader, || submit(field, &mut asker, &fresh));
    if goal(scribe, Goal::AllFinal, leader, || all_final(field)).is_some() {
        let mut looker = field.recorder.scribe("closing-poll");
        goal(scribe, Goal::Settled, Instant::now(), || settled(field, &mut looker));
    }
    Ok(true)
}

/// Writes down how all graphs stand, and what their results are.
pub(super) fn final_reads(field: &Field<'_>, scribe: &mut Scribe<'_>) -> anyhow::Result<()> {
    let mut after = String::new();
    loop {
        let page = linearizable(field, &format!("/v1/graphs?limit={PAGE}{after}"))?;
        for graph in page["graphs"].as_array().context("a page has graphs")? {
            let graph = GraphShown::read(graph).context("a graph is shown as ever")?;
            let results = results(field, &graph.id)?;
            scribe.write(What::Final { graph, results });
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return Ok(()),
        }
    }
}

/// Writes down when a goal is reached. Nothing if it is not.
fn goal(
    scribe: &mut Scribe<'_>,
    goal: Goal,
    since: Instant,
    look: impl FnMut() -> anyhow::Result<()>,
) -> Option<Duration> {
    let (after, last_look) = match reach(since, look) {
        Ok(after) => (Some(after), String::new()),
        Err(last_look) => (None, last_look),
    };
    let after_ms = after.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
    scribe.write(What::Reached { goal, after_ms, last_look });
    after
}

/// Looks again and again; how long after `since` it was as wanted, or what was wrong at the last look.
fn reach(since: Instant, mut look: impl FnMut() -> anyhow::Result<()>) -> Result<Duration, String> {
    let give_up = Instant::now() + GIVE_UP_AFTER;
    loop {
        match look() {
            Ok(()) => return Ok(since.elapsed()),
            Err(last) if Instant::now() > give_up => return Err(format!("{last:#}")),
            Err(_) => std::thread::sleep(LOOK_EVERY),
        }
    }
}

fn all_answer(field: &Field<'_>) -> anyhow::Result<()> {
    (1..=QUEENS).try_for_each(|queen| {
        let answer = field.cluster.http(queen).within(PATIENCE).get("/healthz")?;
        ensure!(answer.status == 200, "queen-{queen} is not healthy");
        Ok(())
    })
}

/// Asks the queens in turn for what only a leader with a quorum may say.
fn linearizable(field: &Field<'_>, path: &str) -> anyhow::Result<Value> {
    let mut last = None;
    for queen in 1..=QUEENS {
        match field.cluster.http(queen).within(PATIENCE).get(path).and_then(|answer| answer.ok()) {
            Ok(body) => return Ok(body),
            Err(error) => last = Some(error.context(format!("queen-{queen}"))),
        }
    }
    Err(last.context("there are queens")?)
}

fn fresh_graph() -> GraphSpec {
    let tool = Tool::Echo { word: "fresh".into() };
    GraphSpec::new("fresh".into(), vec![NodeSpec::new("only", tool, &[])])
}

fn submit(field: &Field<'_>, scribe: &mut Scribe<'_>, graph: &GraphSpec) -> anyhow::Result<()> {
    let came = field.ask(scribe, 1, &Call::Submit { graph: graph.clone() });
    ensure!(matches!(came, Came::Done), "a fresh submission is not acknowledged");
    Ok(())
}

/// Every graph that is there has ended: more than was acknowledged, as a submission may have been taken unheard.
fn all_final(field: &Field<'_>) -> anyhow::Result<()> {
    let page = linearizable(field, &format!("/v1/graphs?state=running&limit={PAGE}"))?;
    let running = page["graphs"].as_array().context("a page has graphs")?;
    let Some(first) = running.first() else { return Ok(()) };
    let id = first["id"].as_str().unwrap_or_default();
    let nodes = linearizable(field, &format!("/v1/graphs/{id}/nodes?limit={PAGE}"));
    let nodes = nodes.map(|nodes| nodes["nodes"].to_string()).unwrap_or_default();
    anyhow::bail!("{} graphs run, such as {id}: {nodes}", running.len())
}

fn settled(field: &Field<'_>, scribe: &mut Scribe<'_>) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    for queen in 1..=QUEENS {
        let cluster = position(field, queen, scribe).with_context(|| format!("queen-{queen} does not answer"))?;
        ensure!(cluster["open_attempts"] == 0, "{} attempts are open", cluster["open_attempts"]);
        ensure!(cluster["leader"].is_u64(), "queen-{queen} knows no leader");
        seen.push(
            [&cluster["applied_index"], &cluster["state_digest"], &cluster["leader"], &cluster["term"]]
                .map(Value::to_string),
        );
    }
    ensure!(seen.iter().all(|one| *one == seen[0]), "queens differ: {seen:?}");
    let foragers = linearizable(field, "/v1/foragers")?;
    let foragers = foragers["foragers"].as_array().context("a page has foragers")?;
    let ready = foragers.iter().filter(|one| one["state"] == "ready").count();
    ensure!(ready == usize::from(FORAGERS) && ready == foragers.len(), "foragers are {foragers:?}");
    Ok(())
}

/// All results of a graph, by instance.
fn results(field: &Field<'_>, graph: &str) -> anyhow::Result<BTreeMap<String, Value>> {
    let page = linearizable(field, &format!("/v1/graphs/{graph}/results?limit={PAGE}"))?;
    let results = page["results"].as_array().context("a page has results")?;
    let results = results.iter().map(|one| (one["id"].as_str().unwrap_or_default().to_owned(), one["result"].clone()));
    Ok(results.collect())
}
