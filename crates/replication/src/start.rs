//! How a replica starts: identity, state, log, consensus, peers, in this order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use antfarm_env::{Env, Net};
use antfarm_scheduler::State;
use antfarm_storage::{Disk, LogEngine, SnapshotFiles};
use openraft::{AsyncRuntime, Raft};
use tokio::sync::{Semaphore, mpsc, watch};

use crate::bootstrap::{Bootstrap, Joining};
use crate::config::ReplicaConfig;
use crate::core::{Core, RaftCore, watch_metrics};
use crate::disk_watch::DiskWatch;
use crate::error::StartError;
use crate::feed::Feed;
use crate::identity::{Identity, PeerDisks};
use crate::log_store::LogStore;
use crate::membership::{Removed, expelled};
use crate::metrics::Metrics;
use crate::record::decode_vote;
use crate::state_machine::StateMachine;
use crate::status::Leadership;
use crate::succession::{self, Campaigns, Succession};
use crate::tasks::Tasks;
use crate::transport::{self, Context, Gate, Handler, Heard, LifeV1, Links, NetworkFactory, Peers};
use crate::types::Types;
use crate::watched_engine::WatchedEngine;

/// Starts a replica; [`Replica::start`](crate::Replica::start) says what is true when this returns.
pub(crate) async fn start<R: AsyncRuntime>(
    config: ReplicaConfig,
    env: Env,
    net: Net,
    engine: Arc<dyn LogEngine>,
    disk: Arc<dyn Disk>,
    snapshots: &Path,
) -> Result<(Arc<dyn Core>, Feed), StartError> {
    config.check()?;
    let raft_config = Arc::new(config.to_openraft()?);
    let failure = watch::Sender::new(None);
    let (disk_watch, still) = (DiskWatch::new(env.clone()), watch::Sender::new(false));
    let engine: Arc<dyn LogEngine> = Arc::new(WatchedEngine::new(engine, failure.clone(), disk_watch.clone()));
    let identity = Identity::establish(engine.as_ref(), &config, &env).await?;
    let files = SnapshotFiles::open(disk, snapshots)?;
    let feed = Feed::new(State::new(config.generation), config.outcomes_kept);
    let tasks = Tasks::new(env.clone());
    let removed = Removed::new();
    let context = Arc::new(Context {
        env: env.clone(),
        net: net.clone(),
        identity,
        disks: PeerDisks::new(engine.clone(), removed.clone()),
        removed: removed.clone(),
        frame_bytes: config.limits.frame_bytes as usize,
        tasks: tasks.clone(),
        refusals: watch::Sender::new(None),
        heard: Heard::new(env.clone()),
        links: Links::new(),
    });
    let peers = Arc::new(Peers::new(context.clone()));
    let gate = Gate::new(config.election_timeout_max, still.subscribe());
    let network = NetworkFactory {
        env: env.clone(),
        peers: peers.clone(),
        files: files.clone(),
        member: config.member,
        append_within: config.election_timeout_max,
        gate: gate.clone(),
    };
    let life = LifeV1 { began_after_term: engine.vote().map_or(Ok(0), |vote| term_of(&vote))? };
    let log = LogStore::open(engine, env, config.entries_bytes()).map_err(|error| stored(&error))?;
    let env = context.env.clone();
    let machine = StateMachine::new(feed.clone(), files.clone(), env, config.snapshot_floor_bytes, removed.clone());
    let (snapshots, stalls, drafting) = (machine.snapshots(), machine.stalls(), machine.drafting());
    let raft = Raft::<Types<R>, _>::build(config.member.0, raft_config, network, log, machine);
    let raft = raft.await.map_err(|fatal| stored(&fatal))?;
    let listener = net.listen(&config.raft_listen).await;
    let listener = listener.map_err(|source| StartError::Listen { address: config.raft_listen.clone(), source })?;
    let metrics = Metrics::new(config.member, raft.metrics());
    gate.follow(metrics.clone());
    raft.run();

    let core = RaftCore {
        raft: raft.clone(),
        metrics: metrics.clone(),
        feed: feed.clone(),
        peers,
        context: context.clone(),
        tasks: tasks.clone(),
        leadership: watch::Sender::new(Leadership::Following { leader: None }),
        members: watch::Sender::new(BTreeMap::new()),
        failure,
        in_flight: Arc::new(Semaphore::new(config.proposals_in_flight)),
        campaigns: Campaigns::default(),
        snapshots,
        stalls,
        drafting,
        removed,
        config,
    };
    let hints = (core.leadership.clone(), core.members.clone());
    tasks.spawn(watch_metrics(metrics, still.subscribe(), hints, core.failure.clone()));
    tasks.spawn(disk_watch.run(core.config.standstill(), still));
    let (statements, heard) = mpsc::channel(succession::MAX_UNHEARD);
    let succession = Succession::new(
        context.clone(),
        core.peers.clone(),
        raft.clone(),
        heard,
        core.campaigns.clone(),
        core.config.election_timeout_max,
    );
    tasks.spawn(succession.run());
    let handler = Handler {
        context,
        raft,
        files,
        initial_members: core.config.initial_members.keys().map(|id| id.0).collect(),
        life,
        statements,
        campaigns: core.campaigns.clone(),
        connections: Mutex::default(),
    };
    tasks.spawn(transport::serve(listener, Arc::new(handler)));
    begin(&core);
    Ok((Arc::new(core), feed))
}

/// Lets the cluster begin in the background, or joins it, if that has not happened yet; and watches for the end of this
/// membership.
fn begin<R: AsyncRuntime>(core: &RaftCore<R>) {
    let (member, removed, failure) = (core.config.member, core.removed.clone(), core.failure.clone());
    let refusals = core.context.refusals.clone();
    core.tasks.spawn(async move {
        failure.send_replace(Some(expelled(member, removed, refusals).await));
    });
    let joining = Joining { context: core.context.clone(), addresses: core.config.join.clone() };
    let bootstrap = Bootstrap {
        env: core.context.env.clone(),
        member: core.config.member,
        initial_members: core.config.initial_members.clone(),
        peers: core.peers.clone(),
        refusals: core.context.refusals.clone(),
    };
    let (raft, failure) = (core.raft.clone(), core.failure.clone());
    core.tasks.spawn(async move {
        let begun = if joining.addresses.is_empty() { bootstrap.run(&raft).await } else { joining.run(&raft).await };
        if let Err(refused) = begun {
            failure.send_replace(Some(refused));
        }
    });
}

/// The term of a stored vote.
fn term_of(vote: &[u8]) -> Result<u64, StartError> {
    decode_vote(vote).map(|vote| vote.leader_id.term).map_err(|error| stored(&error))
}

fn stored(error: &dyn std::fmt::Display) -> StartError {
    StartError::Stored(error.to_string())
}
