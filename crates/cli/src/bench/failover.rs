//! `antfarm bench failover`: from a fault of the leader to the first assignment of a higher epoch at a forager.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use antfarm_client::Client;
use antfarm_client::views::ForagerView;
use antfarm_forager::DEFAULT_PREFETCH;
use antfarm_model::document::ManifestDocument;
use antfarm_model::{CostClass, Manifest, Name};
use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::core::linked;
use super::farm::{Farm, Shape, Whole};
use super::fault::Mode;
use super::load::Load;
use super::spread::{Spread, millis};
use super::writer::Writer;
use crate::cli::Global;
use crate::console::Console;
use crate::daemon;
use crate::exit::Exit;

/// The work that goes on meanwhile, in nodes per second.
const RATE: u32 = 2_000;

/// Foragers, and what each runs at a time.
const FORAGERS: u16 = 3;
const SLOTS: u32 = 32;

/// Nodes in each graph that waits, and the tool of all of them.
const NODES_OF_ONE: u32 = 10_000;
const NOBODYS_TOOL: &str = "nobodys";

/// Attempts that run across each fault, and for how long: they must go on, and not be started again.
const HELD: u32 = 16;
const HELD_MS: u64 = 500;

/// A cluster that does not recover within this time does not recover.
const RECOVERS_WITHIN: Duration = Duration::from_secs(30);

/// The load runs for this long before the first fault.
const WARM_UP: Duration = Duration::from_secs(2);

/// Faults come at any moment of the cluster's own rhythms: up to this long after all is well.
const ANY_MOMENT: Duration = Duration::from_millis(250);

/// A forager that is taken for dead is so within this time: a lease, its allowance for drift, and a tick.
const LOST_WITHIN: Duration = Duration::from_secs(12);

/// Measure how long the cluster is without a leader that gives out work
///
/// Starts three queens and three foragers on this machine, with default settings, and lets 2,000 nodes per second run.
/// Then, again and again, it does something to the leader and takes the time until a forager receives the first
/// assignment of a higher epoch, from outside the processes, on CLOCK_MONOTONIC. It also counts foragers that were taken
/// for dead, attempts that were started again, terms, and the longest time for which a client that writes without a pause
/// had no answer.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/bench-failover.txt"))]
pub(super) struct Failover {
    /// How often
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// What is done to the leader
    #[arg(long, value_enum, default_value = "kill")]
    mode: Mode,
    /// Number of queens
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(3..=9))]
    queens: u16,
    /// Nodes that wait all the while, in graphs of 10,000
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=2_000_000))]
    open: u32,
}

/// What is told at the end.
#[derive(Debug, Serialize)]
struct Report {
    mode: Mode,
    trials: u32,
    queens: u16,
    /// Nodes that waited all the while.
    open: u32,
    #[serde(flatten)]
    spread: Spread,
    /// Foragers that were taken for dead.
    wrongly_lost: usize,
    /// Attempts that were started again.
    restarted: usize,
    /// Terms that passed.
    terms: u64,
    /// The longest time without an answer that a client felt, in each trial.
    write_gap: Spread,
    /// Each trial, in milliseconds.
    runs: Vec<f64>,
}

