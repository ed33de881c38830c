//! Drained and stopped foragers.

use antfarm_protocol::{Accept, ForagerMessage, QueenMessage, Reject, RejectReason, Returned};

use crate::queen::{Ground, Queen, assign, attempt, confirmed, interrupted, is_alive, pid_in, start, succeeded, until};

#[tokio::test]
async fn a_drained_forager_finishes_what_runs_returns_the_rest_and_ends() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    session.say([assign(10, "sleep", "{\"ms\": 200}"), ground.append(11, 0)]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    until(&forager, |status| status.unstarted == 1).await;
    forager.drain();
    let returned = ForagerMessage::from(Returned { attempts: vec![attempt(11)] });
    assert_eq!(session.hear().await, returned);
    assert!(session.hello().await.draining);
    session.say([assign(12, "noop", "null")]).await;
    let rejected = ForagerMessage::from(Reject { attempt: attempt(12), reason: RejectReason::Draining });
    assert_eq!(session.hear().await, rejected);
    session.say([ground.append(11, 0)]).await;
    assert_eq!(session.hear().await, returned, "what was returned is not started");
    assert_eq!(session.hear().await, succeeded(10, "null"));
    session.say([QueenMessage::from(confirmed(3, &[10, 11, 12]))]).await;
    session.ends().await;
    forager.wait().await.expect("it was drained");
    assert!(ground.ledger().is_empty());
}

#[tokio::test]
async fn a_stopped_forager_leaves_nothing_running_and_says_so() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config_with(&[&queen], "echo $$ > $1/pid; exec sleep 600")).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    let pid = pid_in(&ground.path("pid")).await;
    forager.stop();
    session.hello().await;
    assert_eq!(session.hear().await, interrupted(10));
    session.ends().await;
    forager.wait().await.expect("it was asked to stop");
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn a_forager_that_hands_over_leaves_programs_and_nothing_else() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let config = ground.config_with(&[&queen], "echo $$ > $1/pid; until [ -e $1/go ]; do sleep 0.01; done");
    let forager = start(config.clone()).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null"), ground.append(11, 600_000)]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11)] }.into());
    let pid = pid_in(&ground.path("pid")).await;
    forager.hand_over();
    let hello = session.hello().await;
    assert!(hello.draining && hello.running.contains(&attempt(10)));
    assert_eq!(session.hear().await, interrupted(11), "what is built in cannot be left to anybody");
    session.ends().await;
    forager.wait().await.expect("it was asked to hand over");
    assert!(is_alive(pid) && ground.has_keeper());

    let forager = start(config).await;
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!((&hello.running[..], &hello.ended[..]), (&[attempt(10)][..], &[attempt(11)][..]));
    assert_eq!(session.hear().await, interrupted(11));
    forager.drain();
    assert!(session.hello().await.draining);
    std::fs::write(ground.path("go"), "").expect("a temporary folder takes everything");
    assert_eq!(session.hear().await, succeeded(10, "null"));
    session.say([confirmed(4, &[10, 11])]).await;
    forager.wait().await.expect("it was drained");
    assert!(!ground.has_keeper(), "a drained forager takes its keeper with it");
}
