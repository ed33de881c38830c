//! A seed gives the same bytes twice, and the world of a simulation is as it says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use antfarm_storage::{Fact, LogEngine, MemoryEngine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};

use super::chronicle::Chronicle;
use super::clock::{Clocks, Time, env};
use super::diary::Diary;
use super::disk::{Health, Illness};
use super::engine::{Pace, SimulatedEngine};
use super::life::Life;
use super::network::{Fabric, Host, net};
use super::plan::{Fault, Plan, Trouble, Who};
use super::run::run;
use super::verdict::{Verdict, judge};
use crate::random::Random;

/// A plan with the faults of its first seconds.
fn short(seed: u64) -> Plan {
    let mut plan = Plan::of(seed);
    plan.faults.retain(|fault| fault.at < Duration::from_secs(4));
    for fault in &mut plan.faults {
        fault.lasts = fault.lasts.min(Duration::from_secs(1));
    }
    plan
}

fn assert_sound(plan: &Plan, why: &str) {
    if let Verdict::Violated(violated) = judge(plan) {
        panic!("{why}, and yet: {:?}", violated.what);
    }
}

#[test]
fn a_seed_gives_the_same_bytes_twice() {
    for seed in 1..=3 {
        let plan = short(seed);
        let (first, second) = (run(&plan).expect("it runs").trace, run(&plan).expect("it runs").trace);
        let differs = first.lines().zip(second.lines()).find(|(one, other)| one != other);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
        assert!(first.lines().count() > 100, "seed {seed} is about something");
    }
}

#[test]
fn another_seed_gives_other_bytes() {
    let mut plan = short(1);
    plan.faults.truncate(1);
    let first = run(&plan).expect("it runs").trace;
    plan.seed = 2;
    assert_ne!(first, run(&plan).expect("it runs").trace);
}

#[test]
fn a_disk_that_says_that_it_has_synced_and_has_not_is_found_out() {
    let mut plan = short(1);
    let dark = |number: u64| Fault {
        number,
        at: Duration::from_millis(900 * number),
        lasts: Duration::from_millis(100),
        trouble: Trouble::PowerLoss(Who::AllQueens),
        pick: 0,
    };
    plan.faults = (1..=4).map(dark).collect();
    assert_sound(&plan, "what is synced survives");
    plan.disks_lie = true;
    plan.sync_ms = 50;
    let Verdict::Violated(violated) = judge(&plan) else { panic!("nobody has noticed") };
    assert!(violated.what.iter().any(|what| what.starts_with("S18")), "{:?}", violated.what);
}

#[test]
fn clocks_that_are_wrong_and_nobody_knows_are_found_out() {
    let an_hour_ms = 3_600_000;
    let mut plan = short(1);
    let (at, lasts) = (Duration::from_millis(500), Duration::from_secs(6));
    plan.faults = vec![Fault { number: 1, at, lasts, trouble: Trouble::Kill(Who::AllForagers), pick: 0 }];
    plan.skew_ms = 20;
    assert_sound(&plan, "deadlines pass while there is no forager");
    for wrong_ms in [-an_hour_ms, an_hour_ms] {
        plan.untold_skew_ms = wrong_ms;
        let Verdict::Violated(violated) = judge(&plan) else { panic!("nobody has noticed {wrong_ms} ms") };
        // Too late, too early, or so late that `not_before` never comes.
        let is_of_time = |what: &String| what.starts_with("S26") || what.starts_with("L2");
        assert!(violated.what.iter().any(is_of_time), "{:?}", violated.what);
    }
}

/// Seeds that violated something once, and the faults that it took.
const ONCE_VIOLATED: [(u64, &[u64]); 2] = [
    // S26: nobody told a new leader the time.
    (200_120, &[4, 5, 6, 7]),
    // L7: a leader who was said to be isolated was not, from two newcomers with a vote.
    (206_177, &[4, 5, 6, 7, 11, 15, 16, 17, 18, 29]),
];

#[test]
fn what_violated_something_once_does_no_more() {
    for (seed, faults) in ONCE_VIOLATED {
        assert_sound(&Plan::of(seed).only(faults), &format!("seed {seed} is mended"));
    }
}

