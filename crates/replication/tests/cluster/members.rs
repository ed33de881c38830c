//! Members come and go.

use antfarm_model::MemberId;
use antfarm_replication::{Change, ChangeError, Changed, Failure, Leadership};

use crate::harness::{Cluster, PATIENCE, Storage, add, address, eventually, member, promote, propose, remove};

/// Waits until a member stops by itself, and tells why.
async fn failure(cluster: &Cluster, id: u64) -> Failure {
    let failed = tokio::time::timeout(PATIENCE, cluster.replicas[&id].failed()).await;
    failed.unwrap_or_else(|_| panic!("member {id} does not stop"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queen_that_lost_its_disk_comes_back_under_a_new_id() {
    let mut cluster = Cluster::running(3).await;
    let (leader, _) = cluster.leader().await;
    let dead = (1..=3).find(|id| *id != leader).expect("there are others");
    cluster.crash(dead).await;
    cluster.storages.remove(&dead);
    cluster.change(remove(dead)).await.expect("the two others are a quorum");
    cluster.start(4).await.expect("it starts");
    cluster.change(add(4)).await.expect("it is added");
    assert_eq!(cluster.configuration().await.1, [4]);
    cluster.change(promote(4)).await.expect("it catches up and votes");
    cluster.agree(cluster.commit().await).await;
    // With the new one any two are a quorum.
    let (leader, _) = cluster.leader().await;
    let other = *cluster.replicas.keys().find(|id| **id != leader && **id != 4).expect("there is another");
    cluster.crash(other).await;
    cluster.agree(cluster.commit().await).await;
    cluster.crash(leader).await;
    cluster.start(other).await.expect("it comes back");
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_grow_to_five_and_shrink_to_one() {
    let mut cluster = Cluster::running(3).await;
    cluster.grow(4).await;
    cluster.grow(5).await;
    assert_eq!(cluster.configuration().await, (vec![1, 2, 3, 4, 5], vec![]));
    for (id, replica) in &cluster.replicas {
        replica.outcomes();
        eventually("all know all", async || (replica.status().members.len() == 5).then_some(*id)).await;
    }
    for id in 1..=4 {
        cluster.change(remove(id)).await.expect("a quorum of the others answers");
        assert_eq!(failure(&cluster, id).await, Failure::Removed);
        cluster.crash(id).await;
    }
    assert_eq!(cluster.configuration().await, (vec![5], vec![]));
    assert_eq!(cluster.change(remove(5)).await, Err(ChangeError::LastVoter(MemberId(5))));
    cluster.commit().await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_that_is_removed_hands_over_first() {
    let cluster = Cluster::running(3).await;
    let (old, before) = cluster.leader().await;
    let refused = cluster.replicas[&old].change_membership(&remove(old)).await;
    let Err(ChangeError::NotLeader { leader: Some(new) }) = refused else { panic!("it hands over: {refused:?}") };
    assert_ne!(new.0, old);
    cluster.change(remove(old)).await.expect("the next leader removes it");
    assert_eq!(failure(&cluster, old).await, Failure::Removed);
    let (leader, after) = cluster.leader().await;
    assert!(leader != old && after.epoch > before.epoch);
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queen_that_missed_its_removal_deposes_nobody_and_stops() {
    let mut cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    let away = (1..=3).find(|id| *id != leader).expect("there are others");
    for other in (1..=3).filter(|id| *id != away) {
        cluster.switch.cut(&address(away), &address(other));
        cluster.switch.cut(&address(other), &address(away));
    }
    cluster.change(remove(away)).await.expect("the two others are a quorum");
    eventually("the absent one asks for votes in vain", async || {
        (cluster.switch.vain(&address(away)) >= 4).then_some(())
    })
    .await;
    cluster.switch.heal();
    assert_eq!(failure(&cluster, away).await, Failure::Removed);
    assert_eq!(cluster.leader().await.1.epoch, office.epoch, "nobody was deposed");
    // It stops again whenever it starts, and its id is no other's.
    cluster.crash(away).await;
    cluster.start(away).await.expect("it starts");
    assert_eq!(failure(&cluster, away).await, Failure::Removed);
    cluster.crash(away).await;
    cluster.storages.insert(away, Storage::empty());
    cluster.start(away).await.expect("it starts");
    assert_eq!(failure(&cluster, away).await, Failure::Removed, "an empty disk does not help");
    assert_eq!(cluster.change(add(away)).await, Err(ChangeError::WasRemoved(MemberId(away))));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_ids_of_removed_members_are_remembered_by_who_comes_later() {
    let mut cluster = Cluster::new(1);
    cluster.change = |config| {
        config.snapshot_floor_bytes = 1024;
        config.entries_kept = 10;
    };
    cluster.start_all().await;
    cluster.change(add(7)).await.expect("a learner that nobody has started");
    cluster.change(remove(7)).await.expect("it is removed again");
    let (leader, office) = cluster.leader().await;
    for _ in 0..1500 {
        propose(&cluster.replicas[&leader], office.epoch).await.await.expect("it commits");
    }
    eventually("the removal is purged from the log", async || {
        (cluster.replicas[&1].status().purged_index.0 > 1000).then_some(())
    })
    .await;
    cluster.grow(2).await;
    cluster.change(remove(1)).await.expect("the other one takes over");
    assert_eq!(failure(&cluster, 1).await, Failure::Removed);
    cluster.crash(1).await;
    for id in [1, 7] {
        assert_eq!(cluster.change(add(id)).await, Err(ChangeError::WasRemoved(MemberId(id))));
    }
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_learner_that_is_behind_or_away_is_not_promoted() {
    let mut cluster = Cluster::running(3).await;
    cluster.change(add(4)).await.expect("it need not run yet");
    let last = cluster.commit().await;
    let refused = cluster.change(promote(4)).await;
    let Err(ChangeError::NotCaughtUp { id: MemberId(4), behind }) = refused else { panic!("{refused:?}") };
    assert!(behind >= last.0, "it has nothing: {behind} of {last}");
    cluster.start(4).await.expect("it starts");
    let (leader, _) = cluster.leader().await;
    eventually("the learner has everything", async || {
        let status = cluster.replicas[&leader].status();
        (status.members[&MemberId(4)].matched_index == Some(status.last_index)).then_some(())
    })
    .await;
    cluster.crash(4).await;
    assert_eq!(cluster.change(promote(4)).await, Err(ChangeError::NotReachable(MemberId(4))));
    cluster.start(4).await.expect("it comes back");
    cluster.change(promote(4)).await.expect("it is there");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_leaves_no_quorum_is_refused_unless_forced() {
    let mut cluster = Cluster::running(3).await;
    let (leader, _) = cluster.leader().await;
    let mut others = (1..=3).filter(|id| *id != leader);
    let (dead, alive) = (others.next().expect("one"), others.next().expect("two"));
    cluster.crash(dead).await;
    let refused = cluster.change(remove(alive)).await;
    assert_eq!(refused, Err(ChangeError::NoQuorumLeft { voters: 2, silent: vec![MemberId(dead)] }));
    let forced = Change::Remove { id: MemberId(alive), forced: true };
    assert_eq!(cluster.change(forced).await, Err(ChangeError::OutcomeUnknown), "nobody is there to commit it");
    cluster.start(dead).await.expect("it comes back");
    // The member that is being removed may have been elected by the one that came back, which had not heard of it: then the
    // change is gone, and a retry makes it.
    eventually("the change comes into force", async || cluster.change(remove(alive)).await.ok()).await;
    assert_eq!(failure(&cluster, alive).await, Failure::Removed);
    cluster.commit().await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_made_once_however_often_it_is_asked_for() {
    let mut cluster = Cluster::running(1).await;
    for new in [true, false, false] {
        assert_eq!(cluster.change(add(2)).await.map(|changed| changed.new), Ok(new));
    }
    cluster.start(2).await.expect("it starts");
    let (replica, change) = (cluster.replicas[&1].clone(), promote(2));
    let (one, two) = tokio::join!(replica.change_membership(&change), replica.change_membership(&change));
    let mut made = [one.map(|changed| changed.new), two.map(|changed| changed.new)];
    made.sort_by_key(|new| *new == Ok(true)); // either may come first
    assert_eq!(made, [Ok(false), Ok(true)]);
    let elsewhere = Change::Add { id: MemberId(2), member: member(3) };
    let refused = cluster.change(elsewhere).await;
    assert_eq!(refused, Err(ChangeError::IdTaken { id: MemberId(2), member: member(2) }));
    for new in [true, false] {
        assert_eq!(cluster.change(remove(2)).await.map(|changed| changed.new), Ok(new));
    }
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_changes_at_the_same_time_one_is_made_and_the_others_are_refused() {
    let cluster = Cluster::running(3).await;
    let (leader, _) = cluster.leader().await;
    let changes: Vec<Change> = (4..=7).map(add).collect();
    let replica = &cluster.replicas[&leader];
    let ends = futures_util::future::join_all(changes.iter().map(|change| replica.change_membership(change))).await;
    let made = |end: &Result<Changed, ChangeError>| match end {
        Ok(changed) => changed.new,
        Err(ChangeError::UnderWay) => false,
        Err(other) => panic!("it is refused for another reason: {other}"),
    };
    let made: Vec<u64> = (4..).zip(&ends).filter(|(_, end)| made(end)).map(|(id, _)| id).collect();
    assert!(!made.is_empty() && made.len() < ends.len(), "{ends:?}");
    assert_eq!(cluster.configuration().await, (vec![1, 2, 3], made));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queen_that_joins_restarts_safely_at_any_time_and_is_told_when_it_waits_in_vain() {
    let mut cluster = Cluster::running(1).await;
    cluster.start(2).await.expect("it starts");
    cluster.crash(2).await;
    cluster.start(2).await.expect("it starts again, and waits");
    assert!(!cluster.replicas[&2].status().initialised);
    cluster.change(add(2)).await.expect("it is added");
    cluster.agree(cluster.commit().await).await;
    cluster.crash(2).await;
    cluster.start(2).await.expect("it starts again as a learner");
    cluster.change(promote(2)).await.expect("it votes");
    cluster.crash(2).await;
    cluster.start(2).await.expect("it starts again as a voter");
    cluster.agree(cluster.commit().await).await;
    let leads = |id: u64| matches!(*cluster.replicas[&id].leadership().borrow(), Leadership::Leading { .. });
    assert!(leads(1) || leads(2));
    // One that has the id of another is told so, and has no part in anything.
    cluster.change = |config| {
        if config.raft_listen == address(3) {
            config.member = MemberId(1);
        }
    };
    cluster.start(3).await.expect("it starts");
    let stopped = failure(&cluster, 3).await;
    let Failure::NotTaken { reason, .. } = &stopped else { panic!("it is refused: {stopped:?}") };
    assert!(reason.starts_with("member 1 came back with another disk"), "{reason}");
    cluster.shutdown().await;
}
