//! A forager that prefetches keeps some attempts beyond its slots: only what nobody could begin now, and only as long as
//! nobody can.

use antfarm_model::{CostClass, EffectClass, ForagerNo};
use antfarm_scheduler::{AttemptOutcome, Command, Instances, Refusal, Registration, recalls};

use crate::farm::Farm;

/// Two foragers, each with a slot and so much beyond it.
fn farm(beyond: [u32; 2]) -> (Farm, [ForagerNo; 2]) {
    let mut farm = Farm::new();
    farm.tool("count", CostClass::Cpu, EffectClass::Guarded);
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    let mut register = |name, prefetch| {
        let registration = Registration { prefetch, ..Farm::registration(name, 1, &["count", "pay"]) };
        farm.register(registration).expect("the name is free")
    };
    let foragers = [register("one", beyond[0]), register("two", beyond[1])];
    (farm, foragers)
}

fn submit(farm: &mut Farm, id: &str, tool: &str, count: u32) {
    farm.submit(&format!("{{id: {id}, nodes: {{n: {{tool: {tool}, array: {{count: {count}}}}}}}}}")).expect("accepted");
}

#[test]
fn slots_are_filled_before_anything_is_kept_beyond_them() {
    let (mut farm, _) = farm([2, 0]);
    submit(&mut farm, "g", "count", 2);
    assert_eq!(farm.work(), ["g/n to one", "g/n[1..2] to two"]);
    submit(&mut farm, "h", "count", 9);
    assert_eq!(farm.work(), ["h/n[0..2] to one"], "as much as it keeps, and nothing where nothing is kept");
}

#[test]
fn a_limit_of_a_class_has_as_much_beyond_it() {
    let (mut farm, _) = farm([0, 0]);
    let mut registration = Registration { prefetch: 2, ..Farm::registration("three", 4, &["count"]) };
    registration.class_slots[CostClass::Cpu.index()] = Some(1);
    farm.register(registration).expect("the name is free");
    submit(&mut farm, "g", "count", 9);
    assert_eq!(farm.work(), ["g/n to one", "g/n[1..2] to two", "g/n[2..5] to three"]);
}

#[test]
fn what_is_irrevocable_is_never_kept_and_nothing_is_kept_while_it_waits() {
    let (mut farm, [_, two]) = farm([5, 5]);
    submit(&mut farm, "g", "count", 2);
    farm.work();
    submit(&mut farm, "payment", "pay", 1);
    submit(&mut farm, "h", "count", 9);
    assert_eq!(farm.work(), Vec::<String>::new(), "else it would wait behind everything that is kept");
    let attempt = farm.open(two)[0];
    farm.succeed(two, attempt, "1").expect("open");
    assert_eq!(farm.work(), ["payment/n to two", "h/n[0..5] to one", "h/n[5..9] to two"]);
}

#[test]
fn an_assignment_beyond_what_is_kept_is_refused() {
    let (mut farm, [one, _]) = farm([2, 0]);
    submit(&mut farm, "g", "count", 9);
    submit(&mut farm, "payments", "pay", 9);
    let assign = |farm: &Farm, graph: &str, len| {
        let graph = farm.state.graph_named(graph).expect("submitted").no;
        let instances = Instances { graph, node: antfarm_model::NodeNo(0), start: 0, len };
        Command::Assign { forager: one, incarnation: farm.incarnation(one), instances }
    };
    let (four, two_payments) = (assign(&farm, "g", 4), assign(&farm, "payments", 2));
    assert_eq!(farm.one(four), Err(Refusal::NoSlot));
    assert_eq!(farm.one(two_payments), Err(Refusal::NoSlot));
    let three = assign(&farm, "g", 3);
    farm.one(three).expect("a slot, and two beyond it");
}

#[test]
fn what_is_kept_goes_back_when_somebody_else_could_begin_it() {
    let (mut farm, [one, two]) = farm([2, 0]);
    submit(&mut farm, "g", "count", 4);
    assert_eq!(farm.work(), ["g/n to one", "g/n[1..2] to two", "g/n[2..4] to one"]);
    assert_eq!(recalls(&farm.state, &farm.liveness), [], "nobody has a slot");
    let [begun, kept, last] = farm.open(one)[..] else { panic!("three attempts") };
    farm.start(one, begun);
    let done = farm.open(two)[0];
    farm.succeed(two, done, "1").expect("open");
    assert_eq!(recalls(&farm.state, &farm.liveness), [(one, last)], "as many as there are slots, the last ones first");
    farm.one(Command::Return { forager: one, attempts: last.into() }).expect("open");
    assert_eq!(farm.work(), ["g/n[3..4] to two"]);
    for attempt in [begun, kept] {
        farm.succeed(one, attempt, "1").expect("what was not called back ends where it is");
    }
}

#[test]
fn nothing_goes_back_that_has_begun_or_while_others_have_enough_to_begin() {
    let (mut farm, [one, two]) = farm([1, 0]);
    submit(&mut farm, "g", "count", 9);
    farm.work();
    let done = farm.open(two)[0];
    farm.end(two, done, AttemptOutcome::Succeeded { result: "1".into() }).expect("open");
    assert_eq!(recalls(&farm.state, &farm.liveness), [], "more is ready");
    farm.one(Command::CancelGraph { graph: done.instance.graph }).expect("it runs");
    assert_eq!(recalls(&farm.state, &farm.liveness), [], "it is being cancelled");
    submit(&mut farm, "h", "count", 1);
    farm.work();
    for attempt in farm.open(one) {
        farm.start(one, attempt);
    }
    assert_eq!(recalls(&farm.state, &farm.liveness), []);
}
