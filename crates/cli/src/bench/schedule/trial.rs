//! One run: a cluster of its own, some work to warm up, the work that counts, and the count of what ran.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use antfarm_client::{Ask, Client, Submitted};
use antfarm_env::SystemClocks;
use antfarm_forager::Calls;
use antfarm_model::GraphNo;
use antfarm_model::document::ManifestDocument;
use anyhow::{Context, ensure};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::work::{Document, Pattern};
use crate::bench::farm::{Farm, Shape};
use crate::bench::usage::Usage;
use crate::cli::Global;
use crate::daemon;

/// The warm-up is a tenth of the work, and no more than this.
const MOST_WARM_UP: u32 = 20_000;

/// Submissions that are under way at a time.
const UNDER_WAY: usize = 4;

/// What takes longer than this is not waited for.
const WITHIN: Duration = Duration::from_mins(10);

/// A read that waits for the end of a graph is answered after this time at the latest.
const WAIT: &str = "5s";

/// What a forager's log says of the calls of its tools, at its end.
const SAID: &str = "stopped calls=";

/// What is run.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Trial {
    #[serde(rename = "shape")]
    pub(super) pattern: Pattern,
    /// In all graphs together.
    pub(super) nodes: u32,
    pub(super) graphs: u32,
    pub(super) foragers: u16,
    pub(super) slots: u32,
    pub(super) prefetch: u32,
}

/// What came of one run. All figures but the rate and the counts are per node.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Run {
    pub(super) nodes_per_second: f64,
    pub(super) cpu_us_per_node: Cpu,
    /// Syncs of the logs of all queens.
    pub(super) fsyncs_per_node: f64,
    /// Bytes that they made durable.
    pub(super) bytes_per_node: f64,
    /// Calls of tools: one for each instance, or there is no report.
    #[serde(rename = "instances_run")]
    pub(super) calls: u64,
    /// Terms that passed meanwhile.
    pub(super) elections: u64,
}

/// Microseconds of CPU.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Cpu {
    pub(super) queens: f64,
    /// With the programs that they run.
    pub(super) foragers: f64,
    /// This process.
    pub(super) client: f64,
}

impl Trial {
    pub(super) async fn run(&self, global: &Global) -> anyhow::Result<Run> {
        let tools = self.pattern.tools()?;
        let shape = Shape {
            queens: 3,
            foragers: self.foragers,
            slots: self.slots,
            prefetch: self.prefetch,
            log: Some(daemon::LOG),
            relayed: false,
        };
        let farm = Farm::start(shape, &tools, global).await?;
        let before = farm.whole().await?;
        let client = farm.client_of(before.leader)?;
        for tool in &tools {
            client.put_tool(&ManifestDocument::from(&tool.manifest)).await?;
        }
        let warm_up = self.pattern.documents("warm-up", (self.nodes / 10).clamp(1, MOST_WARM_UP), 1);
        let mut expected = carry_out(&client, warm_up).await?.calls;
        let warm = expected.number;
        let documents = self.pattern.documents("work", self.nodes, self.graphs);
        let used = Usage::now(&farm).await?;
        let work = timeout(WITHIN, carry_out(&client, documents)).await;
        let work = work.with_context(|| format!("the work is not done after {} s", WITHIN.as_secs()))??;
        let used = Usage::now(&farm).await?.since(&used);
        let after = farm.whole().await?;
        expected.add(work.calls);
        let calls = count(&farm.stop().await.foragers)?;
        ensure!(
            calls == expected,
            "{} calls of tools were made for {} instances, or some were called twice and others never: {calls:?}",
            calls.number,
            expected.number
        );
        let calls = calls.number - warm;
        #[expect(clippy::cast_precision_loss, reason = "there are no such numbers of nodes")]
        let nodes = calls as f64;
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / nodes;
        Ok(Run {
            nodes_per_second: nodes / work.took.as_secs_f64(),
            cpu_us_per_node: Cpu {
                queens: micros(used.queens),
                foragers: micros(used.foragers),
                client: micros(used.client),
            },
            fsyncs_per_node: used.fsyncs / nodes,
            bytes_per_node: used.fsynced_bytes / nodes,
            calls,
            elections: after.term - before.term,
        })
    }
}

