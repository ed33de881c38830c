//! What a forager never forgets: what it must not start again, what it owes an answer for, and what it cannot know.

use std::sync::Arc;

use antfarm_forager::Host;
use antfarm_model::{EffectClass, Epoch, Incarnation};
use antfarm_protocol::{Accept, Assign, Cancelled, ForagerMessage, QueenMessage, Reject, RejectReason, Returned};
use antfarm_storage::MemoryDisk;

use crate::queen::{
    Ground, Queen, another_process, assign, attempt, cancel, confirmed, host, interrupted, kill, start, start_at,
    start_on, succeeded, until,
};

fn of_epoch_4(assign: Assign) -> Assign {
    Assign { epoch: Epoch(4), incarnation: Incarnation(4), ..assign }
}

/// The same machine, booted again.
fn booted_again() -> Host {
    Host { boot_id: "another boot".into(), ..host() }
}

#[tokio::test]
async fn a_power_cut_takes_neither_the_start_nor_the_result_of_what_must_not_run_twice() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let disk = MemoryDisk::new();
    let mut config = ground.config_with(&[&queen], "test $ANTFARM_FENCE = 10 || exec sleep 600");
    config.slots = 3;
    let process = another_process();
    process.spawn(start_on(Arc::new(disk.clone()), config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    let mut irrevocable = assign(12, "t", "null");
    Arc::make_mut(&mut irrevocable.work).effects = EffectClass::Irrevocable;
    session.say([assign(10, "t", "null"), assign(11, "t", "null"), irrevocable]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11), attempt(12)] }.into());
    assert_eq!(session.hear().await, succeeded(10, "null"));
    kill(process).await;
    ground.kill_keeper().await;
    disk.crash();
    let forager = start_at(booted_again(), Arc::new(disk), config).await;
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!((hello.former, hello.epoch_seen, hello.rebooted), (Some(Incarnation(3)), Epoch(4), true));
    assert_eq!(hello.ended, [attempt(10), attempt(11), attempt(12)]);
    assert_eq!(session.hear().await, succeeded(10, "null"));
    assert_eq!(session.hear().await, interrupted(11));
    assert_eq!(session.hear().await, interrupted(12));
    assert_eq!(forager.status().running, 0);
    forager.stop();
    forager.wait().await.expect("it was asked to stop");
}

#[tokio::test]
async fn after_a_power_cut_what_the_journal_does_not_know_is_of_unknown_fate() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let disk = MemoryDisk::new();
    let config = ground.config(&[&queen]);
    let process = another_process();
    let forager = process.spawn(start_on(Arc::new(disk.clone()), config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    // What comes in one turn with the registration would be synced with it.
    until(&forager, |status| status.incarnation.is_some()).await;
    let mut unsynced = ground.append(10, 600_000);
    Arc::make_mut(&mut unsynced.work).effects = EffectClass::Idempotent;
    session.say([QueenMessage::from(unsynced), assign(11, "dance", "null").into()]).await;
    let rejected = ForagerMessage::from(Reject { attempt: attempt(11), reason: RejectReason::UnknownTool });
    while session.hear().await != rejected {}
    kill(process).await;
    disk.crash();
    let _forager = start_at(booted_again(), Arc::new(disk), config).await;
    let (_session, hello) = queen.lead(4).await;
    let known = hello.running.len() + hello.unstarted.len() + hello.ended.len();
    assert_eq!(
        (hello.former, hello.rebooted, known),
        (Some(Incarnation(3)), true, 0),
        "nothing that says: never started"
    );
}

#[tokio::test]
async fn without_another_boot_a_killed_process_has_lost_nothing() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let process = another_process();
    process.spawn(start(ground.config(&[&queen]))).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    let mut unsynced = ground.append(10, 600_000);
    Arc::make_mut(&mut unsynced.work).effects = EffectClass::Pure;
    session.say([unsynced]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into());
    kill(process).await;
    let _forager = start(ground.config(&[&queen])).await;
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!((hello.rebooted, &hello.ended[..]), (false, &[attempt(10)][..]));
    assert_eq!(session.hear().await, interrupted(10));
}

#[tokio::test]
async fn what_was_returned_rejected_cancelled_or_finished_is_never_started_not_even_by_the_next_process() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let process = another_process();
    let forager = process.spawn(start(ground.config(&[&queen]))).await.expect("it starts");
    let mut session = queen.session().await;
    session.hello().await;
    session.lead(3, None).await;
    // Without a lease 10 and 11 are held, so there is no slot for 12; 13 never came.
    session.say([ground.append(10, 0), ground.append(11, 0), ground.append(12, 0)]).await;
    assert_eq!(session.hear().await, Reject { attempt: attempt(12), reason: RejectReason::NoSlot }.into());
    session.say([cancel(11), cancel(13)]).await;
    let cancelled = |fence| ForagerMessage::from(Cancelled { attempt: attempt(fence), started: false });
    assert_eq!((session.hear().await, session.hear().await), (cancelled(11), cancelled(13)));
    session.say([assign(14, "echo", "[1]")]).await;
    assert_eq!(session.hear().await, succeeded(14, "[1]"));
    forager.hand_over();
    let returned = ForagerMessage::from(Returned { attempts: vec![attempt(10)] });
    assert_eq!(session.hear().await, returned);
    session.ends().await;
    kill(process).await;

    let forager = start(ground.config(&[&queen])).await;
    let (mut session, hello) = queen.lead(4).await;
    let all = [10, 11, 12, 13, 14].map(attempt);
    assert_eq!(hello.ended, all);
    let mut told = Vec::new();
    for _ in all {
        told.push(session.hear().await);
    }
    assert_eq!((&told[0], &told[1], &told[3]), (&returned, &cancelled(11), &cancelled(13)));
    session.say([10, 11, 12, 13].map(|fence| of_epoch_4(ground.append(fence, 0)))).await;
    session.say([of_epoch_4(assign(14, "echo", "[1]"))]).await;
    for told in told {
        assert_eq!(session.hear().await, told, "the answer is given again");
    }
    session.say([confirmed(4, &[10, 11, 12, 13, 14])]).await;
    until(&forager, |status| status.unconfirmed == 0).await;
    session.say([10, 11, 12, 13].map(|fence| of_epoch_4(ground.append(fence, 0)))).await;
    session.hears_nothing().await;
    assert!(ground.ledger().is_empty(), "nothing was ever started");
}
