//! How graphs end, are cancelled, paused and resumed.

use antfarm_model::{CostClass, EffectClass, GraphNo};
use antfarm_scheduler::{CancelReason, Command, Refusal, Reply};
use expect_test::expect;

use crate::farm::{Farm, cancelled};
use crate::references::graphs;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    farm.forager("f", 2, &["work", "pay"]);
    farm
}

const NO_RETRIES: &str = "defaults: {retries: 0}";

#[test]
fn a_failed_node_fails_its_graph() {
    let mut farm = farm();
    let text = format!(
        "{{id: g, {NO_RETRIES}, nodes: {{a: {{tool: work}}, b: {{tool: work}}, c: {{tool: work, after: [a]}}, d: {{tool: work}}}}}}"
    );
    farm.submit(&text).expect("accepted");
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    farm.fail(forager, open[0]).expect("open");
    expect![[r#"
        graph g failed
          a[0] failed exit code 1
          b[0] cancelled
          c[0] skipped
          d[0] skipped
    "#]]
    .assert_eq(&graphs(&farm));
    let holder = farm.state.holder(&open[1]).and_then(|forager| farm.state.forager(forager));
    let attempt = holder.and_then(|forager| forager.attempt(&open[1])).expect("still open");
    assert_eq!(attempt.cancel, Some(CancelReason::GraphStopped));
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.end(forager, open[1], cancelled()).expect("open");
    assert_eq!(farm.state.open_count(), 0);
}

#[test]
fn under_continue_only_successors_are_skipped() {
    let mut farm = farm();
    let text = format!(
        "{{id: g, on_failure: continue, {NO_RETRIES}, nodes: {{a: {{tool: work}}, b: {{tool: work}}, c: {{tool: work, after: [a]}}, d: {{tool: work, after: [c]}}, e: {{tool: work, after: [b]}}}}}}"
    );
    farm.submit(&text).expect("accepted");
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    farm.fail(forager, open[0]).expect("open");
    farm.run_all("1");
    expect![[r#"
        graph g failed
          a[0] failed exit code 1
          b[0] succeeded 1
          c[0] skipped
          d[0] skipped
          e[0] succeeded 1
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_cancelled_graph_starts_nothing_more_and_keeps_its_slots_until_the_processes_are_gone() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 5}}}}").expect("accepted");
    farm.submit("{id: h, nodes: {n: {tool: work}}}").expect("accepted");
    farm.work();
    assert_eq!(farm.one(Command::CancelGraph { graph: GraphNo(1) }), Ok(Reply::Done));
    assert_eq!(farm.one(Command::CancelGraph { graph: GraphNo(1) }), Ok(Reply::Done));
    assert_eq!(farm.work(), Vec::<String>::new(), "the slots are not free yet");
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    farm.end(forager, open[0], cancelled()).expect("open");
    assert_eq!(farm.work(), ["h/n to f"]);
    let counts = farm.state.graph(GraphNo(1)).expect("submitted").counts();
    assert_eq!(counts.of(antfarm_scheduler::InstanceState::Cancelled), 5);
}

#[test]
fn a_cancelled_irrevocable_instance_needs_a_decision_unless_it_never_started() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: pay}, b: {tool: pay}}}").expect("accepted");
    farm.work();
    farm.one(Command::CancelGraph { graph: GraphNo(1) }).expect("it runs");
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    farm.end(forager, open[0], cancelled()).expect("open");
    farm.end(forager, open[1], antfarm_scheduler::AttemptOutcome::Cancelled { started: false }).expect("open");
    expect![[r#"
        graph g cancelled
          a[0] needs_decision it was cancelled after it may have taken effect
          b[0] cancelled
    "#]]
    .assert_eq(&graphs(&farm));
    assert_eq!(farm.state.graph(GraphNo(1)).expect("submitted").finished_at, None);
}

#[test]
fn a_paused_graph_assigns_nothing_until_it_is_resumed() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 3}}, m: {tool: work, after: [n]}}}").expect("accepted");
    farm.work();
    farm.one(Command::PauseGraph { graph: GraphNo(1) }).expect("it runs");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for attempt in farm.open(forager) {
        farm.succeed(forager, attempt, "1").expect("open");
    }
    assert_eq!(farm.work(), Vec::<String>::new());
    expect![[r#"
        graph g paused
          n[0] succeeded 1
          n[1] succeeded 1
          n[2] waiting
          m[0] waiting
    "#]]
    .assert_eq(&graphs(&farm));
    farm.one(Command::ResumeGraph { graph: GraphNo(1) }).expect("it is paused");
    assert_eq!(farm.work(), ["g/n[2..3] to f"]);
    farm.run_all("1");
    assert_eq!(farm.one(Command::PauseGraph { graph: GraphNo(1) }), Err(Refusal::GraphEnded));
}