/// Work that was done.
struct Done {
    /// From the first byte of the first submission to the read that says that the last graph succeeded.
    took: Duration,
    /// The calls of tools that it took.
    calls: Calls,
}

/// Submits graphs and waits for their success.
async fn carry_out(client: &Client, mut documents: Vec<Document>) -> anyhow::Result<Done> {
    let bodies: Vec<String> = documents.iter_mut().map(|document| std::mem::take(&mut document.body)).collect();
    let began = SystemClocks::monotonic();
    let submitted = submit(client, bodies).await?;
    for document in &documents {
        wait_for_success(client, &document.id).await?;
    }
    let took = SystemClocks::monotonic().saturating_sub(began);
    let mut calls = Calls::default();
    for (document, submitted) in documents.iter().zip(&submitted) {
        ensure!(
            u64::from(submitted.graph.nodes.total) == document.instance_count(),
            "graph {} has another number of nodes than was submitted",
            document.id
        );
        calls.add(document.calls(GraphNo(submitted.graph.number)));
    }
    Ok(Done { took, calls })
}

/// Submits graphs; tells what was answered, in the same order.
async fn submit(client: &Client, bodies: Vec<String>) -> anyhow::Result<Vec<Submitted>> {
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut submissions = JoinSet::new();
    for (place, body) in bodies.into_iter().enumerate() {
        let (client, permit) = (client.clone(), under_way.clone().acquire_owned().await?);
        submissions.spawn(async move {
            let submitted = client.submit(body, "application/x-ndjson").await;
            drop(permit);
            submitted.map(|submitted| (place, submitted))
        });
    }
    let mut submitted = Vec::new();
    while let Some(one) = submissions.join_next().await {
        submitted.push(one??);
    }
    submitted.sort_by_key(|(place, _)| *place);
    Ok(submitted.into_iter().map(|(_, submitted)| submitted).collect())
}

/// Waits until a linearizable read says that a graph succeeded.
async fn wait_for_success(client: &Client, id: &str) -> anyhow::Result<()> {
    loop {
        let graph = client.graph(id).await?;
        if graph.finished_at.is_some() {
            ensure!(graph.state == "succeeded", "graph {id} is {}", graph.state);
            return Ok(());
        }
        client.ask(&Ask::read(format!("/v1/graphs/{id}?wait={WAIT}"))).await?; // what it says is read again
    }
}

/// The calls that all foragers together have counted.
fn count(logs: &[PathBuf]) -> anyhow::Result<Calls> {
    let mut all = Calls::default();
    for log in logs {
        all.add(counted(log)?);
    }
    Ok(all)
}

fn counted(log: &Path) -> anyhow::Result<Calls> {
    let text = fs::read_to_string(log).with_context(|| format!("{} cannot be read", log.display()))?;
    let said = text.lines().rev().find_map(said);
    said.with_context(|| format!("{} does not say how often tools were called", log.display()))
}

/// What the last line of a forager's log says.
fn said(line: &str) -> Option<Calls> {
    let (number, digest) = line.split_once(SAID)?.1.split_once(" digest=")?;
    Some(Calls { number: number.parse().ok()?, digest: digest.trim().parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_forager_tells_its_calls() {
        let line = "2026-11-30T16:00:00.000000Z  INFO antfarm::commands::forager::run: stopped calls=12 digest=345";
        assert_eq!(said(line), Some(Calls { number: 12, digest: 345 }));
        assert_eq!(said("2026-11-30T16:00:00.000000Z  INFO antfarm::commands::queen: stopped"), None);
    }
}
