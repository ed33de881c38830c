//! A forager that is gone without a word, and the next one with its data folder.

use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use antfarm_forager::{Forager, StartError, StopError};
use antfarm_model::{EffectClass, Epoch, Incarnation};
use antfarm_protocol::Accept;
use antfarm_storage::{MemoryDisk, StorageError, SystemDisk};
use tokio::runtime::{Builder, Runtime};

use crate::queen::{
    Ground, Queen, assign, attempt, confirmed, interrupted, is_alive, pid_in, start, start_on, succeeded, until,
};

/// What happens on it ends with it, and nobody can do anything about it: a process that is killed.
fn another_process() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

async fn kill(process: Runtime) {
    let killed = tokio::task::spawn_blocking(|| process.shutdown_timeout(Duration::from_secs(20)));
    killed.await.expect("a runtime shuts down");
}

#[tokio::test]
async fn what_a_killed_forager_left_running_is_killed_and_reported_as_interrupted() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let script = "echo $$ > $1/program-$ANTFARM_FENCE; setsid sleep 600 & echo $! > $1/child-$ANTFARM_FENCE; wait";
    let config = ground.config_with(&[&queen], script);
    let process = another_process();
    let first = config.clone();
    let forager = process.spawn(start(first)).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    let mut irrevocable = assign(11, "t", "null");
    irrevocable.effects = EffectClass::Irrevocable;
    session.say([assign(10, "t", "null"), irrevocable]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11)] }.into());
    let mut left = Vec::new();
    for name in ["program-10", "child-10", "program-11", "child-11"] {
        left.push(pid_in(&ground.path(name)).await);
    }
    session.say([assign(12, "noop", "null")]).await;
    session.hear().await;
    kill(process).await;
    session.ends().await;
    drop(forager);
    assert!(left.iter().all(|pid| is_alive(*pid)), "nobody was there to kill them");

    let _forager = start(config).await;
    assert!(left.iter().all(|pid| !is_alive(*pid)), "also those that left the process group");
    let mut session = queen.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.former, hello.incarnation, hello.rebooted), (Some(Incarnation(3)), None, false));
    let hello = session.lead(4, None).await;
    assert_eq!((hello.running.len(), hello.ended.len()), (0, 3));
    assert_eq!(session.hear().await, interrupted(10));
    assert_eq!(session.hear().await, interrupted(11));
    let rejected = session.hear().await;
    assert!(format!("{rejected:?}").contains("NoSlot"), "both slots were taken: {rejected:?}");
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
    let env = Env::new(SystemEnvironment::current());
    let second = Forager::start(env, Arc::new(SystemDisk), Net::new(TcpNetwork), ground.config(&[&queen])).await;
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

#[tokio::test]
async fn a_power_cut_takes_neither_the_start_nor_the_result_of_a_guarded_attempt() {
    let (ground, mut queen) = (Ground::new(), Queen::new(1).await);
    let disk = MemoryDisk::new();
    let config = ground.config_with(&[&queen], "test $ANTFARM_FENCE = 10 || exec sleep 600");
    let process = another_process();
    process.spawn(start_on(Arc::new(disk.clone()), config.clone())).await.expect("it starts");
    let (mut session, _) = queen.lead(3).await;
    session.say([assign(10, "t", "null"), assign(11, "t", "null")]).await;
    assert_eq!(session.hear().await, Accept { attempts: vec![attempt(10), attempt(11)] }.into());
    assert_eq!(session.hear().await, succeeded(10, "null"));
    kill(process).await;
    disk.crash();
    let forager = start_on(Arc::new(disk), config).await;
    let (mut session, hello) = queen.lead(4).await;
    assert_eq!((hello.former, hello.epoch_seen), (Some(Incarnation(3)), Epoch(4)));
    assert_eq!(session.hear().await, succeeded(10, "null"));
    assert_eq!(session.hear().await, interrupted(11));
    assert_eq!(forager.status().running, 0);
}
