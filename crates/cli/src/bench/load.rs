//! A constant rate of work: graphs of `noop`, submitted in small steps, whatever happens to queens.

use std::sync::Arc;
use std::time::Duration;

use antfarm_client::Client;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

/// Graphs of one array node per second.
const STEPS: u32 = 20;

/// Submissions that may be under way, such as while nobody leads; then the load waits.
const UNDER_WAY: usize = 256;

/// Work that keeps coming until this is dropped.
pub(super) struct Load(JoinHandle<()>);

impl Load {
    /// So many nodes per second, as instances of array nodes.
    pub(super) fn start(client: Client, nodes_per_second: u32) -> Self {
        let nodes = nodes_per_second.div_ceil(STEPS);
        Self::of(client, STEPS, move |_| json!({"each": {"tool": "noop", "array": {"count": nodes}}}))
    }

    /// So many graphs per second, with the nodes that are said for each number.
    pub(super) fn of(client: Client, graphs_per_second: u32, nodes: impl Fn(u64) -> Value + Send + 'static) -> Self {
        Self(tokio::spawn(keep_up(client, graphs_per_second, nodes)))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn keep_up(client: Client, graphs_per_second: u32, nodes: impl Fn(u64) -> Value) {
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut step = interval(Duration::from_secs(1) / graphs_per_second);
    step.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0_u64.. {
        step.tick().await;
        let Ok(permit) = under_way.clone().acquire_owned().await else { return };
        let client = client.clone();
        let graph = json!({"id": format!("load-{number}"), "nodes": nodes(number)});
        tokio::spawn(async move {
            // A submission that came to nothing is less load for a moment, which the rates of assignments show.
            let _ = client.submit(graph.to_string(), "application/json").await;
            drop(permit);
        });
    }
}
