//! A drained forager finishes what it has and gets nothing more, until it is undrained.

use antfarm_model::{CostClass, EffectClass, ForagerNo};
use antfarm_scheduler::{Command, Forager, ForagerState, Refusal, Reply};

use crate::farm::Farm;

fn farm() -> (Farm, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let forager = farm.forager("f", 1, &["work"]);
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 3}}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n to f"]);
    (farm, forager)
}

#[test]
fn what_runs_goes_on_and_nothing_more_comes() {
    let (mut farm, forager) = farm();
    farm.one(Command::Drain { forager }).expect("it is there");
    let attempt = farm.open(forager)[0];
    assert_eq!(
        farm.state.forager(forager).and_then(|forager| forager.attempt(&attempt)).and_then(|one| one.cancel),
        None
    );
    farm.succeed(forager, attempt, "1").expect("open");
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.one(Command::Undrain { forager }).expect("it is there");
    assert_eq!(farm.work(), ["g/n[1..2] to f"]);
}

#[test]
fn a_second_drain_or_undrain_changes_nothing() {
    let (mut farm, forager) = farm();
    for (command, state) in
        [(Command::Drain { forager }, ForagerState::Draining), (Command::Undrain { forager }, ForagerState::Ready)]
    {
        assert_eq!(farm.apply(vec![command.clone(), command]), [Ok(Reply::Done), Ok(Reply::Done)]);
        assert_eq!(farm.state.forager(forager).map(Forager::state), Some(state));
    }
}

#[test]
fn a_drain_outlives_a_new_registration() {
    let (mut farm, forager) = farm();
    farm.one(Command::Drain { forager }).expect("it is there");
    let attempt = farm.open(forager)[0];
    farm.succeed(forager, attempt, "1").expect("open");
    farm.forager_again("f", 1, &["work"]);
    assert_eq!(farm.work(), Vec::<String>::new());
}

#[test]
fn nobody_is_drained_whom_nobody_knows() {
    let (mut farm, _) = farm();
    assert_eq!(farm.one(Command::Drain { forager: ForagerNo(9) }), Err(Refusal::UnknownForager));
    assert_eq!(farm.one(Command::Undrain { forager: ForagerNo(9) }), Err(Refusal::UnknownForager));
}

#[test]
fn a_forager_that_says_itself_that_it_stops_gets_nothing() {
    let (mut farm, forager) = farm();
    let attempt = farm.open(forager)[0];
    farm.liveness.contacts.get_mut(&forager).expect("it is heard").draining = true;
    farm.succeed(forager, attempt, "1").expect("open");
    assert_eq!(farm.work(), Vec::<String>::new());
}

#[test]
fn a_drain_holds_nobody_up_who_needs_results_from_there() {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let leaving = farm.forager("leaving", 2, &["work"]);
    farm.forager("staying", 2, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work}, b: {tool: work}, c: {tool: work, args: [{$ref: a}, {$ref: b}]}}}")
        .expect("accepted");
    assert_eq!(farm.work(), ["g/a to leaving", "g/b to leaving"]);
    let open = farm.open(leaving);
    farm.succeed(leaving, open[0], "1").expect("open");
    farm.one(Command::Drain { forager: leaving }).expect("it is there");
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.succeed(leaving, open[1], "1").expect("open");
    assert_eq!(farm.work(), ["g/c to staying"]);
    assert_eq!(farm.open(leaving), [], "the drain is complete");
}
