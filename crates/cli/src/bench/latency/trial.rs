//! One run: a cluster of its own, round trips while it is idle, then a constant rate.

use std::time::Duration;

use antfarm_client::{Ask, Client};
use antfarm_env::SystemClocks;
use anyhow::{Context, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::percentiles::Percentiles;
use super::timeline::{self, Moments};
use crate::bench::farm::{Farm, Logs, Shape};
use crate::bench::load::Load;
use crate::bench::spread::millis;
use crate::cli::Global;

/// Foragers, and what each runs at a time.
const FORAGERS: u16 = 8;
const SLOTS: u32 = 32;

/// Round trips, and time at the rate, that warm the cluster up.
const WARM_TRIPS: u32 = 50;
const WARM_UP: Duration = Duration::from_secs(2);

/// The cluster is idle for up to this long between two round trips, so that they meet it at any moment of its own rhythms.
const IDLE: Duration = Duration::from_millis(5);

/// Nodes of a graph of the constant rate, in chains of two.
const NODES: u32 = 10;

/// What was submitted last has run within this time.
const DONE_WITHIN: Duration = Duration::from_secs(1);

/// What is run.
pub(super) struct Trial {
    /// Nodes per second.
    pub(super) rate: u32,
    pub(super) seconds: u32,
    pub(super) trips: u32,
}

/// What came of one run.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Run {
    /// From before a submission to the answer that the node succeeded.
    pub(super) round_trip: Percentiles,
    /// From the leader's application of the entry that made a node ready to the call of its tool.
    pub(super) ready_to_start: Percentiles,
    /// Nodes that became ready and were started, each second: less than the rate, if the cluster could not keep up.
    pub(super) started_per_second: f64,
}

impl Trial {
    pub(super) async fn run(&self, global: &Global) -> anyhow::Result<Run> {
        let shape = Shape {
            queens: 3,
            foragers: FORAGERS,
            slots: SLOTS,
            prefetch: antfarm_forager::DEFAULT_PREFETCH,
            log: Some(timeline::LOG),
            relayed: false,
        };
        let farm = Farm::start(shape, &[], global).await?;
        let before = farm.whole().await?;
        let trips = round_trips(&farm, self.trips).await?;
        let load = Load::of(farm.client.clone(), self.rate.div_ceil(NODES), |_| chains_of_two());
        sleep(WARM_UP).await;
        let began = SystemClocks::monotonic();
        sleep(Duration::from_secs(self.seconds.into())).await;
        let ended = SystemClocks::monotonic();
        sleep(DONE_WITHIN).await;
        drop(load);
        let after = farm.whole().await?;
        ensure!(
            (after.leader, after.term) == (before.leader, before.term),
            "there was an election meanwhile, so that nothing can be said of this run: is the machine busy with other work?"
        );
        let logs = farm.stop().await;
        let waits = waits(&logs, before.leader, began, ended)?;
        let started = u32::try_from(waits.len()).unwrap_or(u32::MAX);
        Ok(Run {
            round_trip: Percentiles::of(&trips)?,
            ready_to_start: Percentiles::of(&waits)?,
            started_per_second: f64::from(started) / ended.saturating_sub(began).as_secs_f64(),
        })
    }
}

/// Submits nodes one after another; tells how long each took.
async fn round_trips(farm: &Farm, number: u32) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    for trip in 0..WARM_TRIPS + number {
        sleep(farm.env.jitter(IDLE)).await;
        let time = round_trip(&farm.client, &format!("trip-{trip}")).await?;
        if trip >= WARM_TRIPS {
            times.push(time);
        }
    }
    Ok(times)
}

async fn round_trip(client: &Client, id: &str) -> anyhow::Result<Duration> {
    let graph = json!({"id": id, "nodes": {"only": {"tool": "noop"}}}).to_string();
    let began = SystemClocks::monotonic();
    client.submit(graph, "application/json").await?;
    let answer = client.ask(&Ask::read(format!("/v1/graphs/{id}?wait=5s"))).await?;
    let took = SystemClocks::monotonic().saturating_sub(began);
    let graph: Value = answer.json()?;
    ensure!(graph["state"] == "succeeded", "graph {id} is {}", graph["state"]);
    Ok(took)
}

/// Half of the nodes are ready when they are submitted; each of the others follows one of them.
fn chains_of_two() -> Value {
    let nodes = (0..NODES / 2).flat_map(|chain| {
        let first = (format!("a{chain}"), json!({"tool": "noop"}));
        let second = (format!("b{chain}"), json!({"tool": "noop", "after": [format!("a{chain}")]}));
        [first, second]
    });
    Value::Object(nodes.collect())
}

/// How long the instances that became ready within a time waited for the calls of their tools.
fn waits(logs: &Logs, leader: u64, began: Duration, ended: Duration) -> anyhow::Result<Vec<Duration>> {
    let index = usize::try_from(leader - 1).context("members count from 1")?;
    let (mut ready, mut called) = (Moments::new(), Moments::new());
    timeline::read(&logs.queens[index], "ready", &mut ready)?;
    for log in &logs.foragers {
        timeline::read(log, "called", &mut called)?;
    }
    let counted = ready.iter().filter(|(_, at)| (began..ended).contains(*at));
    let waits = counted.map(|(instance, at)| {
        let [graph, node, index] = instance;
        let called = called.get(instance);
        let called = called.with_context(|| {
            format!("node {node}[{index}] of graph {graph} was not started within {} ms", millis(DONE_WITHIN))
        })?;
        called
            .checked_sub(*at)
            .with_context(|| format!("node {node}[{index}] of graph {graph} ran before it was ready"))
    });
    waits.collect()
}