impl Failover {
    pub(super) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        let report = daemon::block_on(self.measure(global, console))?;
        console.end_progress();
        console.result(&report, || report.text())?;
        let is_sound = report.wrongly_lost == 0 && report.restarted == 0;
        Ok(if is_sound { Exit::Done } else { Exit::Failed })
    }

    async fn measure(&self, global: &Global, console: &Console) -> anyhow::Result<Report> {
        let relayed = self.mode == Mode::Isolate;
        let shape = Shape {
            queens: self.queens,
            foragers: FORAGERS,
            slots: SLOTS,
            prefetch: DEFAULT_PREFETCH,
            log: None,
            relayed,
        };
        let mut farm = Farm::start(shape, &[], global).await?;
        let first = farm.whole().await?;
        preload(&farm.client, self.open, console).await?;
        let load = Load::start(farm.client.clone(), RATE);
        let writer = Writer::start(farm.client.clone());
        sleep(WARM_UP).await;
        let ledger = farm.file("ledger");
        let (mut times, mut gaps) = (Vec::new(), Vec::new());
        for trial in 1..=self.trials {
            let (time, gap) = self.trial(&mut farm, &writer, trial, &ledger).await?;
            times.push(time);
            gaps.push(gap);
            console.progress(&format!("{trial} of {}: {:.1} ms", self.trials, millis(time)));
        }
        drop((load, writer));
        sleep(LOST_WITHIN).await;
        let last = farm.whole().await?;
        let report = Report {
            mode: self.mode,
            trials: self.trials,
            queens: self.queens,
            open: self.open,
            spread: Spread::of(&times).context("there is one trial at least")?,
            wrongly_lost: registered_again(&first.foragers, &last.foragers),
            restarted: started_again(&fs::read_to_string(&ledger).context("the ledger cannot be read")?)?,
            terms: last.term - first.term,
            write_gap: Spread::of(&gaps).context("there is one trial at least")?,
            runs: times.into_iter().map(millis).collect(),
        };
        farm.stop().await;
        Ok(report)
    }

    /// One fault; tells how long it took to the first assignment, and how long a client was without an answer.
    async fn trial(
        &self,
        farm: &mut Farm,
        writer: &Writer,
        trial: u32,
        ledger: &Path,
    ) -> anyhow::Result<(Duration, Duration)> {
        let held = json!({
            "id": format!("held-{trial}"),
            "nodes": {"each": {
                "tool": "append", "array": {"count": HELD}, "args": {"path": ledger, "ms": HELD_MS},
            }},
        });
        let Whole { leader, term, .. } = farm.whole().await?;
        let submitted = farm.client.submit(held.to_string(), "application/json").await?;
        sleep(farm.env.jitter(ANY_MOMENT)).await;
        writer.take_gap();
        let at = self.mode.strike(farm, leader).await?;
        let sighting = timeout(RECOVERS_WITHIN, farm.sightings.above(term)).await;
        let sighting = sighting.context("no forager received anything of another leader")??;
        self.mode.mend(farm, leader).await?;
        timeout(RECOVERS_WITHIN, async {
            while !writer.answered_after(sighting.at) {
                sleep(Duration::from_millis(1)).await;
            }
        })
        .await
        .context("no queen answered a client that writes")?;
        let gap = writer.take_gap();
        let ended = farm.client.watch_submitted(submitted).ended().await?;
        ensure!(ended.state == "succeeded", "graph {} is {}", ended.id, ended.state);
        Ok((sighting.at.saturating_sub(at), gap))
    }
}

impl Report {
    fn text(&self) -> String {
        let Self { mode, trials, queens, open, spread, wrongly_lost, restarted, terms, write_gap, .. } = self;
        format!(
            "{trials} × {} of the leader of {queens} queens, at {RATE} nodes per second, {open} open\n\
             to the first assignment  median {:.1} ms, p99 {:.1} ms, max {:.1} ms\n\
             a client's longest gap   median {:.1} ms, p99 {:.1} ms, max {:.1} ms\n\
             foragers wrongly lost    {wrongly_lost}\n\
             attempts started again   {restarted}\n\
             terms                    {terms}\n",
            mode.as_str(),
            spread.median_ms,
            spread.p99_ms,
            spread.max_ms,
            write_gap.median_ms,
            write_gap.p99_ms,
            write_gap.max_ms,
        )
    }
}

/// Submits nodes that never become ready, since the first of each graph waits for a tool that no forager has.
async fn preload(client: &Client, nodes: u32, console: &Console) -> anyhow::Result<()> {
    if nodes > 0 {
        let name = Name::new(NOBODYS_TOOL).context("it has the form of a name")?;
        client.put_tool(&ManifestDocument::from(&Manifest::new(name, CostClass::Io))).await?;
    }
    for graph in 0..nodes.div_ceil(NODES_OF_ONE) {
        console.progress(&format!("{} of {nodes} nodes submitted", graph * NODES_OF_ONE));
        client.submit(linked(graph, NODES_OF_ONE.min(nodes), NOBODYS_TOOL), "application/x-ndjson").await?;
    }
    Ok(())
}

/// Foragers whose processes went on, and which had to register again all the same.
fn registered_again(before: &[ForagerView], after: &[ForagerView]) -> usize {
    let incarnations: BTreeMap<&str, u64> =
        before.iter().map(|forager| (forager.name.as_str(), forager.incarnation)).collect();
    after.iter().filter(|forager| incarnations.get(forager.name.as_str()) != Some(&forager.incarnation)).count()
}

/// Starts in a ledger beyond the first of each instance.
fn started_again(ledger: &str) -> anyhow::Result<usize> {
    let mut starts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in ledger.lines() {
        let entry: Value = serde_json::from_str(line).context("a line of the ledger is not JSON")?;
        if entry["event"] == "start" {
            *starts.entry((entry["graph"].to_string(), entry["index"].to_string())).or_default() += 1;
        }
    }
    Ok(starts.values().map(|count| count - 1).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_start_of_an_instance_is_counted() {
        let line = |event: &str, index: u32| json!({"event": event, "graph": "held-1", "index": index}).to_string();
        let ledger = [line("start", 0), line("start", 1), line("end", 0), line("start", 1)].join("\n");
        assert_eq!(started_again(&ledger).expect("it is a ledger"), 1);
    }
}
