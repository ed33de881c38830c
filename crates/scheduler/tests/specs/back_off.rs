//! A node that a forager would not run is not given to that forager again for a while; others may have it at once.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Span};
use antfarm_scheduler::{Command, Instances, Refusal, RejectReason};

use crate::farm::Farm;

fn farm() -> (Farm, ForagerNo, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let one = farm.forager("one", 1, &["work"]);
    let two = farm.forager("two", 1, &["work"]);
    (farm, one, two)
}

#[test]
fn what_one_forager_rejects_another_gets_at_once() {
    let (mut farm, one, two) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/a to one"]);
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::NoSlot);
    assert_eq!(farm.work(), ["g/a to two"]);
    let attempt = farm.open(two)[0];
    farm.reject(two, attempt, RejectReason::NoSlot);
    assert_eq!(farm.work(), Vec::<String>::new(), "nobody is asked twice within the back-off");
}

#[test]
fn each_rejection_in_a_row_doubles_the_back_off_until_the_node_starts() {
    let (mut farm, one, two) = farm();
    farm.one(Command::Drain { forager: two }).expect("it is there");
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    for wait in [100, 200, 400] {
        farm.hear_all();
        assert_eq!(farm.work(), ["g/a to one"]);
        let attempt = farm.open(one)[0];
        farm.reject(one, attempt, RejectReason::NoSlot);
        assert_eq!(farm.pass_and_work(Span(wait - 1)), Vec::<String>::new());
        farm.pass(Span(1));
    }
    assert_eq!(farm.work(), ["g/a to one"]);
    let attempt = farm.open(one)[0];
    farm.start(one, attempt);
    farm.one(Command::Return { forager: one, attempts: attempt.into() }).expect("open");
    assert_eq!(farm.work(), ["g/a to one"]);
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::NoSlot);
    assert_eq!(farm.pass_and_work(Span(100)), ["g/a to one"], "the count began anew");
}

#[test]
fn other_nodes_pass_the_one_that_waits_however_many_instances_it_has() {
    let (mut farm, one, two) = farm();
    farm.one(Command::Drain { forager: two }).expect("it is there");
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100000}}, m: {tool: work}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n to one"]);
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::NoSlot);
    assert_eq!(farm.work(), ["g/m to one"]);
}

#[test]
fn a_leader_that_ignores_the_back_off_is_refused() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::NoSlot);
    let incarnation = farm.incarnation(one);
    let assign = Command::Assign { forager: one, incarnation, instances: Instances::one(attempt.instance) };
    assert_eq!(farm.one(assign.clone()), Err(Refusal::BacksOff));
    farm.pass(Span(100));
    farm.one(assign).expect("the back-off is over");
}

#[test]
fn a_pinned_node_backs_off_too() {
    let (mut farm, one, _) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, pin: one}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::Draining);
    assert_eq!(farm.work(), Vec::<String>::new());
    assert_eq!(farm.pass_and_work(Span(100)), ["g/a to one"]);
}
