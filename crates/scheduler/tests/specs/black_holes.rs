//! Where everything of a tool fails at once, nothing more of it is sent for a while, as long as somebody else may run it well.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Span};
use antfarm_scheduler::{AttemptId, AttemptOutcome, Command, FailureKind, GraphState, Instances, Refusal};

use crate::farm::Farm;

/// Quick failures in a row after which a tool is quarantined.
const FAILURES: usize = 16;

fn farm() -> (Farm, ForagerNo, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.tool("other", CostClass::Cpu, EffectClass::Guarded);
    let hole = farm.forager("hole", 1, &["other", "work"]);
    let good = farm.forager("good", 1, &["other", "work"]);
    (farm, hole, good)
}

/// `hole` fails, and `good` takes its time, until nothing more is assigned; tells what `hole` got.
fn swallow(farm: &mut Farm, hole: ForagerNo) -> Vec<AttemptId> {
    let mut swallowed = Vec::new();
    loop {
        farm.hear_all();
        farm.work();
        let Some(attempt) = farm.open(hole).first().copied() else { return swallowed };
        farm.fail(hole, attempt).expect("open");
        swallowed.push(attempt);
    }
}

fn quarantine(farm: &Farm, forager: ForagerNo) -> Option<Span> {
    let forager = farm.state.forager(forager).expect("registered");
    let (_, standing) = forager.standing.tools().next()?;
    standing.quarantined_until.map(|until| until.since(farm.now.elapsed))
}

#[test]
fn a_forager_that_fails_everything_at_once_stops_attracting_work_and_the_graph_ends_elsewhere() {
    let (mut farm, hole, good) = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    assert_eq!(swallow(&mut farm, hole).len(), FAILURES);
    assert_eq!(quarantine(&farm, hole), Some(Span::from_secs(30)));
    for _ in 0..100 {
        farm.pass(Span(200));
        farm.hear_all();
        farm.work();
        assert_eq!(farm.open(hole), [], "it gets nothing more");
        let attempt = farm.open(good)[0];
        farm.succeed(good, attempt, "1").expect("open");
    }
    assert_eq!(farm.state.graph_named("g").map(antfarm_scheduler::GraphRecord::state), Some(GraphState::Succeeded));
}

#[test]
fn only_the_tool_that_fails_is_kept_away() {
    let (mut farm, hole, _) = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    let last = *swallow(&mut farm, hole).last().expect("it got some");
    farm.submit("{id: h, nodes: {a: {tool: other}}}").expect("accepted");
    assert_eq!(farm.work(), ["h/a to hole"]);
    let incarnation = farm.incarnation(hole);
    let assign = Command::Assign { forager: hole, incarnation, instances: Instances::one(last.instance) };
    assert_eq!(farm.one(assign), Err(Refusal::ToolQuarantined));
}

#[test]
fn it_comes_back_after_a_time_that_grows_and_one_failure_is_enough_then() {
    let (mut farm, hole, _) = farm();
    farm.submit(
        "{id: g, on_failure: continue, defaults: {retries: 0}, nodes: {n: {tool: work, array: {count: 1000}}}}",
    )
    .expect("accepted");
    swallow(&mut farm, hole);
    for seconds in [30, 60, 120, 240, 480, 600, 600] {
        assert_eq!(quarantine(&farm, hole), Some(Span::from_secs(seconds)));
        farm.pass(Span(seconds * 1_000 - 1));
        assert_eq!(swallow(&mut farm, hole), []);
        farm.pass(Span(1));
        assert_eq!(swallow(&mut farm, hole).len(), 1);
    }
}

#[test]
fn one_that_fails_everything_alone_goes_on_so_that_no_graph_hangs() {
    let (mut farm, hole, good) = farm();
    let lose = Command::Lose { forager: good, incarnation: farm.incarnation(good) };
    farm.one(lose).expect("it is the one that counts");
    farm.submit("{id: g, on_failure: continue, defaults: {retries: 0}, nodes: {n: {tool: work, array: {count: 100}}}}")
        .expect("accepted");
    assert_eq!(swallow(&mut farm, hole).len(), 100);
    assert_eq!(farm.state.graph_named("g").map(antfarm_scheduler::GraphRecord::state), Some(GraphState::Failed));
}