#[test]
fn every_kind_of_fault_is_drawn_by_some_seed() {
    let mut left: Vec<_> = super::nemesis::KINDS.to_vec();
    for seed in 0..200 {
        let kinds = Plan::of(seed).kinds();
        left.retain(|kind| !kinds.contains(kind));
    }
    assert_eq!(left, []);
}

#[test]
fn seeds_differ_in_the_number_of_queens() {
    let numbers: std::collections::BTreeSet<u16> = (0..200).map(|seed| Plan::of(seed).queens).collect();
    assert_eq!(numbers, [3, 4, 5].into());
}

#[test]
fn a_plan_can_be_cut_down_to_some_of_its_faults() {
    let plan = Plan::of(7);
    let numbers = [plan.faults[0].number, plan.faults[2].number];
    let only = plan.clone().only(&numbers);
    assert_eq!(only.faults, [plan.faults[0], plan.faults[2]]);
}

/// Runs on a clock that stands still while something is done.
fn simulated<F: Future>(test: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime for one thread needs nothing").block_on(test)
}

fn life(process: &str) -> Life {
    Life::new(process, 1, Random::new(1))
}

/// Counts the tenths of a second in a life.
fn ticking(life: &Life) -> Arc<AtomicU64> {
    let ticks = Arc::new(AtomicU64::new(0));
    let ticking = ticks.clone();
    life.spawn(Box::pin(async move {
        loop {
            sleep(Duration::from_millis(100)).await;
            ticking.fetch_add(1, Ordering::Relaxed);
        }
    }));
    ticks
}

#[test]
fn what_is_held_stands_still_while_time_goes_on_and_what_has_ended_never_runs_again() {
    simulated(async {
        let life = life("queen-1");
        let ticks = ticking(&life);
        sleep(Duration::from_millis(450)).await;
        life.hold();
        sleep(Duration::from_secs(5)).await;
        assert_eq!(ticks.load(Ordering::Relaxed), 4);
        life.resume();
        sleep(Duration::from_millis(250)).await;
        let went_on = ticks.load(Ordering::Relaxed);
        assert!((6..8).contains(&went_on), "{went_on}");
        life.end();
        sleep(Duration::from_secs(5)).await;
        assert_eq!(ticks.load(Ordering::Relaxed), went_on);
        assert_eq!(Arc::strong_count(&ticks), 1, "what its tasks held is gone");
    });
}

#[test]
fn a_suspended_machine_has_two_clocks_that_differ_and_a_set_clock_moves_neither() {
    simulated(async {
        let clocks = Clocks::new(Time::begin(), 0);
        let env = env(&life("queen-1"), &clocks);
        let (boot_time, monotonic, wall) = (env.boot_time(), env.monotonic(), env.wall_ms());
        sleep(Duration::from_secs(3)).await;
        clocks.suspended(Duration::from_secs(2));
        clocks.jump(-60_000);
        assert_eq!(env.boot_time(), boot_time + Duration::from_secs(3));
        assert_eq!(env.monotonic(), monotonic + Duration::from_secs(1));
        assert_eq!(env.wall_ms() + 57_000, wall);
    });
}

const HERE: Host = Host(1);
const THERE: Host = Host(2);

#[test]
fn what_is_sent_over_a_link_that_is_cut_arrives_in_order_when_it_heals_or_never() {
    simulated(async {
        let (mut arrived, mut broken) = (0, 0);
        for seed in 0..40 {
            let fabric = Fabric::new(Random::new(seed));
            let address = THERE.address(1);
            let mut listener = net(&fabric, THERE).listen(&address).await.expect("nobody else listens");
            let mut near = net(&fabric, HERE).connect(&address).await.expect("somebody listens");
            let (mut far, _) = listener.accept().await.expect("somebody came");
            near.write_all(b"before ").await.expect("there is room");
            sleep(Duration::from_millis(20)).await;
            fabric.cut(HERE, THERE);
            near.write_all(b"after").await.expect("nobody knows yet");
            let mut heard = [0; 12];
            far.read_exact(&mut heard[..7]).await.expect("it had arrived");
            assert!(timeout(Duration::from_mins(1), far.read(&mut heard[7..])).await.is_err(), "nothing arrives");
            assert_eq!(fabric.held(HERE, THERE), 1);
            fabric.heal(HERE, THERE);
            match far.read_exact(&mut heard[7..]).await {
                Ok(_) => {
                    assert_eq!(&heard, b"before after");
                    arrived += 1;
                }
                Err(error) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
                    broken += 1;
                }
            }
        }
        assert!(arrived > 0 && broken > 0, "{arrived} arrived, {broken} broke");
    });
}

