//! Bounds, and what happens at them.

use std::time::Duration;

use antfarm_model::{Elapsed, WallTime};
use antfarm_replication::{Gap, ProposeError};
use antfarm_scheduler::{Command, Entry};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{Cluster, address, propose};

const ENTRY_BYTES: u32 = 64 << 10;

fn large(epoch: antfarm_model::Epoch, bytes: usize) -> Entry {
    let command = Command::Upload { upload: 1, part: 0, bytes: vec![b'x'; bytes].into(), parts: 2 };
    Entry { epoch, wall: WallTime(1), elapsed: Elapsed(1), commands: vec![command] }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_entries_replicate_and_too_large_ones_are_refused() {
    let mut cluster = Cluster::new(3);
    cluster.change = |config| {
        config.limits.entry_bytes = ENTRY_BYTES;
        config.limits.frame_bytes = 3 * ENTRY_BYTES;
    };
    cluster.start_all().await;
    let (leader, office) = cluster.leader().await;
    let replica = &cluster.replicas[&leader];
    let mut pending = Vec::new();
    for _ in 0..40 {
        pending.push(replica.propose(&large(office.epoch, 60 << 10)).await.expect("it stands in line"));
    }
    let mut last = office.index;
    for proposal in pending {
        last = proposal.await.expect("it commits").position.index;
    }
    cluster.agree(last).await;
    let refused = replica.propose(&large(office.epoch, ENTRY_BYTES as usize)).await;
    assert!(matches!(refused, Err(ProposeError::TooLarge { limit: ENTRY_BYTES, .. })));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_proposals_than_may_be_under_way_wait() {
    let mut cluster = Cluster::new(3);
    cluster.change = |config| config.proposals_in_flight = 2;
    cluster.start_all().await;
    let (leader, office) = cluster.leader().await;
    let replica = &cluster.replicas[&leader];
    for other in (1..=3).filter(|id| *id != leader) {
        cluster.switch.cut(&address(other), &address(leader));
    }
    let first = propose(replica, office.epoch).await;
    let _second = propose(replica, office.epoch).await;
    let third = entry_waits(replica, office.epoch).await;
    assert!(third, "the third waits for one of the others");
    drop(first);
    propose(replica, office.epoch).await;
    cluster.switch.heal();
    cluster.shutdown().await;
}

async fn entry_waits(replica: &antfarm_replication::Replica, epoch: antfarm_model::Epoch) -> bool {
    let entry = large(epoch, 1);
    tokio::time::timeout(Duration::from_millis(50), replica.propose(&entry)).await.is_err()
}

#[tokio::test]
async fn a_reader_of_outcomes_that_is_too_slow_is_told() {
    let mut cluster = Cluster::new(1);
    cluster.change = |config| config.outcomes_kept = 4;
    cluster.start_all().await;
    cluster.leader().await;
    let mut outcomes = cluster.replicas[&1].outcomes();
    for _ in 0..10 {
        cluster.commit().await;
    }
    assert_eq!(outcomes.next().await, Err(Gap::Lagged(6)));
    assert!(outcomes.next().await.is_ok());
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_that_sends_nonsense_is_dropped_and_disturbs_nobody() {
    let cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    for nonsense in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 64], &[4, 0, 0, 0, 1, 2, 3, 4, b'a', b'n', b't', b's']] {
        let mut stream = cluster.switch.at("stranger:1").connect(&address(leader)).await.expect("it listens");
        stream.write_all(nonsense).await.expect("it takes a few bytes");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("it hangs up");
        assert!(answer.is_empty());
    }
    cluster.agree(cluster.commit().await).await;
    assert_eq!(cluster.leader().await.1.epoch, office.epoch);
    cluster.shutdown().await;
}
