//! SIGKILL, and a new process when the fault is over. Confirmed by a new pid that runs.

use antfarm_testkit::is_alive;
use anyhow::ensure;

use super::{Begun, Standing};
use crate::real::cluster::Cluster;

/// Processes that were killed, with the pids that they had.
struct Killed(Vec<(String, i32)>);

/// Kills those of them that run.
pub(super) fn begin(cluster: &Cluster, names: &[String]) -> anyhow::Result<Option<Begun>> {
    let mut killed = Vec::new();
    for name in names {
        if let Some(pid) = cluster.process(name)?.kill()? {
            killed.push((name.clone(), pid));
        }
    }
    let on = killed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    if killed.is_empty() {
        return Ok(None);
    }
    let begun = Begun { on, confirmed_by: None, standing: Box::new(Killed(killed)) };
    Ok(Some(begun))
}

impl Standing for Killed {
    fn lift(self: Box<Self>, cluster: &Cluster) -> anyhow::Result<Option<String>> {
        let mut confirmed = Vec::new();
        for (name, former) in self.0 {
            let pid = cluster.start(&name)?;
            ensure!(pid != former, "{name} has the pid that it had before it was killed");
            if is_alive(pid) && !is_alive(former) {
                confirmed.push(format!("{name}: pid {former}, then {pid}"));
            }
        }
        Ok((!confirmed.is_empty()).then(|| confirmed.join(", ")))
    }
}
