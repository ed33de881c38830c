//! A forager that is gone without a word, and the next one with its data folder.

use std::sync::Arc;

use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use antfarm_forager::{Forager, StartError, StopError};
use antfarm_model::{EffectClass, Epoch, Incarnation};
use antfarm_protocol::{Accept, Assign, Log, LogRequest};
use antfarm_storage::{MemoryDisk, StorageError, SystemDisk};

use crate::queen::{
    Ground, Queen, another_process, assign, attempt, confirmed, host, interrupted, is_alive, is_gone, kill, pid_in,
    start, start_on, succeeded, until,
};

#[tokio::test]
async fn programs_outlive_their_forager_and_the_next_one_tells_how_they_ended() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script =
        "echo $$ > $1/$ANTFARM_FENCE; echo started >&2; until [ -e $1/go ]; do sleep 0.01; done; echo $ANTFARM_FENCE";
    let config = ground.config_with(&[&queen], script);
    let process = another_process();
    process.spawn(start(config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    let mut irrevocable = assign(11, "t", "null");
    Arc::make_mut(&mut irrevocable.work).effects = EffectClass::Irrevocable;
    session.say([assign(10, "t", "null"), irrevocable]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11)] }.into());
    let programs = [pid_in(&ground.path("10")).await, pid_in(&ground.path("11")).await];
    kill(process).await;
    session.ends().await;

    let forager = start(config).await;
    let mut session = queen.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.former, hello.incarnation, hello.rebooted), (Some(Incarnation(3)), None, false));
    assert_eq!((&hello.running[..], hello.ended.len()), (&[attempt(10), attempt(11)][..], 0));
    session.lead(4, Some(60_000)).await;
    assert_eq!(forager.status().running, 2, "slots are taken");
    assert!(programs.iter().all(|pid| is_alive(*pid)));
    session.say([Assign { epoch: Epoch(4), incarnation: Incarnation(4), ..assign(10, "t", "null") }]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10)] }.into(), "it is not started again");
    session.say([LogRequest { request: 1, attempt: attempt(11) }]).await;
    assert_eq!(session.hear().await, Log { request: 1, found: true, text: "started\n".into() }.into());
    std::fs::write(ground.path("go"), "").expect("a temporary folder takes everything");
    let mut heard = [session.hear().await, session.hear().await];
    heard.sort_by_key(|message| format!("{message:?}"));
    assert_eq!(heard, [succeeded(10, "10"), succeeded(11, "11")]);
    session.say([LogRequest { request: 2, attempt: attempt(10) }]).await;
    assert_eq!(session.hear().await, Log { request: 2, found: true, text: "started\n".into() }.into());
    forager.stop();
    forager.wait().await.expect("it was asked to stop");
    assert!(!ground.has_keeper());
}

