//! What will not change any more, and what somebody must decide.

use antfarm_model::Span;
use antfarm_scheduler::{Command, Verdict};
use expect_test::expect;

use super::farm;
use crate::farm::interrupted;

#[test]
fn somebody_must_decide_and_is_told_what_to_type() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: pay}, n: {tool: pay, array: {count: 2}, pin: one}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.start(one, attempt);
    farm.end(one, attempt, interrupted()).expect("open");
    let mut told = farm.explain("g", "a");
    farm.work();
    farm.one(Command::Lose { forager: one, incarnation: farm.incarnation(one) }).expect("it counts");
    told += &farm.explain("g", "n");
    farm.decide(attempt, Verdict::Succeed { result: "1".into() }).expect("it is undecided");
    told += &farm.explain("g", "a");
    expect![[r#"
        needs_decision: nobody knows whether attempt 7 at the forager one took effect: its forager's process or lease ended while it ran
          → `antfarm node decide g/a retry|succeed|fail --fence 7 --why TEXT`
        needs_decision: nobody knows whether attempt 10 at the forager one took effect: its forager was lost while it may have run
          → `antfarm node decide g/n[0] retry|succeed|fail --fence 10 --why TEXT` (retry also needs --assume-ended)
        succeeded: ada decided that it succeeded
    "#]].assert_eq(&told);
}

#[test]
fn it_succeeded_or_failed() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, pin: one}, b: {tool: work, retries: 0, pin: one}}}")
        .expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.succeed(one, attempt, "1").expect("open");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.fail(one, attempt).expect("open");
    expect![[r#"
        succeeded: the forager one brought its result
        failed: after 1 attempt: exit code 1
          → nothing: submit the graph again under another id
    "#]]
    .assert_eq(&(farm.explain("g", "a") + &farm.explain("g", "b")));
}

#[test]
fn a_node_that_failed_ended_its_graph() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 0, pin: one}, b: {tool: work, pin: two}, c: {tool: work, after: [a]}}}")
        .expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.fail(one, attempt).expect("open");
    expect![[r#"
        cancelled: a failed, which ended the graph
          → nothing: submit the graph again under another id
        skipped: a failed, which ended the graph
          → nothing: submit the graph again under another id
    "#]]
    .assert_eq(&(farm.explain("g", "b") + &farm.explain("g", "c")));
}

#[test]
fn a_node_that_expired_keeps_those_from_running_that_need_it() {
    let (mut farm, one, two) = farm();
    for forager in [one, two] {
        farm.one(Command::Drain { forager }).expect("it is there");
    }
    farm.submit("{id: g, on_deadline: skip_successors, nodes: {n: {tool: work, array: {count: 2}, deadline: 2030-01-01T00:00:00Z}, b: {tool: work, after: ['n[1]']}, c: {tool: work, args: {$ref: b}}, z: {tool: work}}}")
        .expect("accepted");
    farm.pass(Span::from_secs(10));
    expect![[r#"
        expired: its deadline 2030-01-01T00:00:00Z passed before it could start
          → nothing: submit the graph again under another id
        skipped: n[1] expired, and this needs it
          → nothing: submit the graph again under another id
        skipped: n[1] expired, and this needs it
          → nothing: submit the graph again under another id
    "#]]
    .assert_eq(&(farm.explain("g", "n") + &farm.explain("g", "b") + &farm.explain("g", "c")));
}

#[test]
fn somebody_cancelled_its_graph() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}, b: {tool: work, after: [a]}}}").expect("accepted");
    farm.work();
    let graph = farm.id("g", "a").graph;
    farm.one(Command::CancelGraph { graph }).expect("it runs");
    expect![[r#"
        cancelled: somebody cancelled its graph
          → nothing: submit the graph again under another id
        cancelled: somebody cancelled its graph
          → nothing: submit the graph again under another id
    "#]]
    .assert_eq(&(farm.explain("g", "a") + &farm.explain("g", "b")));
}

#[test]
fn what_is_not_there_is_not_explained() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let id = antfarm_scheduler::InstanceId { index: 1, ..farm.id("g", "a") };
    assert_eq!(antfarm_scheduler::explain(&farm.state, &farm.liveness, &farm.policy, farm.now, id), None);
}
