//! What could run and has no forager.

use antfarm_model::Span;
use antfarm_scheduler::{Command, RejectReason};
use expect_test::expect;

use super::farm;

#[test]
fn because_nobody_has_the_tool() {
    let (mut farm, one, _) = farm();
    farm.tool("new", antfarm_model::CostClass::Cpu, antfarm_model::EffectClass::Pure);
    farm.submit("{id: g, nodes: {a: {tool: new}, b: {tool: rare}}}").expect("accepted");
    let before = farm.explain("g", "a");
    farm.one(Command::Lose { forager: one, incarnation: farm.incarnation(one) }).expect("it counts");
    expect![[r#"
        no_forager_with_tool: no forager has the tool new
          → add new to the tools of a forager and restart it, or start a forager that has it
        no_forager_with_tool: no forager has the tool rare any more: lost are one
          → add rare to the tools of a forager and restart it, or start a forager that has it
    "#]]
    .assert_eq(&(before + &farm.explain("g", "b")));
}

#[test]
fn because_a_pin_is_not_met() {
    let (mut farm, one, two) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, pin: three}, b: {tool: rare, pin: two}, c: {tool: work, pin: two}}}")
        .expect("accepted");
    let mut told = farm.explain("g", "a") + &farm.explain("g", "b") + &farm.explain("g", "c");
    farm.work();
    farm.submit("{id: h, nodes: {c: {tool: work, pin: two}}}").expect("accepted");
    told += &farm.explain("h", "c");
    farm.one(Command::Drain { forager: two }).expect("it is there");
    told += &farm.explain("h", "c");
    farm.liveness.contacts.remove(&two);
    farm.one(Command::Undrain { forager: two }).expect("it is there");
    told += &farm.explain("h", "c");
    farm.pass(Span(3_001));
    farm.hear(one);
    farm.work();
    told += &farm.explain("h", "c");
    farm.one(Command::Lose { forager: two, incarnation: farm.incarnation(two) }).expect("it counts");
    told += &farm.explain("h", "c");
    expect![[r#"
        pin_not_met: it is pinned to the forager three, which has never registered, or is long forgotten
          → start a forager that is called three
        pin_not_met: it is pinned to the forager two, which does not have the tool
          → add the tool to the configuration of two and restart it
        about_to_be_assigned: it is about to be assigned
          → nothing needs to be done
        pin_not_met: it is pinned to the forager two, which has no free slot
          → a slot there that becomes free
        pin_not_met: it is pinned to the forager two, which is draining
          → `antfarm forager undrain two`, or start it again
        pin_not_met: it is pinned to the forager two, which is not connected to the leader
          → start two, or mend its way to the queens
        pin_not_met: it is pinned to the forager two, which is not heard
          → start two, or mend its way to the queens
        pin_not_met: it is pinned to the forager two, which is lost
          → start two, or mend its way to the queens
    "#]]
    .assert_eq(&told);
}

#[test]
fn because_all_slots_are_taken_and_where_it_stands_in_the_queue() {
    let (mut farm, _, two) = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 5}}, last: {tool: work}}}").expect("accepted");
    farm.work();
    farm.submit("{id: h, nodes: {urgent: {tool: work, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    let mut told = farm.explain("h", "urgent") + &farm.explain("g", "last");
    farm.one(Command::Drain { forager: two }).expect("it is there");
    told += &farm.explain("h", "urgent");
    expect![[r#"
        no_free_slot: it is the next of its class, and all slots of 2 foragers with the tool work are taken
          → a slot that becomes free, or a further forager with the tool
        in_queue: 4 instances of class cpu come before it, and all slots of 2 foragers that would take it are taken
          → slots that become free, further foragers, or an earlier deadline
        no_free_slot: it is the next of its class, and all slots of 1 forager with the tool work are taken; two is draining
          → a slot that becomes free, or a further forager with the tool
    "#]].assert_eq(&told);
}

#[test]
fn because_nobody_with_the_tool_takes_work() {
    let (mut farm, one, two) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(one)[0];
    farm.reject(one, attempt, RejectReason::NoSlot);
    farm.one(Command::Drain { forager: two }).expect("it is there");
    expect![[r#"
        no_forager_available: none of 2 foragers with the tool work takes it: one would not run it, and is asked again in 100 ms; two is draining
          → nothing needs to be done
    "#]].assert_eq(&farm.explain("g", "a"));
    farm.pass(Span(100));
    assert_eq!(
        farm.explain("g", "a"),
        "about_to_be_assigned: it is about to be assigned\n  → nothing needs to be done\n"
    );
}

#[test]
fn because_of_a_quarantine() {
    let (mut farm, one, two) = farm();
    farm.one(Command::Drain { forager: two }).expect("it is there");
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 100}}}}").expect("accepted");
    for _ in 0..8 {
        farm.hear_all();
        farm.work();
        let attempt = farm.open(one)[0];
        farm.reject(one, attempt, RejectReason::NoSlot);
        farm.pass(Span::from_secs(10));
    }
    let told = farm.explain("g", "n");
    farm.one(Command::Undrain { forager: one }).expect("it is there");
    farm.one(Command::Undrain { forager: two }).expect("it is there");
    for _ in 0..16 {
        farm.hear_all();
        farm.work();
        let attempt = farm.open(one)[0];
        farm.fail(one, attempt).expect("open");
    }
    farm.one(Command::Drain { forager: two }).expect("it is there");
    let last = farm.state.instance(antfarm_scheduler::InstanceId { index: 99, ..farm.id("g", "n") });
    assert_eq!(last.map(|(_, one)| one.state.as_str()), Some("ready"));
    farm.submit("{id: h, nodes: {a: {tool: work, deadline: 2040-01-01T00:00:00Z}}}").expect("accepted");
    expect![[r#"
        no_forager_available: none of 2 foragers with the tool work takes it: one is quarantined for 20 s, because it rejected too much in a row (last: no_slot); two is draining
          → it ends by itself; `antfarm forager undrain one` ends it at once
        no_forager_available: none of 2 foragers with the tool work takes it: one gets nothing of this tool for 30 s, because too much of it failed there at once; two is draining
          → it ends by itself; `antfarm forager undrain one` ends it at once
    "#]].assert_eq(&(told + &farm.explain("h", "a")));
}

#[test]
fn because_its_deadline_passes_in_this_moment() {
    let (mut farm, one, two) = farm();
    for forager in [one, two] {
        farm.one(Command::Drain { forager }).expect("it is there");
    }
    farm.submit("{id: g, nodes: {a: {tool: work, deadline: 2030-01-01T00:00:00Z}}}").expect("accepted");
    farm.now.wall = antfarm_model::WallTime(1_893_456_000_000);
    expect![[r#"
        deadline_passed: its deadline has passed, which is about to be noted
          → it expires within a moment
    "#]]
    .assert_eq(&farm.explain("g", "a"));
}
