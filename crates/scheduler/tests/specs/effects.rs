//! The effect class decides what becomes of an attempt whose fate is unknown.

use antfarm_model::{CostClass, EffectClass, Fence, ForagerNo, GraphNo, NodeNo, Span};
use antfarm_scheduler::{
    AttemptOutcome, CancelReason, Command, Decision, FailureKind, InstanceId, Refusal, Reply, Verdict,
};
use expect_test::expect;

use crate::farm::Farm;
use crate::references::graphs;

fn farm(effects: EffectClass) -> (Farm, ForagerNo, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, effects);
    let one = farm.forager("one", 1, &["work"]);
    let two = farm.forager("two", 1, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/a to one"]);
    (farm, one, two)
}

/// Only `two` is heard for that long.
fn silence(farm: &mut Farm, two: ForagerNo, span: Span) -> Vec<String> {
    farm.pass(span);
    farm.hear(two);
    farm.work()
}

#[test]
fn a_pure_attempt_is_reissued_when_its_forager_is_suspect_and_the_first_result_wins() {
    let (mut farm, one, two) = farm(EffectClass::Pure);
    let first = farm.open(one)[0];
    assert_eq!(silence(&mut farm, two, Span(3_001)), ["suspect", "g/a to two"]);
    let second = farm.open(two)[0];
    assert!(second.fence > first.fence);
    farm.succeed(one, first, "1").expect("the first attempt is still open");
    let cancel = farm.state.forager(two).and_then(|f| f.attempt(&second)).and_then(|attempt| attempt.cancel);
    assert_eq!(cancel, Some(CancelReason::Superseded));
    assert_eq!(farm.succeed(two, second, "2"), Ok(Reply::Done));
    expect![[r#"
        graph g succeeded
          a[0] succeeded 1
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_guarded_attempt_is_reissued_only_when_its_forager_is_lost() {
    let (mut farm, one, two) = farm(EffectClass::Guarded);
    let first = farm.open(one)[0];
    assert_eq!(silence(&mut farm, two, Span(3_001)), ["suspect"]);
    assert_eq!(silence(&mut farm, two, Span(7_099)), Vec::<String>::new(), "lease and drift are not over");
    assert_eq!(silence(&mut farm, two, Span(1)), ["lose", "g/a to two"]);
    assert_eq!(farm.succeed(one, first, "1"), Err(Refusal::UnknownAttempt), "a late result is not taken");
    let second = farm.open(two)[0];
    farm.succeed(two, second, "2").expect("open");
}

#[test]
fn a_new_leader_waits_a_full_lease_from_its_own_start() {
    let (mut farm, _, two) = farm(EffectClass::Guarded);
    farm.pass(Span(9_000));
    farm.elect();
    farm.hear(two);
    assert_eq!(silence(&mut farm, two, Span(10_100)), ["suspect"]);
    assert_eq!(silence(&mut farm, two, Span(1)), ["lose", "g/a to two"]);
}

#[test]
fn a_forager_that_is_heard_again_is_trusted() {
    let (mut farm, one, two) = farm(EffectClass::Guarded);
    assert_eq!(silence(&mut farm, two, Span(3_001)), ["suspect"]);
    farm.hear(one);
    assert_eq!(farm.work(), ["trust"]);
    let attempt = farm.open(one)[0];
    farm.succeed(one, attempt, "1").expect("open");
}

#[test]
fn an_irrevocable_attempt_of_a_lost_forager_needs_a_decision() {
    let (mut farm, one, two) = farm(EffectClass::Irrevocable);
    let first = farm.open(one)[0];
    silence(&mut farm, two, Span(10_101));
    assert_eq!(silence(&mut farm, two, Span(1)), Vec::<String>::new());
    expect![[r#"
        graph g running
          a[0] needs_decision its forager was lost while it may have run
    "#]]
    .assert_eq(&graphs(&farm));
    let decision = |fence, verdict| {
        let instance = InstanceId { graph: GraphNo(1), node: NodeNo(0), index: 0 };
        Command::Decide(Decision { instance, fence, verdict, by: "ada".into(), why: "looked at the ledger".into() })
    };
    let retry = |assume_ended| Verdict::Retry { assume_ended };
    assert_eq!(farm.one(decision(Fence(1), retry(true))), Err(Refusal::WrongFence));
    assert_eq!(farm.one(decision(first.fence, retry(false))), Err(Refusal::EndNotProven));
    assert_eq!(farm.one(decision(first.fence, retry(true))), Ok(Reply::Decided { new: true }));
    assert_eq!(
        farm.one(decision(first.fence, retry(true))),
        Ok(Reply::Decided { new: false }),
        "a repeated decision authorises nothing"
    );
    assert_eq!(farm.work(), ["g/a to two"]);
    assert_eq!(farm.one(decision(first.fence, retry(true))), Ok(Reply::Decided { new: false }));
    assert_eq!((farm.open(two).len(), farm.work()), (1, Vec::new()));
}

#[test]
fn a_late_end_of_an_irrevocable_attempt_is_taken() {
    let (mut farm, one, two) = farm(EffectClass::Irrevocable);
    let first = farm.open(one)[0];
    silence(&mut farm, two, Span(10_101));
    farm.succeed(one, first, "\"paid\"").expect("nobody has decided yet");
    expect![[r#"
        graph g succeeded
          a[0] succeeded "paid"
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn one_loss_counts_once_however_often_it_is_reported() {
    let (mut farm, one, two) = farm(EffectClass::Guarded);
    let first = farm.open(one)[0];
    farm.start(one, first);
    let lose = Command::Lose { forager: one, incarnation: farm.incarnation(one) };
    farm.apply(vec![lose.clone(), lose]);
    assert_eq!(farm.state.instance(first.instance).map(|(_, instance)| instance.losses), Some(1));
    farm.hear(two);
    assert_eq!(farm.work(), ["g/a to two"]);
}

#[test]
fn a_decision_to_retry_after_the_deadline_ends_the_instance() {
    let mut farm = Farm::new();
    farm.now.wall = antfarm_model::WallTime(1_893_455_999_000);
    farm.tool("work", CostClass::Cpu, EffectClass::Irrevocable);
    let one = farm.forager("one", 1, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.pass(Span(1_000));
    farm.end(one, attempt, crate::farm::cancelled()).expect("open");
    let decision = Decision {
        instance: attempt.instance,
        fence: attempt.fence,
        verdict: Verdict::Retry { assume_ended: false },
        by: "ada".into(),
        why: "a test".into(),
    };
    farm.one(Command::Decide(decision)).expect("its end is proven");
    expect![[r#"
        graph g expired
          a[0] expired it was cancelled after it may have taken effect
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn an_irrevocable_program_that_something_killed_needs_a_decision() {
    let (mut farm, one, _) = farm(EffectClass::Irrevocable);
    let attempt = farm.open(one)[0];
    let killed = AttemptOutcome::Failed { kind: FailureKind::Signal, message: "signal 9".into() };
    farm.end(one, attempt, killed).expect("open");
    expect![[r#"
        graph g running
          a[0] needs_decision signal 9
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn with_both_foragers_suspect_the_loss_of_one_brings_a_third_attempt() {
    let (mut farm, one, two) = farm(EffectClass::Pure);
    let three = farm.forager("three", 1, &["work"]);
    farm.pass(Span(3_001));
    farm.hear(two);
    farm.hear(three);
    assert_eq!(farm.work(), ["suspect", "g/a to two"]);
    let suspect = |farm: &Farm, forager| Command::Suspect { forager, incarnation: farm.incarnation(forager) };
    let command = suspect(&farm, two);
    farm.one(command).expect("it is the one that counts");
    assert_eq!(farm.state.forager(one).map(|forager| forager.suspect), Some(true));
    let lose = Command::Lose { forager: one, incarnation: farm.incarnation(one) };
    farm.one(lose).expect("it is the one that counts");
    farm.liveness.contacts.remove(&two);
    assert_eq!(farm.work(), ["g/a to three"]);
}

#[test]
fn a_forager_that_is_back_in_time_keeps_its_pure_attempt_to_itself() {
    let (mut farm, one, two) = farm(EffectClass::Pure);
    farm.liveness.contacts.remove(&two);
    assert_eq!(farm.pass_and_work(Span(3_001)), ["suspect", "suspect"]);
    farm.hear_all();
    assert_eq!(farm.work(), ["trust", "trust"]);
    let attempt = farm.open(one)[0];
    farm.fail(one, attempt).expect("open");
    assert_eq!(farm.state.instance(attempt.instance).map(|(_, instance)| instance.failures), Some(1));
}

#[test]
fn age_alone_brings_no_second_attempt() {
    for effects in [EffectClass::Pure, EffectClass::Idempotent, EffectClass::Guarded, EffectClass::Irrevocable] {
        let mut farm = Farm::new();
        farm.tool("work", CostClass::Cpu, effects);
        let one = farm.forager("one", 1, &["work"]);
        farm.forager("two", 1, &["work"]);
        farm.submit("{id: g, nodes: {a: {tool: work, timeout: 10h}}}").expect("accepted");
        farm.work();
        for minute in 0..50 {
            if minute == 10 {
                let attempt = farm.open(one)[0];
                farm.start(one, attempt);
            }
            if minute % 15 == 0 {
                farm.elect();
            }
            farm.pass(Span::from_secs(60));
            farm.hear_all();
            assert_eq!(farm.work(), Vec::<String>::new(), "{effects}: minute {minute}");
        }
        let attempt = farm.open(one)[0];
        farm.succeed(one, attempt, "1").expect("open");
        assert_eq!(farm.instance(attempt.instance).attempts, 1);
    }
}

#[test]
fn a_pinned_attempt_gets_no_second_one_while_its_forager_is_away() {
    for effects in [EffectClass::Pure, EffectClass::Guarded] {
        let mut farm = Farm::new();
        farm.tool("work", CostClass::Cpu, effects);
        let one = farm.forager("one", 2, &["work"]);
        farm.submit("{id: g, nodes: {a: {tool: work, pin: one}}}").expect("accepted");
        farm.work();
        let attempt = farm.open(one)[0];
        farm.start(one, attempt);
        assert_eq!(farm.pass_and_work(Span(9_000)), ["suspect"], "{effects}");
        farm.hear(one);
        assert_eq!(farm.work(), ["trust"], "{effects}");
        assert_eq!(farm.open(one), [attempt]);
        farm.succeed(one, attempt, "1").expect("open");
        assert_eq!(farm.instance(attempt.instance).attempts, 1, "{effects}");
    }
}

#[test]
fn a_tool_that_deduplicates_itself_is_treated_as_a_computation_is() {
    let (mut farm, one, two) = farm(EffectClass::Idempotent);
    let first = farm.open(one)[0];
    assert_eq!(silence(&mut farm, two, Span(3_001)), ["suspect", "g/a to two"]);
    let second = farm.open(two)[0];
    farm.succeed(two, second, "2").expect("open");
    let cancel = farm.state.forager(one).and_then(|f| f.attempt(&first)).and_then(|attempt| attempt.cancel);
    assert_eq!(cancel, Some(CancelReason::Superseded));
    assert_eq!(farm.succeed(one, first, "1"), Ok(Reply::Done), "its end closes it");
    assert_eq!(farm.instance(first.instance).result().map(|result| &**result), Some("2"), "the first result won");
}

#[test]
fn slots_of_foragers_that_died_while_nobody_led_come_back_when_their_leases_are_over() {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let dead = farm.forager("dead", 100, &["work"]);
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    farm.work();
    farm.elect();
    let alive = farm.forager("alive", 100, &["work"]);
    farm.pass(Span(10_100));
    farm.hear(alive);
    assert_eq!(farm.work(), ["suspect"]);
    farm.pass(Span(1));
    assert_eq!(farm.work(), ["lose", "g/n[0..100] to alive"]);
    assert_eq!(farm.open(dead), []);
}
