//! Guarded attempts run only under a lease; irrevocable ones begin only under one.

use std::sync::Arc;

use antfarm_model::{EffectClass, Epoch, Incarnation};
use antfarm_protocol::{Accept, Assign, Cancel, ForagerMessage, HeartbeatAck, Welcome};

use crate::queen::{
    Ground, Queen, Session, assign, attempt, cancel, interrupted, is_alive, pid_in, start, succeeded, until,
};

/// The answer to a heartbeat, without a lease.
fn ack(sequence: u64) -> HeartbeatAck {
    HeartbeatAck { epoch: Some(Epoch(3)), incarnation: Some(Incarnation(3)), sequence, lease_ms: None }
}

/// Answers the next heartbeat with a lease.
async fn grant(session: &mut Session, lease_ms: u64) {
    loop {
        if let Some(ForagerMessage::Heartbeat(heartbeat)) = session.next().await {
            assert_eq!(heartbeat.epoch_seen, Epoch(3));
            let ack = HeartbeatAck { lease_ms: Some(lease_ms), ..ack(heartbeat.sequence) };
            return session.say([ack]).await;
        }
    }
}

#[tokio::test]
async fn what_is_guarded_begins_with_the_lease_and_is_dead_at_its_end() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "echo $$ > $1/$ANTFARM_FENCE; exec sleep 600";
    let forager = start(ground.config_with(&[&queen], script)).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    let mut idempotent = assign(11, "t", "null");
    idempotent.effects = EffectClass::Idempotent;
    session.say([assign(10, "t", "null"), idempotent]).await;
    until(&forager, |status| (status.unstarted, status.running) == (1, 1)).await;
    grant(&mut session, 1_000).await;
    until(&forager, |status| status.running == 2).await;
    let guarded = pid_in(&ground.path("10")).await;
    let other = pid_in(&ground.path("11")).await;
    while session.hear().await != interrupted(10) {}
    assert!(!is_alive(guarded) && is_alive(other), "only what is guarded ends with the lease");
    forager.stop();
    assert_eq!(session.hello().await.running.len(), 1, "it says that it takes no more");
    assert_eq!(session.hear().await, interrupted(11));
    forager.wait().await.expect("it was asked to stop");
    assert!(!is_alive(other));
}

#[tokio::test]
async fn what_is_irrevocable_begins_with_a_lease_and_is_not_ended_by_its_end() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config_with(&[&queen], "echo $$ > $1/$ANTFARM_FENCE; exec sleep 600")).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    let irrevocable = |fence| {
        let mut assign = assign(fence, "t", "null");
        Arc::make_mut(&mut assign.work).effects = EffectClass::Irrevocable;
        assign
    };
    session.say([irrevocable(10), assign(11, "t", "null")]).await;
    until(&forager, |status| (status.unstarted, status.running) == (2, 0)).await;
    grant(&mut session, 1_000).await;
    until(&forager, |status| status.running == 2).await;
    let payment = pid_in(&ground.path("10")).await;
    while session.hear().await != interrupted(11) {}
    assert!(is_alive(payment), "the end of a lease ends only what is guarded");
    session.say([irrevocable(12)]).await;
    until(&forager, |status| (status.unstarted, status.running) == (1, 1)).await;
}

#[tokio::test]
async fn a_lease_that_is_renewed_goes_on() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, Some(500)).await;
    session.say([ground.append(10, 1_500)]).await;
    let end = loop {
        match session.next().await.expect("the session goes on") {
            ForagerMessage::Heartbeat(heartbeat) => {
                let ack = HeartbeatAck { lease_ms: Some(500), ..ack(heartbeat.sequence) };
                session.say([ack]).await;
            }
            end @ ForagerMessage::Result(_) => break end,
            ForagerMessage::Accept(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(end, succeeded(10, "null"));
}

#[tokio::test]
async fn a_heartbeat_follows_the_registration_at_once_and_brings_the_lease() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    let rare = Welcome { heartbeat_ms: 10_000, ..session.welcome() };
    session.say([rare.clone()]).await;
    let leading = Welcome { epoch: Some(Epoch(3)), leading: true, ..rare };
    session.say([leading.clone()]).await;
    session.hello().await;
    session.say([Welcome { incarnation: Some(Incarnation(3)), ..leading }]).await;
    session.say([ground.append(10, 0)]).await;
    grant(&mut session, 60_000).await;
    assert!(matches!(session.hear().await, ForagerMessage::Accept(_)));
    assert_eq!(session.hear().await, succeeded(10, "null"));
}

#[tokio::test]
async fn what_is_addressed_to_another_incarnation_is_ignored() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    let mut ignored = 0;
    for other in [2, 4] {
        let other = Incarnation(other);
        session.say([Assign { incarnation: other, ..ground.append(11, 0) }]).await;
        session.say([Cancel { incarnation: other, ..cancel(10) }]).await;
        ignored += 2;
        until(&forager, |status| status.stale_messages == ignored).await;
    }
    session.say([ground.append(10, 0)]).await;
    until(&forager, |status| status.unstarted == 1).await;
    for other in [Some(Incarnation(4)), None] {
        let Some(ForagerMessage::Heartbeat(heartbeat)) = session.next().await else { panic!("it only beats") };
        session.say([HeartbeatAck { incarnation: other, lease_ms: Some(60_000), ..ack(heartbeat.sequence) }]).await;
    }
    session.hears_nothing().await;
    assert_eq!((forager.status().stale_messages, ground.ledger().len()), (5, 0), "it has no lease");
    grant(&mut session, 60_000).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into(), "and it was not cancelled");
    assert_eq!(session.hear().await, succeeded(10, "null"));
}

#[tokio::test]
async fn what_was_held_for_a_former_incarnation_does_not_begin_under_the_lease_of_the_next() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    session.say([ground.append(10, 0)]).await;
    until(&forager, |status| status.unstarted == 1).await;
    let next = Some(Incarnation(4));
    session.say([Welcome { epoch: Some(Epoch(3)), leading: true, incarnation: next, ..session.welcome() }]).await;
    until(&forager, |status| status.incarnation == next).await;
    let sequence = loop {
        if let Some(ForagerMessage::Heartbeat(heartbeat)) = session.next().await {
            break heartbeat.sequence;
        }
    };
    session.say([HeartbeatAck { incarnation: next, lease_ms: Some(60_000), ..ack(sequence) }]).await;
    session.hears_nothing().await;
    assert_eq!((forager.status().unstarted, ground.ledger().len()), (1, 0), "it was closed when that one was lost");
    session.say([Assign { incarnation: Incarnation(4), ..ground.append(10, 0) }]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into(), "there is a lease");
    assert_eq!(session.hear().await, succeeded(10, "null"));
}

#[tokio::test]
async fn a_lease_counts_from_when_its_heartbeat_was_sent() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    session.say([ground.append(10, 0)]).await;
    let Some(ForagerMessage::Heartbeat(first)) = session.next().await else { panic!("it beats at once") };
    // Twenty beats later that lease is over already.
    for _ in 0..20 {
        assert!(matches!(session.next().await, Some(ForagerMessage::Heartbeat(_))));
    }
    session.say([HeartbeatAck { lease_ms: Some(900), ..ack(first.sequence) }]).await;
    session.hears_nothing().await;
    assert_eq!((forager.status().unstarted, ground.ledger().len()), (1, 0));
    grant(&mut session, 900).await;
    assert!(matches!(session.hear().await, ForagerMessage::Accept(_)));
}
