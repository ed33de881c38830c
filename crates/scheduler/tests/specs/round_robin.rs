//! With k cost classes waiting, each gets at least every k-th assignment that it can use; within a class deadlines come
//! first, then the order of submission.

use antfarm_model::{CostClass, EffectClass, ForagerNo};
use antfarm_scheduler::{AttemptId, AttemptOutcome, Command, InFlight};
use expect_test::expect;

use crate::farm::Farm;

fn farm_with_classes() -> Farm {
    let mut farm = Farm::new();
    for (tool, class) in [("count", CostClass::Cpu), ("fetch", CostClass::Io), ("ask", CostClass::Model)] {
        farm.tool(tool, class, EffectClass::Pure);
    }
    farm
}

#[test]
fn a_flood_of_io_does_not_starve_model_calls() {
    let mut farm = farm_with_classes();
    let forager = farm.forager("f", 4, &["fetch", "ask"]);
    farm.submit("{id: flood, nodes: {n: {tool: fetch, array: {count: 100000}}}}").expect("accepted");
    farm.submit("{id: calls, nodes: {n: {tool: ask, array: {count: 100}}}}").expect("accepted");
    let flood = farm.state.graph_named("flood").expect("submitted").no;
    let mut order = Vec::new();
    while order.len() < 400 {
        farm.work();
        let attempt = farm.open(forager)[order.len() % 4 % farm.open(forager).len()];
        order.push(attempt.instance.graph == flood);
        farm.succeed(forager, attempt, "1").expect("open");
    }
    let model_calls = order.iter().filter(|is_io| !**is_io).count();
    assert!(model_calls >= 96, "of 400 instances with two classes waiting, {model_calls} of 100 model calls ended");
}

#[test]
fn every_window_of_k_assignments_serves_every_class_that_waits() {
    let mut farm = farm_with_classes();
    farm.forager("f", 30, &["count", "fetch", "ask"]);
    for (graph, tool) in [("a", "count"), ("b", "fetch"), ("c", "ask")] {
        let text = format!("{{id: {graph}, nodes: {{n: {{tool: {tool}, array: {{count: 50}}}}}}}}");
        farm.submit(&text).expect("accepted");
    }
    assert_eq!(farm.work(), ["a/n[0..10] to f", "b/n[0..10] to f", "c/n[0..10] to f"]);
}

#[test]
fn a_class_that_only_some_foragers_serve_gets_its_turn_there() {
    let mut farm = farm_with_classes();
    let one = farm.forager("one", 1, &["count"]);
    let two = farm.forager("two", 1, &["fetch", "ask"]);
    for (graph, tool) in [("a", "count"), ("b", "fetch"), ("c", "ask")] {
        let text = format!("{{id: {graph}, nodes: {{n: {{tool: {tool}, array: {{count: 50}}}}}}}}");
        farm.submit(&text).expect("accepted");
    }
    farm.work();
    let calls = farm.state.graph_named("c").expect("submitted").no;
    let mut served = 0;
    for _ in 0..10 {
        for forager in [two, one] {
            let attempt = farm.open(forager)[0];
            served += u32::from(attempt.instance.graph == calls);
            farm.succeed(forager, attempt, "1").expect("open");
            farm.work();
        }
    }
    assert_eq!(served, 5, "of ten slots that became free where two classes wait, each gets every other");
}