#[tokio::test]
async fn what_ends_while_there_is_no_forager_is_told_once_by_the_next() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "echo $$ > $1/pid; until [ -e $1/go ]; do sleep 0.01; done; echo said >&2; exit 3";
    let config = ground.config_with(&[&queen], script);
    let process = another_process();
    process.spawn(start(config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    session.hear().await;
    let program = pid_in(&ground.path("pid")).await;
    kill(process).await;
    std::fs::write(ground.path("go"), "").expect("a temporary folder takes everything");
    is_gone(program).await;

    for epoch in [4, 5] {
        let process = another_process();
        process.spawn(start(config.clone())).await.expect("it starts");
        let (mut session, _) = queen.lead(epoch).await;
        let failed = session.hear().await;
        assert!(format!("{failed:?}").contains("exit code 3: said"), "{failed:?}");
        session.hears_nothing().await;
        if epoch == 5 {
            session.say([confirmed(5, &[10])]).await;
            session.hears_nothing().await;
        }
        kill(process).await;
    }
    let forager = start(config).await;
    let (_session, hello) = queen.lead(6).await;
    assert_eq!((hello.running.len(), hello.ended.len()), (0, 0), "it is forgotten, by the keeper too");
    forager.stop();
    forager.wait().await.expect("it was asked to stop");
}

#[tokio::test]
async fn what_died_with_its_keeper_is_interrupted_once_nothing_of_it_is_left() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "echo $$ > $1/program-$ANTFARM_FENCE
        setsid env -i /bin/sh -c 'trap \"\" TERM; echo $$ > $0; sleep 600; sleep 600' $1/hidden-$ANTFARM_FENCE & wait";
    let config = ground.config_with(&[&queen], script);
    let process = another_process();
    process.spawn(start(config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null"), ground.append(11, 600_000)]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11)] }.into());
    let left = [pid_in(&ground.path("program-10")).await, pid_in(&ground.path("hidden-10")).await];
    kill(process).await;
    session.ends().await;
    assert!(left.iter().all(|pid| is_alive(*pid)), "they run on");
    ground.kill_keeper().await;

    let forager = start(config).await;
    assert!(left.iter().all(|pid| !is_alive(*pid)), "also those that hide");
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!((hello.running.len(), hello.ended.len()), (0, 2), "what was built in died with its process");
    assert_eq!(session.hear().await, interrupted(10));
    assert_eq!(session.hear().await, interrupted(11));
    session.say([Assign { epoch: Epoch(4), incarnation: Incarnation(4), ..assign(12, "t", "null") }]).await;
    session.hear().await;
    let program = pid_in(&ground.path("program-12")).await;
    ground.kill_keeper().await;
    assert_eq!(session.hear().await, interrupted(12), "a keeper that dies under its forager is noticed");
    assert!(!is_alive(program));
    session.say([Assign { epoch: Epoch(4), incarnation: Incarnation(4), ..assign(13, "t", "null") }]).await;
    session.hear().await;
    pid_in(&ground.path("program-13")).await;
    forager.stop();
    forager.wait().await.expect("it was asked to stop");
}

#[tokio::test]
async fn a_keeper_that_gives_no_sign_of_life_is_ended_in_the_end_with_what_it_keeps() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let config = ground.config_with(&[&queen], "echo $$ > $1/$ANTFARM_FENCE; exec sleep 600");
    let forager = start(config.clone()).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    session.hear().await;
    let first = pid_in(&ground.path("10")).await;
    antfarm_testkit::pause(ground.keeper());
    assert_eq!(session.hear_granting(60_000).await, interrupted(10), "by the forager that waits for it");
    assert!(!is_alive(first));
    session.say([assign(11, "t", "null")]).await;
    session.hear().await;
    let second = pid_in(&ground.path("11")).await;
    forager.hand_over();
    forager.wait().await.expect("it was asked to hand over");
    assert!(is_alive(second));
    antfarm_testkit::pause(ground.keeper());
    let forager = start(config).await;
    assert!(!is_alive(second), "or by the next forager that finds it so");
    assert_eq!(forager.status().running, 0);
}

#[tokio::test]
async fn an_end_that_was_written_is_reported_by_the_next_process() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let process = another_process();
    let forager = process.spawn(start(ground.config(&[&queen]))).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "echo", "[1]"), assign(11, "echo", "[2]")]).await;
    assert_eq!(session.hear().await, succeeded(10, "[1]"));
    assert_eq!(session.hear().await, succeeded(11, "[2]"));
    session.say([confirmed(3, &[11])]).await;
    until(&forager, |status| status.unconfirmed == 1).await;
    kill(process).await;
    session.ends().await;

    let _forager = start(ground.config(&[&queen])).await;
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!(hello.ended, [attempt(10)]);
    assert_eq!(session.hear().await, succeeded(10, "[1]"));
}

#[tokio::test]
async fn two_processes_do_not_share_a_data_folder() {
    let (ground, queen) = (Ground::new(), Queen::new(1).await);
    let _forager = start(ground.config(&[&queen])).await;
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    let second = Forager::start(env, Arc::new(SystemDisk), net, host(), ground.config(&[&queen])).await;
    assert!(matches!(second, Err(StartError::Storage(StorageError::Locked { .. }))));
}

#[tokio::test]
async fn a_forager_that_cannot_write_stops_and_leaves_nothing_running() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let disk = MemoryDisk::new();
    let config = ground.config_with(&[&queen], "echo $$ > $1/pid; trap '' TERM; sleep 600; sleep 600");
    let forager = start_on(Arc::new(disk.clone()), config).await;
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null")]).await;
    let pid = pid_in(&ground.path("pid")).await;
    disk.crash();
    session.say([assign(11, "noop", "null")]).await;
    session.ends().await;
    let error = forager.wait().await.expect_err("what it must remember cannot be written");
    assert!(matches!(error, StopError::Storage(_)), "{error}");
    assert!(!is_alive(pid));
}