#[test]
fn a_tool_that_fails_everywhere_is_left_with_somebody() {
    let (mut farm, hole, good) = farm();
    farm.submit("{id: g, on_failure: continue, defaults: {retries: 0}, nodes: {n: {tool: work, array: {count: 100}}}}")
        .expect("accepted");
    for _ in 0..100 {
        farm.hear_all();
        farm.work();
        for forager in [hole, good] {
            for attempt in farm.open(forager) {
                farm.fail(forager, attempt).expect("open");
            }
        }
    }
    assert_eq!((quarantine(&farm, hole), quarantine(&farm, good)), (None, None), "both fail alike");
    assert_eq!(farm.state.graph_named("g").map(antfarm_scheduler::GraphRecord::state), Some(GraphState::Failed));
}

#[test]
fn failures_count_only_if_they_are_quick_of_different_instances_and_in_a_row() {
    let (mut farm, hole, _) = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}, one: {tool: work, retries: 50, pin: hole}}}")
        .expect("accepted");
    farm.work();
    for number in 0..FAILURES - 1 {
        let attempt = farm.open(hole)[0];
        if number == 7 {
            farm.pass(Span(2_001));
            farm.hear_all();
        }
        farm.fail(hole, attempt).expect("open");
        farm.work();
    }
    let streak = |farm: &Farm| {
        farm.state.forager(hole).expect("registered").standing.tools().next().map_or(0, |(_, tool)| tool.failures)
    };
    assert_eq!(streak(&farm) as usize, FAILURES - 2, "the slow one does not count");
    let attempt = farm.open(hole)[0];
    let temporary = AttemptOutcome::Failed { kind: FailureKind::Temporary, message: "later".into() };
    farm.end(hole, attempt, temporary).expect("open");
    assert_eq!(streak(&farm) as usize, FAILURES - 2, "a tool that asks for a retry works");
    farm.work();
    let attempt = farm.open(hole)[0];
    farm.succeed(hole, attempt, "1").expect("open");
    assert_eq!(streak(&farm), 0, "a result begins the count anew");
}

#[test]
fn one_instance_that_fails_again_and_again_says_nothing_about_its_forager() {
    let (mut farm, hole, _) = farm();
    farm.submit("{id: g, nodes: {one: {tool: work, retries: 50, pin: hole}}}").expect("accepted");
    for _ in 0..30 {
        farm.hear_all();
        farm.work();
        let attempt = farm.open(hole)[0];
        farm.fail(hole, attempt).expect("open");
        farm.pass(Span::from_secs(60));
    }
    assert_eq!(quarantine(&farm, hole), None);
}

#[test]
fn undrain_ends_it_at_once() {
    let (mut farm, hole, _) = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    swallow(&mut farm, hole);
    farm.one(Command::Undrain { forager: hole }).expect("it is there");
    assert_eq!(swallow(&mut farm, hole).len(), FAILURES);
}

#[test]
fn a_result_that_comes_during_the_quarantine_ends_it() {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let hole = farm.forager("hole", 2, &["work"]);
    farm.forager("good", 1, &["work"]);
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    farm.work();
    let long = farm.open(hole)[0];
    for _ in 0..FAILURES {
        let attempt = farm.open(hole)[1];
        farm.fail(hole, attempt).expect("open");
        farm.work();
    }
    assert_eq!((quarantine(&farm, hole), farm.open(hole).len()), (Some(Span::from_secs(30)), 1));
    farm.succeed(hole, long, "1").expect("open");
    assert_eq!(quarantine(&farm, hole), None);
    farm.work();
    assert_eq!(farm.open(hole).len(), 2, "it works after all");
}