#[test]
fn the_turn_goes_on_where_it_stopped() {
    let mut farm = farm_with_classes();
    let forager = farm.forager("f", 1, &["fetch", "ask"]);
    farm.submit("{id: b, nodes: {n: {tool: fetch, array: {count: 3}}}}").expect("accepted");
    farm.submit("{id: c, nodes: {n: {tool: ask, array: {count: 3}}}}").expect("accepted");
    let mut order = Vec::new();
    for _ in 0..6 {
        order.extend(farm.work());
        let attempt = farm.open(forager)[0];
        farm.succeed(forager, attempt, "1").expect("open");
    }
    expect![[r#"
        [
            "b/n to f",
            "c/n to f",
            "b/n[1..2] to f",
            "c/n[1..2] to f",
            "b/n[2..3] to f",
            "c/n[2..3] to f",
        ]
    "#]]
    .assert_debug_eq(&order);
}

#[test]
fn earlier_deadlines_come_first_then_earlier_submissions() {
    let mut farm = farm_with_classes();
    farm.forager("f", 1, &["count"]);
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.submit("{id: first, nodes: {a: {tool: count}, b: {tool: count, deadline: 2030-01-02T00:00:00Z}}}")
        .expect("accepted");
    farm.submit("{id: second, nodes: {a: {tool: count, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    let mut order = Vec::new();
    for _ in 0..3 {
        order.extend(farm.work());
        let attempt = farm.open(forager)[0];
        farm.succeed(forager, attempt, "1").expect("open");
    }
    assert_eq!(order, ["second/a to f", "first/b to f", "first/a to f"]);
}

#[test]
fn what_cannot_be_placed_does_not_block_what_stands_behind() {
    let mut farm = farm_with_classes();
    farm.forager("f", 3, &["count"]);
    farm.submit("{id: g, nodes: {a: {tool: fetch}, b: {tool: count, pin: elsewhere}, c: {tool: count}}}")
        .expect("accepted");
    assert_eq!(farm.work(), ["g/c to f"]);
}

#[test]
fn foragers_are_taken_in_registry_order() {
    let mut farm = farm_with_classes();
    farm.forager("zebra", 2, &["count"]);
    farm.forager("ant", 2, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count, array: {count: 5}}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n[0..2] to zebra", "g/n[2..4] to ant"]);
}

#[test]
fn a_pin_is_met_or_the_node_stays() {
    let mut farm = farm_with_classes();
    farm.forager("one", 2, &["count"]);
    farm.forager("two", 1, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count, pin: two, array: {count: 2}}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n to two"]);
}

#[test]
fn a_limit_for_a_class_is_kept() {
    let mut farm = farm_with_classes();
    let mut registration = Farm::registration("f", 5, &["count", "ask"]);
    registration.class_slots[CostClass::Model.index()] = Some(1);
    farm.register(registration).expect("the name is free");
    farm.submit("{id: c, nodes: {n: {tool: ask, array: {count: 9}}}}").expect("accepted");
    farm.submit("{id: a, nodes: {n: {tool: count, array: {count: 9}}}}").expect("accepted");
    assert_eq!(farm.work(), ["c/n to f", "a/n[0..4] to f"]);
}

#[test]
fn nothing_is_proposed_twice_while_it_is_on_its_way() {
    let mut farm = farm_with_classes();
    farm.forager("f", 4, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count, array: {count: 6}}}}").expect("accepted");
    let mut in_flight = InFlight::default();
    let first = farm.decisions(&in_flight);
    in_flight.add(1, &farm.state, &first);
    assert_eq!(farm.decisions(&in_flight), []);
    farm.apply(first);
    in_flight.settle(1);
    assert!(in_flight.is_empty());
    assert_eq!(farm.decisions(&in_flight), []);
}

/// The end of everything that a forager has, as it is on its way.
fn ends(farm: &Farm, forager: ForagerNo) -> Vec<Command> {
    let outcome = AttemptOutcome::Succeeded { result: "1".into() };
    let end = |id: AttemptId| Command::End { forager, attempts: id.into(), outcome: outcome.clone() };
    farm.open(forager).into_iter().map(end).collect()
}

#[test]
fn what_ends_in_an_entry_has_ended_for_what_is_decided_for_it() {
    let mut farm = farm_with_classes();
    let forager = farm.forager("f", 2, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count, array: {count: 9}}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n[0..2] to f"]);
    let mut in_flight = InFlight::default();
    assert_eq!(farm.decisions(&in_flight), []);
    let mut entry = ends(&farm, forager);
    in_flight.add(1, &farm.state, &entry);
    let decided = farm.decisions(&in_flight);
    in_flight.add(1, &farm.state, &decided);
    assert_eq!(farm.decisions(&in_flight), [], "a slot is given away once");
    entry.extend(decided);
    assert!(farm.apply(entry).iter().all(Result::is_ok));
    let running: Vec<u32> = farm.open(forager).iter().map(|id| id.instance.index).collect();
    assert_eq!(running, [2, 3]);
    assert_eq!(farm.decisions(&in_flight), [], "what has been applied frees nothing again, settled or not");
    in_flight.settle(1);
    assert!(in_flight.is_empty());
    assert_eq!(farm.decisions(&in_flight), []);
}

#[test]
fn a_slot_that_becomes_free_keeps_its_place_in_the_registry_order() {
    let mut farm = farm_with_classes();
    let first = farm.forager("f1", 1, &["count"]);
    let second = farm.forager("f2", 1, &["ask"]);
    farm.forager("f3", 1, &["count"]);
    farm.submit("{id: a, nodes: {n: {tool: count}}}").expect("accepted");
    farm.submit("{id: b, nodes: {n: {tool: ask}}}").expect("accepted");
    farm.work();
    farm.submit("{id: c, nodes: {n: {tool: count, array: {count: 9}}}}").expect("accepted");
    let mut in_flight = InFlight::default();
    let ended: Vec<Command> = [first, second].into_iter().flat_map(|forager| ends(&farm, forager)).collect();
    in_flight.add(1, &farm.state, &ended);
    let decided = farm.decisions(&in_flight).into_iter().filter_map(|command| {
        let Command::Assign { forager, instances, .. } = command else { return None };
        Some((forager, instances.start, instances.len))
    });
    assert_eq!(decided.collect::<Vec<_>>(), [(first, 0, 1), (ForagerNo(second.0 + 1), 1, 1)]);
}

#[test]
fn a_silent_forager_gets_nothing() {
    let mut farm = farm_with_classes();
    let forager = farm.forager("f", 4, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count}}}").expect("accepted");
    farm.liveness.contacts.remove(&forager);
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.hear(forager);
    assert_eq!(farm.work(), ["g/n to f"]);
}

