//! Guarded attempts run only under a lease.

use antfarm_model::{EffectClass, Epoch, Incarnation};
use antfarm_protocol::{ForagerMessage, HeartbeatAck, Welcome};

use crate::queen::{Ground, Queen, Session, assign, interrupted, is_alive, pid_in, start, succeeded, until};

/// Answers the next heartbeat with a lease.
async fn grant(session: &mut Session, lease_ms: u64) {
    loop {
        if let Some(ForagerMessage::Heartbeat(heartbeat)) = session.next().await {
            assert_eq!(heartbeat.epoch_seen, Epoch(3));
            let ack = HeartbeatAck { epoch: Some(Epoch(3)), sequence: heartbeat.sequence, lease_ms: Some(lease_ms) };
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
                let ack = HeartbeatAck { epoch: Some(Epoch(3)), sequence: heartbeat.sequence, lease_ms: Some(500) };
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