#[test]
fn nobody_comes_through_a_cut_and_who_finds_nobody_is_told() {
    simulated(async {
        let fabric = Fabric::new(Random::new(1));
        let (address, here) = (THERE.address(1), net(&fabric, HERE));
        let refused = here.connect(&address).await.err().map(|error| error.kind());
        assert_eq!(refused, Some(std::io::ErrorKind::ConnectionRefused));
        let _listener = net(&fabric, THERE).listen(&address).await.expect("nobody else listens");
        fabric.cut(THERE, HERE);
        assert!(timeout(Duration::from_mins(1), here.connect(&address)).await.is_err(), "no answer comes back");
        fabric.heal(THERE, HERE);
        assert!(here.connect(&address).await.is_ok());
        fabric.darken(THERE);
        assert!(timeout(Duration::from_mins(1), here.connect(&address)).await.is_err(), "a dark machine is silent");
    });
}

const PACE: Pace = Pace { slow_ms: 0, lies: false };

fn diary() -> Diary {
    Diary::new(&Chronicle::new(Time::begin()), 1)
}

/// Saves a vote, and tells whether it is durable by then.
fn save(engine: &SimulatedEngine, vote: &[u8]) -> Arc<AtomicU64> {
    let durable = Arc::new(AtomicU64::new(0));
    let told = durable.clone();
    let on_durable =
        Box::new(move |result: Result<(), _>| told.store(1 + u64::from(result.is_err()), Ordering::Relaxed));
    engine.save_vote(vote.to_vec(), on_durable);
    durable
}

#[test]
fn what_is_not_synced_is_lost_with_the_power_and_a_stalled_disk_syncs_nothing() {
    simulated(async {
        let (health, life) = (Health::default(), life("queen-1"));
        let engine = SimulatedEngine::new(MemoryEngine::held(), diary(), health.clone(), life.clone(), PACE);
        let first = save(&engine, b"first");
        let began = Instant::now();
        while first.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        assert!(began.elapsed() >= Duration::from_millis(1), "a sync takes time");
        health.stall(true);
        let second = save(&engine, b"second");
        sleep(Duration::from_secs(5)).await;
        assert_eq!((second.load(Ordering::Relaxed), engine.unsynced()), (0, 1));
        assert_eq!(engine.vote().as_deref(), Some(&b"second"[..]), "it can be read");
        life.end();
        assert_eq!(engine.after_crash(0).vote().as_deref(), Some(&b"first"[..]));
        assert_eq!(engine.after_crash(100).vote().as_deref(), Some(&b"second"[..]), "or it got there in time");
    });
}

#[test]
fn a_disk_that_fails_ends_the_engine() {
    simulated(async {
        let health = Health::default();
        let engine = SimulatedEngine::new(MemoryEngine::held(), diary(), health.clone(), life("queen-1"), PACE);
        health.set(Illness::Error);
        let vote = save(&engine, b"vote");
        sleep(Duration::from_millis(50)).await;
        health.set(Illness::None);
        assert_eq!((vote.load(Ordering::Relaxed), health.failed()), (2, 1));
        engine.save_fact(Fact::Committed, vec![1], Box::new(|result| assert!(result.is_err(), "nothing is retried")));
    });
}

#[test]
fn all_troubles_have_a_kind_that_is_counted() {
    let kinds = super::nemesis::KINDS;
    let plans = (0..200).map(Plan::of);
    let troubles: Vec<Trouble> = plans.flat_map(|plan| plan.faults).map(|fault| fault.trouble).collect();
    assert!(troubles.iter().flat_map(|trouble| trouble.kinds()).all(|kind| kinds.contains(kind)));
}
