//! From an assignment to its confirmed end.

use std::sync::Arc;

use antfarm_forager::ForagerConfig;
use antfarm_model::{CostClass, EffectClass};
use antfarm_protocol::{
    Accept, Cancelled, ForagerMessage, Log, LogRequest, QueenMessage, Reject, RejectReason, Returned,
};

use crate::queen::{
    Ground, Queen, assign, attempt, cancel, confirmed, is_alive, pid_in, recall, start, succeeded, until,
};

fn accepted(fence: u64) -> ForagerMessage {
    Accept { attempts: vec![attempt(fence)] }.into()
}

fn rejected(fence: u64, reason: RejectReason) -> ForagerMessage {
    Reject { attempt: attempt(fence), reason }.into()
}

fn cancelled(fence: u64, started: bool) -> ForagerMessage {
    Cancelled { attempt: attempt(fence), started }.into()
}

#[tokio::test]
async fn an_attempt_is_accepted_run_reported_and_forgotten() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let forager = start(ground.config(&[&queen])).await;
    let (mut session, hello) = queen.lead(3).await;
    assert_eq!((hello.slots, hello.former, hello.incarnation), (2, None, None));
    session.say([ground.append(10, 0)]).await;
    assert_eq!(session.hear().await, accepted(10));
    assert_eq!(session.hear().await, succeeded(10, "null"));
    session.say([assign(11, "echo", "[1]")]).await;
    assert_eq!(session.hear().await, succeeded(11, "[1]"), "what takes no time is not accepted first");
    until(&forager, |status| status.unconfirmed == 2).await;
    session.say([confirmed(3, &[10, 11, 12])]).await;
    until(&forager, |status| status.unconfirmed == 0).await;
    assert_eq!(ground.ledger(), ["start", "end"]);
}

#[tokio::test]
async fn an_assignment_that_is_heard_again_is_not_started_again() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([ground.append(10, 300), ground.append(10, 300)]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(10)] }.into());
    session.say([ground.append(10, 300)]).await;
    assert_eq!(session.hear().await, accepted(10));
    assert_eq!(session.hear().await, succeeded(10, "null"));
    session.say([ground.append(10, 300)]).await;
    assert_eq!(session.hear().await, succeeded(10, "null"), "its end is told again");
    session.say([QueenMessage::from(confirmed(3, &[10])), ground.append(10, 300).into()]).await;
    session.hears_nothing().await;
    assert_eq!(ground.ledger(), ["start", "end"]);
}

#[tokio::test]
async fn what_cannot_be_run_is_rejected_with_its_reason_and_never_started() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let mut config = ground.config(&[&queen]);
    config.class_slots.insert(CostClass::Model, 1);
    let _forager = start(config).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "dance", "null")]).await;
    assert_eq!(session.hear().await, rejected(10, RejectReason::UnknownTool));
    let mut late = ground.append(11, 0);
    late.deadline_ms = Some(0);
    session.say([late]).await;
    assert_eq!(session.hear().await, rejected(11, RejectReason::DeadlinePassed));
    let sleeper = |fence, class| {
        let mut assign = assign(fence, "sleep", "{\"ms\": 600000}");
        Arc::make_mut(&mut assign.work).class = class;
        assign
    };
    session.say([sleeper(12, CostClass::Model), sleeper(13, CostClass::Model), sleeper(14, CostClass::Io)]).await;
    session.say([ground.append(15, 0)]).await;
    let mut heard = [session.hear().await, session.hear().await, session.hear().await];
    heard.sort_by_key(|message| format!("{message:?}"));
    assert!(heard.contains(&rejected(13, RejectReason::NoSlot)), "one model slot: {heard:?}");
    assert!(
        heard.contains(&rejected(15, RejectReason::NoSlot))
            || session.hear().await == rejected(15, RejectReason::NoSlot)
    );
    session.say([cancel(12), cancel(14)]).await;
    let mut heard = [session.hear().await, session.hear().await];
    heard.sort_by_key(|message| format!("{message:?}"));
    assert_eq!(heard, [cancelled(12, true), cancelled(14, true)]);
    session.say([ground.append(15, 0)]).await;
    assert_eq!(session.hear().await, rejected(15, RejectReason::NoSlot), "there is a slot, but it said no");
    assert!(ground.ledger().is_empty());
}

