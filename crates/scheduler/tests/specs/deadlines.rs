//! A node past its deadline is expired: never assigned, and cancelled if it runs.

use antfarm_model::{CostClass, EffectClass, Span, WallTime};
use antfarm_scheduler::{AttemptOutcome, CancelReason, FailureKind, GraphState, InstanceState};
use expect_test::expect;

use crate::farm::{Farm, cancelled};
use crate::references::graphs;

/// 2030-01-01T00:00:00Z.
const DEADLINE: u64 = 1_893_456_000_000;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.now.wall = WallTime(DEADLINE - 1_000);
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 1, &["work"]);
    farm
}

#[test]
fn ten_thousand_nodes_expire_once_each_and_none_is_assigned_again() {
    let mut farm = farm();
    farm.submit("{id: g, on_deadline: continue, nodes: {n: {tool: work, array: {count: 10000}, deadline: 2030-01-01T00:00:00Z}}}")
        .expect("accepted");
    farm.work();
    farm.pass(Span(1_000));
    let graph = farm.state.graph_named("g").expect("submitted");
    assert_eq!(graph.counts().of(InstanceState::Expired), 10_000);
    assert_eq!(graph.state(), GraphState::Expired);
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    assert_eq!(
        farm.state.forager(forager).and_then(|f| f.attempt(&open[0])).and_then(|a| a.cancel),
        Some(CancelReason::Deadline)
    );
    farm.end(forager, open[0], cancelled()).expect("open");
    assert_eq!(farm.work(), Vec::<String>::new());
}

#[test]
fn a_deadline_fails_the_graph_by_default() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z}, b: {tool: work, after: [a]}}}")
        .expect("accepted");
    farm.pass(Span(1_000));
    expect![[r#"
        graph g expired
          a[0] expired
          b[0] skipped
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn skip_successors_lets_the_others_go_on() {
    let mut farm = farm();
    let text = "{id: g, on_deadline: skip_successors, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z, pin: elsewhere}, b: {tool: work, after: [a]}, c: {tool: work}}}";
    farm.submit(text).expect("accepted");
    farm.pass(Span(1_000));
    farm.run_all("1");
    expect![[r#"
        graph g expired
          a[0] expired
          b[0] skipped
          c[0] succeeded 1
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn continue_lets_those_run_that_only_come_after() {
    let mut farm = farm();
    let text = "{id: g, on_deadline: continue, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z, pin: elsewhere}, b: {tool: work, after: [a]}, c: {tool: work, args: {$ref: a}}}}";
    farm.submit(text).expect("accepted");
    farm.pass(Span(1_000));
    farm.run_all("1");
    expect![[r#"
        graph g expired
          a[0] expired
          b[0] succeeded 1
          c[0] skipped
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn nothing_is_ready_before_its_time() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, not_before: 2030-01-01T00:00:00Z}}}").expect("accepted");
    farm.pass(Span(999));
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.pass(Span(1));
    assert_eq!(farm.work(), ["g/a to f"]);
}

#[test]
fn the_wall_clock_of_the_state_never_goes_back() {
    let mut farm = farm();
    farm.pass(Span(10));
    let before = farm.state.wall();
    farm.now.wall = WallTime(5);
    farm.pass(Span(1));
    assert_eq!(farm.state.wall(), before);
}

#[test]
fn an_irrevocable_attempt_that_fails_after_the_deadline_is_not_repeated() {
    let mut farm = farm();
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    let forager = farm.forager("p", 1, &["pay"]);
    farm.submit("{id: g, nodes: {a: {tool: pay, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    farm.work();
    farm.pass(Span(1_000));
    let attempt = farm.open(forager)[0];
    let outcome = AttemptOutcome::Failed { kind: FailureKind::Temporary, message: "later".into() };
    farm.end(forager, attempt, outcome).expect("open");
    expect![[r#"
        graph g expired
          a[0] expired
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn every_node_that_was_never_assigned_expires_once_and_nothing_is_sent_or_rejected() {
    let mut farm = farm();
    farm.submit("{id: busy, nodes: {a: {tool: work}}}").expect("accepted");
    farm.work();
    let node = |number: u32| format!("n{number}: {{tool: work, deadline: 2030-01-01T00:00:00Z}}");
    let text = (0..10_000).map(node).collect::<Vec<_>>().join(", ");
    farm.submit(&format!(
        "{{id: g, on_deadline: skip_successors, nodes: {{{text}, after: {{tool: work, after: [n0]}}}}}}"
    ))
    .expect("accepted");
    assert_eq!(farm.work(), Vec::<String>::new(), "all slots are taken");
    farm.now.wall = farm.now.wall.plus(Span(1_000));
    assert_eq!(
        farm.decisions(&antfarm_scheduler::InFlight::default()),
        [],
        "nothing is sent, not even before it is noted"
    );
    farm.pass(Span(0));
    farm.run_all("1");
    let graph = farm.state.graph_named("g").expect("submitted");
    assert_eq!((graph.state(), graph.counts().of(InstanceState::Expired)), (GraphState::Expired, 10_000));
    assert_eq!(graph.counts().of(InstanceState::Skipped), 1);
    let attempts: u32 = (0..10_000)
        .filter_map(|node| graph.instance(antfarm_model::NodeNo(node), 0))
        .map(|instance| instance.attempts)
        .sum();
    assert_eq!(attempts, 0);
}

#[test]
fn a_result_that_comes_after_the_deadline_is_not_taken_and_closes_its_attempt() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let attempt = farm.open(forager)[0];
    farm.pass(Span(1_000));
    farm.succeed(forager, attempt, "1").expect("its end is noted");
    assert_eq!(farm.instance(attempt.instance).state, InstanceState::Expired);
    assert_eq!(farm.state.open_count(), 0);
}
