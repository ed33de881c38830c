//! Large graphs are read ahead of their submission, on every replica.

use antfarm_model::{Elapsed, Epoch, Limits, LogIndex, WallTime, document};
use antfarm_replication::Replica;
use antfarm_scheduler::{Command, Entry, GraphSource, Reply};

use crate::harness::{Cluster, eventually};

const UPLOAD: u64 = 7;

async fn commit(replica: &Replica, epoch: Epoch, command: Command) -> (LogIndex, Reply) {
    let entry = Entry { epoch, wall: WallTime(1), elapsed: Elapsed(1), commands: vec![command] };
    let outcome = replica.propose(&entry).await.expect("it stands in line").await.expect("it commits");
    (outcome.position.index, outcome.answers[0].clone().expect("nothing speaks against it"))
}

/// The parts of a graph with an array.
fn uploads() -> Vec<Command> {
    let text = b"{id: g, nodes: {n: {tool: echo, array: {count: 3000}}, m: {tool: echo, after: [n]}}}";
    let graph = document::graph(text, &Limits::default()).expect("a good graph");
    let bytes = GraphSource::encode(&graph);
    let (first, second) = bytes.split_at(9);
    let part = |part, bytes: &[u8]| Command::Upload { upload: UPLOAD, part, bytes: bytes.into(), parts: 2 };
    vec![part(1, second), part(0, first)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_is_read_on_every_replica_and_its_submission_comes_to_the_same_also_after_a_restart() {
    let mut cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    let replica = &cluster.replicas[&leader];
    replica.drafted(UPLOAD).await; // there is nothing to wait for
    for command in uploads() {
        commit(replica, office.epoch, command).await;
    }
    replica.drafted(UPLOAD).await;
    let submit = || Command::Submit(GraphSource::Uploaded { upload: UPLOAD, parts: 2 });
    let (index, reply) = commit(replica, office.epoch, submit()).await;
    assert!(matches!(reply, Reply::Submitted { new: true, .. }), "{reply:?}");
    replica.drafted(UPLOAD).await; // it is gone
    cluster.agree(index).await;
    let behind = (1..=3).find(|id| *id != leader).expect("there are others");
    cluster.crash(behind).await;
    cluster.start(behind).await.expect("it replays the log");
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_comes_out_of_a_snapshot_is_read_when_it_is_submitted() {
    let mut cluster = Cluster::new(1);
    cluster.change = |config| {
        config.snapshot_floor_bytes = 1024;
        config.entries_kept = 10;
    };
    cluster.start_all().await;
    let (_, office) = cluster.leader().await;
    for command in uploads() {
        commit(&cluster.replicas[&1], office.epoch, command).await;
    }
    eventually("a snapshot takes the place of the uploads", async || {
        cluster.commit().await;
        (cluster.replicas[&1].status().purged_index > office.index).then_some(())
    })
    .await;
    cluster.crash(1).await;
    cluster.start(1).await.expect("it loads the snapshot");
    let (_, office) = cluster.leader().await;
    let submit = Command::Submit(GraphSource::Uploaded { upload: UPLOAD, parts: 2 });
    let (_, reply) = commit(&cluster.replicas[&1], office.epoch, submit).await;
    assert!(matches!(reply, Reply::Submitted { new: true, .. }), "{reply:?}");
    cluster.shutdown().await;
}
