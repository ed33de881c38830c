//! The background tasks of a replica, which end together.

use std::future::Future;
use std::sync::Arc;

use antfarm_env::Env;
use tokio::sync::watch;

/// Spawns tasks that end when the replica stops. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tasks {
    env: Env,
    /// Its receivers are the running tasks; the value says whether they should stop.
    stop: Arc<watch::Sender<bool>>,
}

impl Tasks {
    pub(crate) fn new(env: Env) -> Self {
        Self { env, stop: Arc::new(watch::Sender::new(false)) }
    }

    /// Runs a task until it ends or the replica stops; then it is dropped at its next `await`.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut stop = self.stop.subscribe();
        self.env.spawn(async move {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => {}
                () = task => {}
            }
        });
    }

    /// Stops all tasks and waits until they have ended.
    pub(crate) async fn stop(&self) {
        self.stop.send_replace(true);
        self.stop.closed().await;
    }
}
