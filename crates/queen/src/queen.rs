//! A queen: one replica of the control plane, from its start to its stop.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_model::MemberId;
use antfarm_replication::{AsyncRuntime, Failure, Leadership, QueueLength, Replica, ReplicaStatus};
use antfarm_scheduler::State;
use antfarm_storage::{Disk, LogEngine};
use tokio::sync::{oneshot, watch};

use crate::api;
use crate::config::QueenConfig;
use crate::desk::Desk;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::office;
use crate::sessions::Sessions;
use crate::shared::{Parts, Shared};

/// How long a stopping queen tries to hand leadership over.
const HAND_OVER: Duration = Duration::from_secs(2);

/// The folder of the snapshots in the data folder.
const SNAPSHOTS: &str = "snapshots";

/// A replica of the control plane.
#[derive(Debug)]
pub struct Queen;

/// A running queen. Dropping the handle does not stop it.
pub struct QueenHandle {
    shared: Shared,
    http_address: String,
    stop: watch::Sender<bool>,
    office_ended: oneshot::Receiver<()>,
}

/// Why a queen did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its replica did not.
    #[error(transparent)]
    Replica(#[from] antfarm_replication::StartError),
    /// It cannot take connections.
    #[error("cannot listen at {address} for clients and foragers: {error}; is another process using the port?")]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        error: std::io::Error,
    },
}

impl Queen {
    /// Starts a queen. `engine` holds its log and vote; snapshots go to `disk`, below the configured data folder.
    ///
    /// Consensus and the state machine run on `consensus`, everything else on `env`: whatever clients and foragers ask
    /// for, and however long the state machine works at an entry, heartbeats and votes go on. Where there is only one
    /// thread, such as in a simulation, both are the same.
    ///
    /// # Errors
    /// If the data folder is not its own or damaged, or an address cannot be used.
    pub async fn start<R: AsyncRuntime>(
        env: Env,
        consensus: Env,
        engine: Arc<dyn LogEngine>,
        disk: Arc<dyn Disk>,
        net: Net,
        config: QueenConfig,
    ) -> Result<QueenHandle, StartError> {
        let snapshots = config.data_dir.join(SNAPSHOTS);
        let (log, clock) = (engine.clone(), env.clone());
        log.time_syncs(Box::new(move || clock.monotonic()));
        let (replicated, theirs, peers) = (config.replica(), consensus.clone(), net.clone());
        let replica = consensus
            .within(async move { Replica::start::<R>(replicated, theirs, peers, engine, disk, &snapshots).await });
        let replica = replica.await?;
        let listener = net
            .listen(&config.http)
            .await
            .map_err(|error| StartError::Listen { address: config.http.clone(), error })?;
        let http_address = listener.local_address();
        let metrics = Metrics::default();
        let (desk, requests) = Desk::new();
        let (sessions, heard) = Sessions::new();
        let events = Events::start(&env, &replica, metrics.clone());
        let hearing = RwLock::new(None);
        let shared = Shared::new(Parts {
            config,
            env: env.clone(),
            net,
            log,
            replica,
            desk,
            events,
            metrics,
            sessions,
            hearing,
        });
        let stop = watch::Sender::new(false);
        let (ended, office_ended) = oneshot::channel();
        let inputs = office::Inputs { requests, heard, stop: stop.subscribe() };
        let running = office::run(shared.clone(), inputs);
        env.spawn(async move {
            running.await;
            let _ = ended.send(()); // nobody may be waiting for the end
        });
        env.spawn(api::serve(shared.clone(), listener, stop.subscribe()));
        Ok(QueenHandle { shared, http_address, stop, office_ended })
    }
}

impl QueenHandle {
    /// Where it takes connections of clients and foragers, with the real port.
    pub fn http_address(&self) -> &str {
        &self.http_address
    }

    /// The member.
    pub fn member(&self) -> MemberId {
        self.shared.config.id
    }

    /// Whether it seems to lead.
    pub fn leads(&self) -> bool {
        matches!(*self.shared.replica.leadership().borrow(), Leadership::Leading { .. })
    }

    /// How its replica stands.
    pub fn status(&self) -> ReplicaStatus {
        self.shared.replica.status()
    }

    /// How much waits in its queues, each of which has a bound.
    pub fn queues(&self) -> Vec<QueueLength> {
        let Parts { replica, desk, sessions, events, .. } = &*self.shared;
        let queues = replica.queues().into_iter().chain([desk.queue()]).chain(sessions.queues());
        queues.chain(events.queues()).collect()
    }

    /// Looks at the state. `f` must be short: entries are not applied meanwhile.
    pub fn read<T>(&self, f: impl FnOnce(&State) -> T) -> T {
        self.shared.replica.read(f)
    }

    /// Waits until the queen has stopped by itself, and tells why: the process must say so and exit.
    pub async fn failed(&self) -> Failure {
        self.shared.replica.failed().await
    }

    /// Hands leadership over if it leads, then stops.
    pub async fn stop(self) {
        if self.leads() {
            match tokio::time::timeout(HAND_OVER, self.shared.replica.transfer(None)).await {
                Ok(Ok(to)) => tracing::info!(member = to.0, "leadership was handed over"),
                Ok(Err(error)) => tracing::warn!(%error, "leadership was not handed over"),
                Err(_) => tracing::warn!("leadership was not handed over in time"),
            }
        }
        self.stop.send_replace(true);
        let _ = self.office_ended.await; // an office that is gone has ended
        self.shared.replica.shutdown().await;
    }
}

impl std::fmt::Debug for QueenHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueenHandle")
            .field("member", &self.member())
            .field("http", &self.http_address)
            .finish_non_exhaustive()
    }
}
