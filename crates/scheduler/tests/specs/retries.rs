//! A failed attempt is repeated after a back-off, as often as it may be; a rejected one after a wait.

use antfarm_model::{CostClass, EffectClass, Span};
use antfarm_scheduler::{AttemptOutcome, CancelReason, Command, FailureKind, ForagerState, RejectReason};
use expect_test::expect;

use crate::farm::{Farm, cancelled, interrupted};
use crate::references::graphs;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 1, &["work"]);
    farm
}

#[test]
fn retries_come_after_a_back_off_that_doubles() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 2}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for wait in [1_000, 2_000] {
        assert_eq!(farm.work(), ["g/a to f"]);
        let attempt = farm.open(forager)[0];
        farm.fail(forager, attempt).expect("open");
        farm.pass(Span(wait - 1));
        farm.hear(forager);
        assert_eq!(farm.work(), Vec::<String>::new());
        farm.pass(Span(1));
    }
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.fail(forager, attempt).expect("open");
    expect![[r#"
        graph g failed
          a[0] failed exit code 1
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_run_beyond_its_time_out_is_cancelled_and_counts_as_a_failure() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 0, timeout: 5s}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.pass(Span::from_secs(60));
    assert_eq!(
        farm.state.forager(forager).and_then(|f| f.attempt(&attempt)).and_then(|a| a.cancel),
        None,
        "it has not started"
    );
    farm.start(forager, attempt);
    farm.pass(Span::from_secs(5));
    let cancel = farm.state.forager(forager).and_then(|f| f.attempt(&attempt)).and_then(|a| a.cancel);
    assert_eq!(cancel, Some(CancelReason::Timeout));
    farm.end(forager, attempt, cancelled()).expect("open");
    expect![[r#"
        graph g failed
          a[0] failed it ran longer than its time-out of 5s and was cancelled
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_result_that_comes_before_the_cancellation_is_taken() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, timeout: 5s}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.start(forager, attempt);
    farm.pass(Span::from_secs(5));
    farm.succeed(forager, attempt, "1").expect("open");
    assert_eq!(farm.state.graph_named("g").expect("submitted").state().as_str(), "succeeded");
}

#[test]
fn too_many_rejections_quarantine_the_forager_for_a_while() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for _ in 0..8 {
        farm.hear(forager);
        assert_eq!(farm.work(), ["g/a to f"]);
        let attempts = farm.open(forager)[0].into();
        farm.one(Command::Reject { forager, attempts, reason: RejectReason::NoSlot }).expect("open");
        assert_eq!(farm.work(), Vec::<String>::new(), "no hot loop");
        farm.pass(Span::from_secs(10));
    }
    assert_eq!(farm.state.forager(forager).map(antfarm_scheduler::Forager::state), Some(ForagerState::Quarantined));
    farm.pass(Span::from_secs(30));
    farm.hear(forager);
    assert_eq!(farm.work(), ["g/a to f"]);
}

#[test]
fn a_forager_without_the_tool_after_all_is_not_asked_again() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempts = farm.open(forager)[0].into();
    farm.one(Command::Reject { forager, attempts, reason: RejectReason::UnknownTool }).expect("open");
    farm.pass(Span::from_secs(10));
    farm.hear(forager);
    assert_eq!(farm.work(), Vec::<String>::new());
}

#[test]
fn what_was_handed_back_is_ready_at_once() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempts = farm.open(forager)[0].into();
    farm.one(Command::Return { forager, attempts }).expect("open");
    assert_eq!(farm.work(), ["g/a to f"]);
}

#[test]
fn a_node_that_kills_its_foragers_is_poison() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 9}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for _ in 0..3 {
        farm.work();
        let attempt = farm.open(forager)[0];
        farm.start(forager, attempt);
        farm.end(forager, attempt, interrupted()).expect("open");
    }
    expect![[r#"
        graph g failed
          a[0] failed poison: 3 foragers in a row were lost or died while it ran
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn only_exit_75_repeats_an_irrevocable_tool() {
    let mut farm = Farm::new();
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    let forager = farm.forager("f", 1, &["pay"]);
    farm.submit("{id: g, nodes: {a: {tool: pay, retries: 5}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(forager)[0];
    let temporary = AttemptOutcome::Failed { kind: FailureKind::Temporary, message: "try later".into() };
    farm.end(forager, attempt, temporary).expect("open");
    farm.pass(Span::from_secs(1));
    farm.hear(forager);
    assert_eq!(farm.work(), ["g/a to f"]);
    let attempt = farm.open(forager)[0];
    farm.fail(forager, attempt).expect("open");
    assert_eq!(farm.state.graph_named("g").expect("submitted").state().as_str(), "failed");
}

#[test]
fn failed_programs_and_lost_foragers_are_counted_apart() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 2}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    let counts = |farm: &Farm| {
        let instance = farm.instance(farm.id("g", "a"));
        (instance.failures, instance.losses)
    };
    let next = |farm: &mut Farm| {
        farm.pass(Span::from_secs(60));
        farm.hear(forager);
        farm.work();
        let attempt = farm.open(forager)[0];
        farm.start(forager, attempt);
        attempt
    };
    for (dies, expected) in
        [(true, (0, 1)), (true, (0, 2)), (false, (1, 0)), (true, (1, 1)), (true, (1, 2)), (false, (2, 0))]
    {
        let attempt = next(&mut farm);
        if dies {
            farm.end(forager, attempt, interrupted()).expect("open");
        } else {
            farm.fail(forager, attempt).expect("open");
        }
        assert_eq!(counts(&farm), expected);
    }
    let attempt = next(&mut farm);
    farm.fail(forager, attempt).expect("open");
    assert_eq!(farm.state.graph_named("g").expect("submitted").state().as_str(), "failed", "two retries were allowed");
}

#[test]
fn a_death_counts_once_for_each_instance_however_often_and_by_whomever_it_is_reported() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.start(forager, attempt);
    let incarnation = farm.incarnation(forager);
    let interrupted = Command::End { forager, attempts: attempt.into(), outcome: interrupted() };
    farm.apply(vec![
        Command::Suspect { forager, incarnation },
        Command::Lose { forager, incarnation },
        Command::Lose { forager, incarnation },
        interrupted.clone(),
    ]);
    farm.one(interrupted).expect_err("it is closed");
    assert_eq!(farm.instance(attempt.instance).losses, 1);
}

#[test]
fn an_attempt_that_never_started_is_no_death_of_the_node_s_doing() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for _ in 0..5 {
        farm.hear(forager);
        assert_eq!(farm.work(), ["g/a to f"]);
        let lose = Command::Lose { forager, incarnation: farm.incarnation(forager) };
        farm.one(lose).expect("it is the one that counts");
        farm.register(Farm::registration("f", 1, &["work"])).expect("the name is free");
    }
    assert_eq!(farm.instance(farm.id("g", "a")).losses, 0);
}

#[test]
fn nothing_is_tried_again_before_the_end_of_a_cancelled_run_is_known() {
    let mut farm = farm();
    farm.forager("other", 1, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 1, timeout: 5s}}}").expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.start(forager, attempt);
    for _ in 0..10 {
        farm.pass(Span::from_secs(60));
        farm.hear_all();
        assert_eq!(farm.work(), Vec::<String>::new(), "it was told to end, and has not said that it did");
    }
    farm.end(forager, attempt, cancelled()).expect("open");
    farm.pass(Span::from_secs(1));
    farm.hear_all();
    assert_eq!(farm.work(), ["g/a to f"]);
}
