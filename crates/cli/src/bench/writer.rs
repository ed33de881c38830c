//! One client that writes without a pause, one small graph after the other: the longest time without an answer is the
//! gap that clients feel.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_client::Client;
use antfarm_env::SystemClocks;
use serde_json::json;
use tokio::task::JoinHandle;

/// A client that writes until this is dropped.
pub(super) struct Writer {
    task: JoinHandle<()>,
    answers: Arc<Mutex<Answers>>,
}

/// The longest time between two answers since it was asked for last, and when the last answer came.
#[derive(Debug, Default)]
struct Answers {
    last: Option<Duration>,
    longest: Duration,
}

impl Writer {
    pub(super) fn start(client: Client) -> Self {
        let answers = Arc::<Mutex<Answers>>::default();
        let task = tokio::spawn(write(client, answers.clone()));
        Self { task, answers }
    }

    /// The longest time without an answer since this was called last.
    pub(super) fn take_gap(&self) -> Duration {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut answers.longest)
    }

    /// Whether there was an answer after a moment.
    pub(super) fn answered_after(&self, moment: Duration) -> bool {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).last.is_some_and(|last| last > moment)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn write(client: Client, answers: Arc<Mutex<Answers>>) {
    for number in 0_u64.. {
        let graph = json!({"id": format!("write-{number}"), "nodes": {"only": {"tool": "noop"}}});
        if client.submit(graph.to_string(), "application/json").await.is_err() {
            continue; // nobody answered: the gap goes on
        }
        let now = SystemClocks::monotonic();
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = answers.last.replace(now) {
            answers.longest = answers.longest.max(now.saturating_sub(last));
        }
    }
}
