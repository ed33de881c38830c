//! What must not start before its time is ready at that time, or when what it needs is there, whichever is later.

use antfarm_model::{CostClass, EffectClass, Span, WallTime};
use antfarm_scheduler::{AttemptOutcome, Command, FailureKind};

use crate::farm::Farm;

/// 2030-01-01T00:00:00Z.
const MOMENT: u64 = 1_893_456_000_000;

const GRAPH: &str =
    "{id: g, nodes: {a: {tool: work}, b: {tool: work, args: {$ref: a}, not_before: 2030-01-01T00:00:00Z}}}";

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.now.wall = WallTime(MOMENT - 1_000);
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 1, &["work"]);
    farm.submit(GRAPH).expect("accepted");
    assert_eq!(farm.work(), ["g/a to f"]);
    farm
}

fn succeed_first(farm: &mut Farm) {
    let forager = farm.state.forager_named("f").expect("registered").no;
    let attempt = farm.open(forager)[0];
    farm.succeed(forager, attempt, "1").expect("open");
}

#[test]
fn what_has_everything_waits_for_its_time() {
    let mut farm = farm();
    succeed_first(&mut farm);
    assert_eq!(farm.pass_and_work(Span(999)), Vec::<String>::new());
    assert_eq!(farm.pass_and_work(Span(1)), ["g/b to f"]);
}

#[test]
fn a_time_that_has_come_is_no_reason_to_start_without_what_is_needed() {
    let mut farm = farm();
    assert_eq!(farm.pass_and_work(Span(2_000)), Vec::<String>::new());
    succeed_first(&mut farm);
    assert_eq!(farm.work(), ["g/b to f"]);
}

#[test]
fn a_graph_that_is_paused_when_the_time_comes_starts_it_when_it_is_resumed() {
    let mut farm = farm();
    succeed_first(&mut farm);
    let graph = farm.id("g", "b").graph;
    farm.one(Command::PauseGraph { graph }).expect("it runs");
    assert_eq!(farm.pass_and_work(Span(1_000)), Vec::<String>::new());
    farm.one(Command::ResumeGraph { graph }).expect("it is paused");
    assert_eq!(farm.work(), ["g/b to f"]);
}

#[test]
fn a_back_off_after_it_is_not_cut_short_by_the_moment() {
    let mut farm = farm();
    succeed_first(&mut farm);
    farm.pass(Span(1_000));
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let attempt = farm.open(forager)[0];
    let failed = AttemptOutcome::Failed { kind: FailureKind::Exit, message: "no".into() };
    farm.end(forager, attempt, failed).expect("open");
    assert_eq!(farm.pass_and_work(Span(999)), Vec::<String>::new());
    farm.hear_all();
    assert_eq!(farm.pass_and_work(Span(1)), ["g/b to f"]);
}