#[tokio::test]
async fn what_is_kept_beyond_the_slots_begins_when_one_is_free_and_goes_back_when_it_is_recalled() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let config = ForagerConfig { slots: 1, prefetch: 2, ..ground.config(&[&queen]) };
    let _forager = start(config).await;
    let (mut session, _) = queen.lead(3).await;
    let sleeper = |fence| assign(fence, "sleep", "{\"ms\": 600000}");
    session.say([sleeper(10), sleeper(11), sleeper(12), sleeper(13)]).await;
    let mut heard = [session.hear().await, session.hear().await];
    heard.sort_by_key(|message| format!("{message:?}"));
    assert_eq!(heard, [accepted(10), rejected(13, RejectReason::NoSlot)], "one runs, two are kept");
    session.say([recall(&[10, 12])]).await;
    assert_eq!(session.hear().await, Returned { attempts: vec![attempt(12)] }.into(), "what has begun goes on");
    session.say([cancel(10)]).await;
    let mut heard = [session.hear().await, session.hear().await];
    heard.sort_by_key(|message| format!("{message:?}"));
    assert_eq!(heard, [accepted(11), cancelled(10, true)]);
    session.say([recall(&[11])]).await;
    session.hears_nothing().await;
    let mut payment = sleeper(14);
    payment.effects = EffectClass::Irrevocable;
    session.say([payment]).await;
    assert_eq!(session.hear().await, rejected(14, RejectReason::NoSlot), "what is irrevocable is never kept");
}

#[tokio::test]
async fn cancel_kills_the_whole_process_group() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "sleep 600 & echo $! > $1/child; trap '' TERM; sleep 600; sleep 600";
    let forager = start(ground.config_with(&[&queen], script)).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    assert_eq!(session.hear().await, accepted(10));
    let child = pid_in(&ground.path("child")).await;
    session.say([cancel(10)]).await;
    assert_eq!(session.hear().await, cancelled(10, true));
    assert!(!is_alive(child));
    until(&forager, |status| status.running == 0).await;
}

#[tokio::test]
async fn an_attempt_that_was_cancelled_before_it_came_is_never_started() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([QueenMessage::from(cancel(10)), ground.append(10, 0).into()]).await;
    assert_eq!(session.hear().await, cancelled(10, false));
    assert_eq!(session.hear().await, cancelled(10, false));
    session.say([QueenMessage::from(ground.append(11, 0)), cancel(11).into()]).await;
    assert_eq!(session.hear().await, cancelled(11, false), "both came in one frame");
    assert!(ground.ledger().is_empty());
}

#[tokio::test]
async fn a_log_can_be_read_while_it_is_written_and_afterwards() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "echo one >&2; echo $$ > $1/ready; while [ ! -e $1/go ]; do sleep 0.01; done; echo two >&2";
    let _forager = start(ground.config_with(&[&queen], script)).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    assert_eq!(session.hear().await, accepted(10));
    pid_in(&ground.path("ready")).await;
    let log = |request, found, text: &str| ForagerMessage::from(Log { request, found, text: text.into() });
    loop {
        session.say([LogRequest { request: 1, attempt: attempt(10) }]).await;
        // The pipe may not have been read yet.
        if session.hear().await == log(1, true, "one\n") {
            break;
        }
    }
    std::fs::write(ground.path("go"), "").expect("a temporary folder takes everything");
    assert_eq!(session.hear().await, succeeded(10, "null"));
    session
        .say([LogRequest { request: 2, attempt: attempt(10) }, LogRequest { request: 3, attempt: attempt(11) }])
        .await;
    assert_eq!(session.hear().await, log(2, true, "one\ntwo\n"));
    assert_eq!(session.hear().await, log(3, false, ""));
}
