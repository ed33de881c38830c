//! SIGSTOP and SIGCONT. Confirmed by the state `T` in `/proc`.

use super::{Begun, Standing};
use crate::real::cluster::Cluster;

/// A process that stands still.
struct Stopped(String);

/// Stops it, if it runs.
pub(super) fn begin(cluster: &Cluster, name: &str) -> anyhow::Result<Option<Begun>> {
    let Some(pid) = cluster.process(name)?.pause()? else { return Ok(None) };
    let confirmed_by = Some(format!("state T of pid {pid}"));
    Ok(Some(Begun { on: name.to_owned(), confirmed_by, standing: Box::new(Stopped(name.to_owned())) }))
}

impl Standing for Stopped {
    /// A process that was killed while it stood still has nothing to be woken up.
    fn lift(self: Box<Self>, cluster: &Cluster) -> anyhow::Result<Option<String>> {
        cluster.process(&self.0)?.resume();
        Ok(None)
    }
}
