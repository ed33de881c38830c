//! What is not ready yet.

use antfarm_model::Span;
use antfarm_scheduler::Command;
use expect_test::expect;

use super::farm;

#[test]
fn for_what_it_needs() {
    let (mut farm, one, _) = farm();
    let many: Vec<String> = (0..10).map(|number| format!("n{number}: {{tool: work}}")).collect();
    let names: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    let text = format!(
        "{{id: g, nodes: {{{}, fan: {{tool: work, array: {{count: 3}}}}, b: {{tool: work, after: [n0], args: [{{$ref: 'fan[1]'}}]}}, all: {{tool: work, after: [{}]}}}}}}",
        many.join(", "),
        names.join(", ")
    );
    farm.submit(&text).expect("accepted");
    expect![[r#"
        waits_for: it waits for n0, fan[1]
          → it is ready when they have succeeded
        waits_for: it waits for n0, n1, n2, n3, n4, n5, n6, n7 and 2 more
          → it is ready when they have succeeded
    "#]]
    .assert_eq(&(farm.explain("g", "b") + &farm.explain("g", "all")));
    farm.work();
    let attempt = farm.open(one)[0];
    farm.succeed(one, attempt, "1").expect("open");
    expect![[r#"
        waits_for: it waits for fan[1]
          → it is ready when they have succeeded
    "#]]
    .assert_eq(&farm.explain("g", "b"));
}

#[test]
fn for_its_time() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, not_before: 2030-01-01T00:00:00Z}}}").expect("accepted");
    expect![[r#"
        not_before: it must not start before 2030-01-01T00:00:00Z
          → it is ready at that time
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}

#[test]
fn for_the_end_of_a_back_off() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, retries: 3, pin: one}}}").expect("accepted");
    for _ in 0..2 {
        farm.hear_all();
        farm.work();
        let attempt = farm.open(one)[0];
        farm.fail(one, attempt).expect("open");
        farm.pass(Span(1_000));
    }
    expect![[r#"
        held_back: it failed 2 of 4 times, and is tried again in 1000 ms
          → nothing needs to be done
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}

#[test]
fn for_somebody_who_resumes_its_graph() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let graph = farm.id("g", "a").graph;
    farm.one(Command::PauseGraph { graph }).expect("it runs");
    expect![[r#"
        paused: its graph is paused
          → `antfarm graph resume g` lets it go on
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}
