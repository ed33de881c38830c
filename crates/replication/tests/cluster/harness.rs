//! A cluster in one process, and what the tests do with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Net, SystemEnvironment};
use antfarm_model::{Elapsed, Epoch, LogIndex, MemberId, Name, WallTime};
use antfarm_replication::{
    Change, ChangeError, Changed, Member, Office, Pending, Replica, ReplicaConfig, StartError, SystemRuntime,
};
use antfarm_scheduler::{Entry, State};
use antfarm_storage::{Disk, LogEngine, MemoryDisk, MemoryEngine};

use crate::switch::Switch;

/// Longer than anything that a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

const ASK_AGAIN: Duration = Duration::from_millis(5);

/// What a member keeps when its process dies.
#[derive(Clone)]
pub(crate) struct Storage {
    pub(crate) engine: Arc<MemoryEngine>,
    pub(crate) disk: MemoryDisk,
}

impl Storage {
    pub(crate) fn empty() -> Self {
        Self { engine: Arc::new(MemoryEngine::new()), disk: MemoryDisk::new() }
    }

    /// As after a crash.
    pub(crate) fn crashed(&self) -> Self {
        self.disk.crash();
        Self { engine: Arc::new(self.engine.restart()), disk: self.disk.clone() }
    }
}

/// Members on a [`Switch`], each with storage in memory.
pub(crate) struct Cluster {
    pub(crate) switch: Switch,
    pub(crate) replicas: BTreeMap<u64, Replica>,
    pub(crate) storages: BTreeMap<u64, Storage>,
    pub(crate) members: u64,
    pub(crate) change: fn(&mut ReplicaConfig),
}

pub(crate) fn address(id: u64) -> String {
    format!("member-{id}:1")
}

pub(crate) fn members(count: u64) -> BTreeMap<MemberId, Member> {
    (1..=count).map(|id| (MemberId(id), member(id))).collect()
}

pub(crate) fn member(id: u64) -> Member {
    Member { raft: address(id), http: format!("member-{id}:2") }
}

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("tests use valid names")
}

pub(crate) async fn start(
    config: ReplicaConfig,
    net: Net,
    engine: Arc<dyn LogEngine>,
    disk: Arc<dyn Disk>,
    snapshots: &Path,
) -> Result<Replica, StartError> {
    let env = Env::new(SystemEnvironment::current());
    Replica::start::<SystemRuntime>(config, env, net, engine, disk, snapshots).await
}

impl Cluster {
    /// No member runs yet.
    pub(crate) fn new(members: u64) -> Self {
        Self {
            switch: Switch::default(),
            replicas: BTreeMap::new(),
            storages: (1..=members).map(|id| (id, Storage::empty())).collect(),
            members,
            change: |_| (),
        }
    }

    /// All members run, and one leads.
    pub(crate) async fn running(members: u64) -> Self {
        let mut cluster = Self::new(members);
        cluster.start_all().await;
        cluster.leader().await;
        cluster
    }

    pub(crate) async fn start_all(&mut self) {
        for id in 1..=self.members {
            self.start(id).await.expect("a member starts");
        }
    }

    /// Those beyond the initial members join.
    pub(crate) fn config(&self, id: u64) -> ReplicaConfig {
        let mut config = ReplicaConfig::new(name("ants"), MemberId(id), address(id), members(self.members));
        if id > self.members {
            config.initial_members.clear();
            config.join = (1..=self.members).map(address).collect();
        }
        (self.change)(&mut config);
        config
    }

    pub(crate) async fn start(&mut self, id: u64) -> Result<(), StartError> {
        let Storage { engine, disk } = self.storages.entry(id).or_insert_with(Storage::empty).clone();
        let net = self.switch.at(&address(id));
        let replica = start(self.config(id), net, engine, Arc::new(disk), Path::new("/snapshots")).await?;
        self.replicas.insert(id, replica);
        Ok(())
    }

