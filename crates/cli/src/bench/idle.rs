//! `antfarm bench idle`: what queens use while foragers are there and nothing is to be done.

use std::fs;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::cpu::CpuTimes;
use super::farm::{Farm, Shape};
use crate::cli::Global;
use crate::console::Console;
use crate::daemon;
use crate::exit::Exit;

/// The cluster settles for this long first.
const SETTLE: Duration = Duration::from_secs(3);

/// Measure what an idle cluster uses
///
/// Starts three queens and a hundred foragers on this machine, with default settings, and tells how much of a core and how
/// much memory each queen takes while nothing is submitted.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/bench-idle.txt"))]
pub(super) struct Idle {
    /// Number of foragers
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=999))]
    foragers: u16,
    /// For how long, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    seconds: u32,
}

#[derive(Debug, Serialize)]
struct Report {
    foragers: u16,
    seconds: u32,
    /// The leader first.
    queens: Vec<Queen>,
}

/// What a queen used.
#[derive(Debug, Clone, Copy, Serialize)]
struct Queen {
    leads: bool,
    /// Percent of a core.
    cpu_percent: f64,
    /// Resident memory at the end.
    resident_mib: f64,
}

impl Idle {
    pub(super) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        let queens = daemon::block_on(self.measure(global))?;
        let report = Report { foragers: self.foragers, seconds: self.seconds, queens };
        console.result(&report, || report.text())?;
        Ok(Exit::Done)
    }

    async fn measure(&self, global: &Global) -> anyhow::Result<Vec<Queen>> {
        let shape = Shape {
            queens: 3,
            foragers: self.foragers,
            slots: antfarm_forager::DEFAULT_SLOTS,
            prefetch: antfarm_forager::DEFAULT_PREFETCH,
            log: Some(daemon::LOG),
            relayed: false,
        };
        let farm = Farm::start(shape, &[], global).await?;
        let leader = farm.whole().await?.leader;
        sleep(SETTLE).await;
        let (before, began) = (CpuTimes::now()?, Instant::now());
        sleep(Duration::from_secs(self.seconds.into())).await;
        let (after, took) = (CpuTimes::now()?, began.elapsed().as_secs_f64());
        let queens = (1..).zip(farm.queen_pids()).map(|(member, pid)| {
            let used = after.of(pid).saturating_sub(before.of(pid)).as_secs_f64();
            Ok(Queen { leads: member == leader, cpu_percent: used * 100.0 / took, resident_mib: resident_mib(pid)? })
        });
        let mut queens = queens.collect::<anyhow::Result<Vec<_>>>()?;
        queens.sort_by_key(|queen| !queen.leads);
        farm.stop().await;
        Ok(queens)
    }
}

/// The resident memory of a process.
fn resident_mib(pid: i32) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).context("the size of a queen cannot be read")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("its status has no VmRSS")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().context("its VmRSS is no number of kB")?;
    Ok(kib / 1_024.0)
}

impl Report {
    fn text(&self) -> String {
        let lines = self.queens.iter().map(|queen| {
            let role = if queen.leads { "the leader" } else { "a follower" };
            format!("{role:10}  {:.1} % of a core, {:.0} MiB\n", queen.cpu_percent, queen.resident_mib)
        });
        format!("{} foragers, nothing to do, {} s\n{}", self.foragers, self.seconds, lines.collect::<String>())
    }
}
