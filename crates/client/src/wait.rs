//! Waits for the end of a graph, through failovers.

use std::time::Duration;

use tokio::time::Instant;

use crate::address::{path, with_query};
use crate::client::Client;
use crate::error::ClientError;
use crate::transport::Ask;
use crate::views::GraphView;

/// How long a queen is asked to wait each time; then it says how far the graph is.
const STEP: Duration = Duration::from_secs(1);

/// How long to go on while no leader answers.
const WITHOUT_LEADER: Duration = Duration::from_mins(2);

impl Client {
    /// Waits until a graph has ended. `progress` is told how far it is, about every second.
    ///
    /// Goes on while there is no leader, for two minutes; a graph that does not exist is refused at once.
    pub async fn wait_graph(&self, id: &str, mut progress: impl FnMut(&GraphView)) -> Result<GraphView, ClientError> {
        let step = format!("{}ms", STEP.as_millis());
        let ask = Ask::read(with_query(&path("/v1/graphs/{}", &[id]), &[("wait", Some(step))]));
        let mut answered_at = Instant::now();
        loop {
            match self.ask_patiently(&ask, STEP).await {
                Ok(answer) => {
                    answered_at = Instant::now();
                    let graph: GraphView = answer.json()?;
                    progress(&graph);
                    if graph.finished_at.is_some() {
                        return Ok(graph);
                    }
                }
                Err(ClientError::NoLeader(_) | ClientError::OutcomeUnknown(_))
                    if answered_at.elapsed() < WITHOUT_LEADER => {}
                Err(error) => return Err(error),
            }
        }
    }
}