    /// Ends a member as a crash would, and keeps what was durable.
    pub(crate) async fn crash(&mut self, id: u64) {
        let replica = self.replicas.remove(&id).expect("the member runs");
        let crashed = self.storages[&id].crashed();
        replica.shutdown().await;
        self.storages.insert(id, crashed);
    }

    pub(crate) async fn shutdown(mut self) {
        while let Some((_, replica)) = self.replicas.pop_first() {
            replica.shutdown().await;
        }
    }

    /// Waits until a member leads, and opens its office.
    pub(crate) async fn leader(&self) -> (u64, Office) {
        self.leader_among(|_| true).await
    }

    pub(crate) async fn leader_among(&self, eligible: impl Fn(u64) -> bool) -> (u64, Office) {
        eventually("a member leads", async || {
            for (id, replica) in self.replicas.iter().filter(|(id, _)| eligible(**id)) {
                if let Ok(office) = replica.open_office().await {
                    return Some((*id, office));
                }
            }
            None
        })
        .await
    }

    /// Proposes an entry on the leader and waits for its outcome; tells its index.
    pub(crate) async fn commit(&self) -> LogIndex {
        let (id, office) = self.leader().await;
        let pending = propose(&self.replicas[&id], office.epoch).await;
        pending.await.expect("the entry commits").position.index
    }

    /// Changes the membership at whoever leads, until that is done or refused for good.
    pub(crate) async fn change(&self, change: Change) -> Result<Changed, ChangeError> {
        eventually("the membership changes", async || {
            let (leader, _) = self.leader().await;
            match self.replicas[&leader].change_membership(&change).await {
                Err(ChangeError::NotLeader { .. }) => None,
                answer => Some(answer),
            }
        })
        .await
    }

    /// Starts a queen that joins, adds it and makes it a voter.
    pub(crate) async fn grow(&mut self, id: u64) {
        self.start(id).await.expect("it starts");
        self.change(add(id)).await.expect("it is added");
        self.change(promote(id)).await.expect("it catches up and votes");
    }

    /// The voters and the learners, as the leader has them.
    pub(crate) async fn configuration(&self) -> (Vec<u64>, Vec<u64>) {
        let (leader, _) = self.leader().await;
        let members = self.replicas[&leader].status().members;
        let ids = |voter| members.iter().filter(|(_, member)| member.voter == voter).map(|(id, _)| id.0).collect();
        (ids(true), ids(false))
    }

    /// Waits until all running members stand at the same place, not before `index`, and compares their states there.
    pub(crate) async fn agree(&self, index: LogIndex) {
        let mut snapshots = eventually("all members have applied the same", async || {
            let snapshots: Vec<_> = self.replicas.values().map(|replica| replica.read(State::snapshot)).collect();
            let position = snapshots.first()?.position();
            let same = snapshots.iter().all(|snapshot| snapshot.position() == position);
            (same && position.index >= index).then_some(snapshots)
        })
        .await;
        let digest = snapshots.pop().expect("a member runs").digest();
        assert!(snapshots.iter().all(|snapshot| snapshot.digest() == digest), "all replicas have the same state");
    }
}

pub(crate) fn add(id: u64) -> Change {
    Change::Add { id: MemberId(id), member: member(id) }
}

pub(crate) fn promote(id: u64) -> Change {
    Change::Promote { id: MemberId(id) }
}

pub(crate) fn remove(id: u64) -> Change {
    Change::Remove { id: MemberId(id), forced: false }
}

pub(crate) fn entry(epoch: Epoch) -> Entry {
    Entry { epoch, wall: WallTime(1), elapsed: Elapsed(1), commands: Vec::new() }
}

pub(crate) async fn propose(replica: &Replica, epoch: Epoch) -> Pending {
    replica.propose(&entry(epoch)).await.expect("the entry stands in line")
}

/// Asks until there is an answer.
pub(crate) async fn eventually<T>(what: &str, ask: impl AsyncFn() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    };
    let answer = tokio::time::timeout(PATIENCE, asking).await;
    answer.unwrap_or_else(|_| panic!("it never happened that {what}"))
}
