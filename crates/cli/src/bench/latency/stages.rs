//! Where the time of round trips goes, as the leader's metrics tell.

use antfarm_client::Client;
use serde::Serialize;

use crate::bench::range::Range;
use crate::bench::usage::{metrics, value};

/// Means over all round trips. A node takes three entries, one after another: its submission, its assignment, its result.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Stages {
    /// An entry, from proposed to applied.
    pub(super) commit_ms: f64,
    /// A sync of the leader's log.
    pub(super) fsync_ms: f64,
}

/// The metrics at the beginning.
pub(super) struct Begun {
    commits: [f64; 2],
    fsyncs: [f64; 2],
}

impl Stages {
    pub(super) async fn begin(leader: &Client) -> anyhow::Result<Begun> {
        let page = metrics(leader).await?;
        let histogram = |name: &str| -> anyhow::Result<[f64; 2]> {
            Ok([value(&page, &format!("{name}_sum"))?, value(&page, &format!("{name}_count"))?])
        };
        let (commits, fsyncs) = (histogram("antfarm_commit_latency_seconds")?, histogram("antfarm_fsync_seconds")?);
        Ok(Begun { commits, fsyncs })
    }

    pub(super) fn median(of: &(impl Iterator<Item = Self> + Clone)) -> Self {
        let median = |one: fn(Self) -> f64| Range::of(of.clone().map(one)).median;
        Self { commit_ms: median(|run| run.commit_ms), fsync_ms: median(|run| run.fsync_ms) }
    }
}

impl Begun {
    pub(super) async fn end(self, leader: &Client) -> anyhow::Result<Stages> {
        let now = Stages::begin(leader).await?;
        let mean = |now: [f64; 2], then: [f64; 2]| (now[0] - then[0]) * 1e3 / (now[1] - then[1]).max(1.0);
        Ok(Stages { commit_ms: mean(now.commits, self.commits), fsync_ms: mean(now.fsyncs, self.fsyncs) })
    }
}
