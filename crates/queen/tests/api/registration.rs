//! A name has one process at a time, and a session belongs to one incarnation.

use antfarm_model::Incarnation;
use antfarm_protocol::{Assign, AttemptRef, Hello, QueenMessage};
use tokio::time::Instant;

use crate::cluster::{Cluster, PATIENCE};
use crate::forager::{Forager, hello};

/// Short, for who waits until it is over; and a long one.
const SHORT_LEASE: [(&str, &str); 2] = [("lease.ttl", "600ms"), ("lease.heartbeat", "200ms")];

async fn assigned(forager: &mut Forager) -> Assign {
    forager.until(|message| if let QueenMessage::Assign(assign) = message { Some(assign) } else { None }).await
}

/// That session is nobody's any more: it has no lease, and hears that it should say who it is.
async fn is_dismissed(forager: &mut Forager) {
    let (ack, before) = forager.beat().await;
    assert_eq!((ack.incarnation, ack.lease_ms), (None, None));
    let work = before.iter().find(|message| matches!(message, QueenMessage::Assign(_) | QueenMessage::Cancel(_)));
    assert_eq!(work, None);
    let QueenMessage::Welcome(welcome) = forager.next().await else { panic!("no greeting") };
    assert!(welcome.leading && welcome.incarnation.is_none());
}

#[tokio::test]
async fn a_name_that_is_heard_is_refused_to_another_process_until_it_is_silent() {
    let cluster = Cluster::of(1, &SHORT_LEASE).await;
    let (mut first, incarnation) = Forager::registered(&cluster, hello("f")).await;
    let mut second = Forager::connect(&cluster).await;
    for former in [None, Some(Incarnation(0))] {
        second.say(Hello { former, ..hello("f") }).await;
        let refused = second.refused().await;
        assert!(refused.retry && refused.reason.contains("wait until its lease is over"), "{}", refused.reason);
    }
    let (ack, _) = first.beat().await;
    assert_eq!(ack.incarnation, Some(incarnation));
    // The first one falls silent. The second one asks again and again, as foragers do.
    let began = Instant::now();
    loop {
        second.say(hello("f")).await;
        if let Ok(next) = second.answer().await {
            assert!(next > incarnation);
            break;
        }
        assert!(began.elapsed() < PATIENCE, "the name never becomes free");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(began.elapsed() >= std::time::Duration::from_millis(550), "it was free after {:?}", began.elapsed());
    // Now the second one has the name, and the first one waits.
    first.say(Hello { incarnation: Some(incarnation), ..hello("f") }).await;
    first.refused().await;
}

#[tokio::test]
async fn with_the_journal_another_process_takes_over_at_once_and_the_first_gets_nothing_more() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut first, incarnation) = Forager::registered(&cluster, hello("f")).await;
    cluster.submit("g").await;
    let assign = assigned(&mut first).await;
    assert_eq!(assign.incarnation, incarnation);
    let journal = Hello { former: Some(incarnation), ..hello("f") };
    let (mut second, next) = Forager::registered(&cluster, journal).await;
    assert!(next > incarnation);
    let again = assigned(&mut second).await;
    assert_eq!((again.attempt, again.incarnation), (assign.attempt, next));
    is_dismissed(&mut first).await;
    first.say(Hello { incarnation: Some(incarnation), running: vec![assign.attempt], ..hello("f") }).await;
    assert!(first.refused().await.retry);
    let (ack, _) = second.beat().await;
    assert_eq!(ack.incarnation, Some(next));
}

#[tokio::test]
async fn a_session_gets_nothing_that_is_meant_for_an_incarnation_that_said_hello_and_went() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut first, incarnation) = Forager::registered(&cluster, hello("f")).await;
    first.beat().await;
    let mut second = Forager::connect(&cluster).await;
    second.say(Hello { former: Some(incarnation), ..hello("f") }).await;
    drop(second);
    let began = Instant::now();
    while first.beat().await.0.lease_ms.is_some() {
        assert!(began.elapsed() < PATIENCE, "the registration is never committed");
    }
    first.next().await; // the greeting
    is_dismissed(&mut first).await;
}

#[tokio::test]
async fn a_process_that_was_never_answered_has_the_incarnation_that_it_was_given() {
    let cluster = Cluster::of(1, &[]).await;
    let of_it = || Hello { process: Some(7), ..hello("f") };
    let (first, incarnation) = Forager::registered(&cluster, of_it()).await;
    drop(first);
    let (mut again, same) = Forager::registered(&cluster, of_it()).await;
    assert_eq!(same, incarnation);
    cluster.submit("g").await;
    assert_eq!(assigned(&mut again).await.incarnation, incarnation);
    let mut other = Forager::connect(&cluster).await;
    other.say(Hello { process: Some(8), ..hello("f") }).await;
    assert!(other.refused().await.retry);
}

#[tokio::test]
async fn what_a_forager_holds_unstarted_is_sent_again_or_taken_back() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut forager, incarnation) = Forager::registered(&cluster, hello("f")).await;
    cluster.submit("g").await;
    let assign = assigned(&mut forager).await;
    let unknown = AttemptRef { fence: antfarm_model::Fence(assign.attempt.fence.0 + 1_000), ..assign.attempt };
    let unstarted = vec![assign.attempt, unknown];
    let mut again = Forager::connect(&cluster).await;
    again.say(Hello { incarnation: Some(incarnation), unstarted, ..hello("f") }).await;
    assert_eq!(again.incarnation().await, incarnation);
    let QueenMessage::Cancel(cancel) = again.next().await else { panic!("it knows who it is, and then what to drop") };
    assert_eq!((cancel.attempt, cancel.incarnation), (unknown, incarnation));
    assert_eq!(assigned(&mut again).await, assign);
}
