//! What a forager has.

use antfarm_model::Span;
use antfarm_scheduler::Command;
use expect_test::expect;

use super::farm;

#[test]
fn it_was_told_it_runs_it_and_it_is_told_to_end() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, timeout: 5m, pin: one}}}").expect("accepted");
    farm.work();
    farm.pass(Span(1_500));
    let mut told = farm.explain("g", "a");
    let attempt = farm.open(one)[0];
    farm.start(one, attempt);
    farm.pass(Span::from_secs(90));
    farm.hear_all();
    told += &farm.explain("g", "a");
    farm.pass(Span::from_secs(210));
    farm.hear_all();
    told += &farm.explain("g", "a");
    expect![[r#"
        assigned: the forager one was told 1500 ms ago to run it (fence 7), and has not said that it does
          → the forager starts it or rejects it; what is not acknowledged is sent again, the same attempt
        runs: the forager one has run it for 90 s (fence 7)
          → it ends, or is cancelled by its time-out in 4 min
        being_cancelled: the forager one was told to end it (fence 7), because it ran longer than its time-out
          → the forager reports that nothing of it runs any more, or is lost
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_cancelled_graph_waits_for_an_irrevocable_attempt() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: pay}}}").expect("accepted");
    farm.work();
    let graph = farm.id("g", "a").graph;
    farm.one(Command::CancelGraph { graph }).expect("it runs");
    expect![[r#"
        being_cancelled: the forager one was told to end it (fence 7), because its graph was cancelled or failed
          → the forager reports that nothing of it runs any more, or is lost
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}

#[test]
fn its_forager_is_not_heard_which_means_something_else_for_each_effect_class() {
    let (mut farm, one, two) = farm();
    farm.one(Command::Drain { forager: two }).expect("it is there");
    let mut told = String::new();
    for tool in ["work", "pay", "rare"] {
        farm.hear_all();
        let id = format!("g-{tool}");
        farm.submit(&format!("{{id: {id}, nodes: {{a: {{tool: {tool}}}}}}}")).expect("accepted");
        farm.work();
        farm.pass(Span(4_000));
        farm.liveness.contacts.get_mut(&one).expect("it is heard").broken_at = Some(farm.now.elapsed);
        told += &farm.explain(&id, "a");
        let attempt = farm.open(one)[0];
        farm.succeed(one, attempt, "1").expect("open");
    }
    expect![[r#"
        forager_silent: its forager one is not heard
          → it goes on when that one is back; otherwise it is tried again when the lease is over, in 7 s
        forager_silent: its forager one is not heard
          → it goes on when that one is back; otherwise somebody must decide when the lease is over, in 7 s
        forager_silent: its forager one is not heard
          → it is given to another forager beside it, or goes on there when that one is back; its lease is over in 7 s
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_new_leader_has_not_heard_it_yet() {
    let (mut farm, ..) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    farm.work();
    farm.pass(Span::from_secs(60));
    farm.elect();
    farm.now.elapsed = farm.now.elapsed.plus(Span(100));
    expect![[r#"
        forager_silent: its forager one is not heard
          → it goes on when that one is back; otherwise it is tried again when the lease is over, in 10 s
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}
