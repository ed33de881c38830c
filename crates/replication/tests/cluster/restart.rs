//! What is there again after everything stopped.

use std::path::Path;
use std::sync::Arc;

use antfarm_env::Net;
use antfarm_env::TcpNetwork;
use antfarm_model::MemberId;
use antfarm_replication::{Member, Replica, ReplicaConfig};
use antfarm_storage::{SledEngine, SystemDisk};

use crate::harness::{Cluster, eventually, name, propose, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_all_members_loses_nothing_that_was_acknowledged() {
    let mut cluster = Cluster::running(3).await;
    let mut last = cluster.commit().await;
    for _ in 0..50 {
        last = cluster.commit().await;
    }
    for id in 1..=3 {
        cluster.crash(id).await;
    }
    cluster.start_all().await;
    let (_, office) = cluster.leader().await;
    assert!(office.index > last);
    cluster.agree(office.index).await;
    cluster.shutdown().await;
}

async fn on_sled(folder: &Path, listen: &str) -> Replica {
    let member = Member { raft: listen.to_owned(), http: listen.to_owned() };
    let mut config = ReplicaConfig::new(name("ants"), MemberId(1), listen.to_owned(), [(MemberId(1), member)].into());
    config.snapshot_floor_bytes = 1024;
    config.entries_kept = 10;
    let engine = eventually("the database is free", async || SledEngine::open(&folder.join("log")).ok()).await;
    let snapshots = folder.join("snapshots");
    let replica = start(config, Net::new(TcpNetwork), Arc::new(engine), Arc::new(SystemDisk), &snapshots).await;
    replica.expect("the member starts")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_on_disk_comes_back_from_its_snapshot_and_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let listen = Net::new(TcpNetwork).listen("127.0.0.1:0").await.expect("a free port").local_address();
    let replica = on_sled(folder.path(), &listen).await;
    let office = eventually("it leads", async || replica.open_office().await.ok()).await;
    let mut last = office.index;
    for _ in 0..20 {
        let mut pending = Vec::new();
        for _ in 0..100 {
            pending.push(propose(&replica, office.epoch).await);
        }
        for proposal in pending {
            last = proposal.await.expect("it commits").position.index;
        }
    }
    let purged = eventually("the log is purged behind a snapshot", async || {
        let status = replica.status();
        (status.purged_index.0 > 0).then_some(status.purged_index)
    })
    .await;
    replica.shutdown().await;
    drop(replica);

    let again = on_sled(folder.path(), &listen).await;
    let applied = again.read(|state| state.applied().index);
    assert!(applied >= purged, "the snapshot is loaded at once");
    let reopened = eventually("it leads again", async || again.open_office().await.ok()).await;
    assert!(reopened.index > last && reopened.epoch > office.epoch);
    again.shutdown().await;
}
