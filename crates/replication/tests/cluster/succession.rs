//! Leaders that are gone, and leaders that only seem to be.

use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_replication::{ElectionCause, Office};
use tokio::time::Instant;

use crate::harness::{Cluster, address, eventually};

/// Longer than a test takes: nobody is elected because of silence.
const NEVER: Duration = Duration::from_mins(2);

/// An election on proof between members of one process is over within this time, whatever else the machine does.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A cluster in which silence elects nobody.
async fn patient(members: u64) -> Cluster {
    let mut cluster = Cluster::new(members);
    cluster.change = |config| (config.election_timeout_min, config.election_timeout_max) = (NEVER, 2 * NEVER);
    cluster.start_all().await;
    cluster.leader().await;
    cluster
}

async fn next_leader(cluster: &Cluster, former: u64, before: Office) -> (u64, Office) {
    let found = tokio::time::timeout(AT_ONCE, cluster.leader_among(|id| id != former)).await;
    let (next, after) = found.expect("another member leads at once");
    assert_eq!(after.epoch.0, before.epoch.0 + 1, "one election is enough");
    (next, after)
}

async fn a_crashed_leader_is_replaced_at_once(members: u64) {
    let mut cluster = patient(members).await;
    // Whose logs differ may refuse each other once, and then nobody but time elects.
    cluster.agree(cluster.commit().await).await;
    let (former, before) = cluster.leader().await;
    cluster.crash(former).await;
    let (_, after) = next_leader(&cluster, former, before).await;
    assert_eq!(after.cause, ElectionCause::Proof { former: MemberId(former) });
    let last = cluster.commit().await;
    cluster.start(former).await.expect("it comes back");
    cluster.agree(last).await;
    assert_eq!(cluster.leader().await.1.epoch, after.epoch, "its return disturbs nobody");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crashed_leader_of_three_is_replaced_at_once() {
    a_crashed_leader_is_replaced_at_once(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crashed_leader_of_five_is_replaced_at_once() {
    a_crashed_leader_is_replaced_at_once(5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_whose_next_life_answers_at_its_address_is_replaced_at_once() {
    let mut cluster = patient(3).await;
    let (former, before) = cluster.leader().await;
    // Nobody is ever refused there: what proves the end of the former life is the word of the next one.
    cluster.switch.wait_for_listener(&address(former));
    cluster.crash(former).await;
    cluster.start(former).await.expect("it comes back");
    let (_, after) = next_leader(&cluster, former, before).await;
    assert_eq!(after.cause, ElectionCause::Proof { former: MemberId(former) });
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_that_resets_between_the_leader_and_one_voter_deposes_nobody() {
    let cluster = Cluster::running(3).await;
    let (leader, before) = cluster.leader().await;
    let other = (1..=3).find(|id| *id != leader).expect("there are others");
    cluster.switch.reset(&address(leader), &address(other));
    eventually("the voter behind the box tries to reach the leader", async || {
        (cluster.switch.vain(&address(other)) >= 8).then_some(())
    })
    .await;
    for _ in 0..20 {
        cluster.commit().await;
    }
    let (still, after) = cluster.leader().await;
    assert_eq!((still, after.epoch), (leader, before.epoch), "the leader is not deposed");
    cluster.switch.heal();
    cluster.agree(cluster.commit().await).await;
    assert_eq!(cluster.leader().await.1.epoch, before.epoch);
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_that_resets_cut_off_from_all_costs_one_election() {
    let cluster = patient(3).await;
    let (former, before) = cluster.leader().await;
    for other in (1..=3).filter(|id| *id != former) {
        cluster.switch.reset(&address(former), &address(other));
    }
    let (next, after) = next_leader(&cluster, former, before).await;
    cluster.switch.heal();
    cluster.agree(cluster.commit().await).await;
    let (leader, now) = cluster.leader().await;
    assert_eq!((leader, now.epoch), (next, after.epoch), "the former leader follows, and disturbs nobody");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elections_on_proof_keep_their_distance() {
    const LONGEST: Duration = Duration::from_secs(3);
    let mut cluster = Cluster::new(5);
    cluster.change = |config| (config.election_timeout_min, config.election_timeout_max) = (LONGEST * 9 / 10, LONGEST);
    cluster.start_all().await;
    let (first, before) = cluster.leader().await;
    let crashed_at = Instant::now();
    cluster.crash(first).await;
    let (second, _) = next_leader(&cluster, first, before).await;
    assert!(crashed_at.elapsed() < LONGEST, "the first is quick");
    cluster.crash(second).await;
    let (_, third) = cluster.leader_among(|id| id != first && id != second).await;
    assert!(crashed_at.elapsed() >= LONGEST, "the next one is not: it took {:?}", crashed_at.elapsed());
    assert_eq!(third.cause, ElectionCause::Proof { former: MemberId(second) });
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_no_proof() {
    let cluster = Cluster::running(3).await;
    let (former, before) = cluster.leader().await;
    let cut_at = Instant::now();
    for other in (1..=3).filter(|id| *id != former) {
        cluster.switch.cut(&address(former), &address(other));
        cluster.switch.cut(&address(other), &address(former));
    }
    let (_, after) = cluster.leader_among(|id| id != former).await;
    assert!(after.epoch > before.epoch);
    assert_eq!(after.cause, ElectionCause::Silence);
    assert!(cut_at.elapsed() >= Duration::from_millis(150), "not before the shortest election time-out");
    cluster.switch.heal();
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_office_says_that_it_was_handed_over() {
    let cluster = patient(3).await;
    let (former, _) = cluster.leader().await;
    cluster.replicas[&former].transfer(None).await.expect("somebody takes over");
    assert_eq!(cluster.leader().await.1.cause, ElectionCause::HandOver);
    cluster.shutdown().await;
}