#[test]
fn a_thousand_urgent_model_nodes_without_a_slot_hold_up_no_cpu_node() {
    let mut farm = farm_with_classes();
    let mut registration = Farm::registration("f", 101, &["count", "ask"]);
    registration.class_slots[CostClass::Model.index()] = Some(1);
    farm.register(registration).expect("the name is free");
    farm.submit("{id: calls, nodes: {n: {tool: ask, array: {count: 1000}, deadline: 2030-01-01T00:00:00Z}}}")
        .expect("accepted");
    farm.submit("{id: sums, nodes: {n: {tool: count, array: {count: 100}}}}").expect("accepted");
    assert_eq!(farm.work(), ["calls/n to f", "sums/n[0..100] to f"]);
}

#[test]
fn ten_thousand_nodes_of_a_graph_that_cannot_run_hide_no_other_graph() {
    let mut farm = farm_with_classes();
    farm.forager("f", 1, &["count"]);
    farm.submit("{id: stuck, nodes: {n: {tool: count, pin: elsewhere, array: {count: 5000}}, m: {tool: ask, array: {count: 5000}}}}")
        .expect("accepted");
    farm.submit("{id: free, nodes: {n: {tool: count}}}").expect("accepted");
    assert_eq!(farm.work(), ["free/n to f"]);
}

#[test]
fn what_waits_goes_to_foragers_that_join_later() {
    let mut farm = farm_with_classes();
    farm.forager("f0", 4, &["count"]);
    farm.submit("{id: g, nodes: {n: {tool: count, array: {count: 100}}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/n[0..4] to f0"], "no forager gets more than it has slots");
    for number in 1..5 {
        farm.forager(&format!("f{number}"), 4, &["count"]);
    }
    assert_eq!(farm.work(), ["g/n[4..8] to f1", "g/n[8..12] to f2", "g/n[12..16] to f3", "g/n[16..20] to f4"]);
}
