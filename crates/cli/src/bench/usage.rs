//! What the processes of a cluster have used so far: CPU and the disk.

use std::time::Duration;

use antfarm_client::{Ask, Client};
use anyhow::Context;

use super::cpu::CpuTimes;
use super::farm::Farm;

/// Since the processes were started, or since an earlier moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    pub(super) queens: Duration,
    /// With the programs that they run.
    pub(super) foragers: Duration,
    /// This process.
    pub(super) client: Duration,
    /// Syncs of the logs of all queens.
    pub(super) fsyncs: f64,
    /// What they made durable.
    pub(super) fsynced_bytes: f64,
}

impl Usage {
    pub(super) async fn now(farm: &Farm) -> anyhow::Result<Self> {
        let times = CpuTimes::now()?;
        let of = |pids: Vec<i32>| pids.into_iter().map(|pid| times.of(pid)).sum::<Duration>();
        let (queens, foragers) = (of(farm.queen_pids()), of(farm.forager_pids()));
        // Its children are those above.
        let client = times.of(std::process::id().cast_signed()).saturating_sub(queens + foragers);
        let (mut fsyncs, mut fsynced_bytes) = (0.0, 0.0);
        for client in farm.each() {
            let page = metrics(client).await?;
            fsyncs += value(&page, "antfarm_fsync_seconds_count")?;
            fsynced_bytes += value(&page, "antfarm_fsync_bytes_total")?;
        }
        Ok(Self { queens, foragers, client, fsyncs, fsynced_bytes })
    }

    /// What was used between two moments.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            queens: self.queens.saturating_sub(before.queens),
            foragers: self.foragers.saturating_sub(before.foragers),
            client: self.client.saturating_sub(before.client),
            fsyncs: self.fsyncs - before.fsyncs,
            fsynced_bytes: self.fsynced_bytes - before.fsynced_bytes,
        }
    }
}

/// A queen's metrics.
async fn metrics(client: &Client) -> anyhow::Result<String> {
    Ok(client.ask(&Ask::read("/metrics")).await?.text())
}

/// A metric without labels.
fn value(page: &str, name: &str) -> anyhow::Result<f64> {
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value = value.with_context(|| format!("a queen has no metric {name}"))?;
    value.parse().with_context(|| format!("the metric {name} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_by_its_whole_name() {
        let page = "# TYPE syncs counter\nsyncs_total 7\nsyncs 2.5\n";
        assert!(value(page, "syncs").is_ok_and(|value| (value - 2.5).abs() < 1e-9));
        assert!(value(page, "sync").is_err());
    }
}
