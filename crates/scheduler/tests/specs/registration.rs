//! A forager that comes back takes over from itself only with its journal; otherwise its name waits for the lease.

use antfarm_model::{CostClass, EffectClass, Incarnation};
use antfarm_scheduler::{AttemptId, Command, Refusal, Registration};

use crate::farm::{Farm, name};

fn farm(effects: EffectClass) -> (Farm, AttemptId, Incarnation) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, effects);
    let forager = farm.forager("f", 1, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    farm.work();
    let attempt = farm.open(forager)[0];
    let incarnation = farm.incarnation(forager);
    (farm, attempt, incarnation)
}

fn again(former: Option<Incarnation>, known: Vec<AttemptId>, rebooted: bool) -> Registration {
    Registration { former, known, rebooted, ..Farm::registration("f", 1, &["work"]) }
}

#[test]
fn with_the_journal_its_attempts_go_on() {
    let (mut farm, attempt, incarnation) = farm(EffectClass::Guarded);
    let forager = farm.register(again(Some(incarnation), vec![attempt], false)).expect("it has the proof");
    assert!(farm.incarnation(forager) > incarnation);
    assert_eq!(farm.open(forager), [attempt]);
    farm.succeed(forager, attempt, "1").expect("open");
}

#[test]
fn without_the_journal_the_name_is_held_until_the_lease_is_over() {
    let (mut farm, attempt, incarnation) = farm(EffectClass::Guarded);
    assert_eq!(farm.register(again(None, vec![], false)), Err(Refusal::NameHeld(name("f"))));
    assert_eq!(farm.register(again(Some(Incarnation(0)), vec![], false)), Err(Refusal::NameHeld(name("f"))));
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.one(Command::Lose { forager, incarnation }).expect("it is the one that counts");
    farm.register(again(None, vec![], false)).expect("the name is free");
    assert_eq!(farm.work(), ["g/a to f"]);
    assert!(farm.open(forager)[0].fence > attempt.fence);
}

#[test]
fn what_the_journal_does_not_know_never_started_unless_the_machine_booted_since() {
    let (mut farm, attempt, incarnation) = farm(EffectClass::Irrevocable);
    let forager = farm.register(again(Some(incarnation), vec![], false)).expect("it has the proof");
    assert_eq!(farm.open(forager), [attempt], "it is sent again");
    let incarnation = farm.incarnation(forager);
    farm.register(again(Some(incarnation), vec![], true)).expect("it has the proof");
    let state = farm.state.instance(attempt.instance).map(|(_, instance)| instance.state.as_str());
    assert_eq!(state, Some("needs_decision"));
}

#[test]
fn assignments_to_a_former_incarnation_are_refused() {
    let (mut farm, attempt, incarnation) = farm(EffectClass::Guarded);
    farm.submit("{id: h, nodes: {a: {tool: work}}}").expect("accepted");
    let forager = farm.register(again(Some(incarnation), vec![attempt], false)).expect("it has the proof");
    let instances = antfarm_scheduler::Instances {
        graph: antfarm_model::GraphNo(2),
        node: antfarm_model::NodeNo(0),
        start: 0,
        len: 1,
    };
    let assign = Command::Assign { forager, incarnation, instances };
    assert_eq!(farm.one(assign), Err(Refusal::StaleIncarnation));
}

#[test]
fn a_name_whose_incarnation_has_nothing_to_do_is_held_all_the_same() {
    let mut farm = Farm::new();
    let forager = farm.forager("f", 1, &["work"]);
    let incarnation = farm.incarnation(forager);
    for former in [None, Some(Incarnation(0)), Some(Incarnation(incarnation.0 + 1))] {
        assert_eq!(farm.register(again(former, vec![], false)), Err(Refusal::NameHeld(name("f"))));
    }
    assert_eq!(farm.incarnation(forager), incarnation);
}

#[test]
fn two_processes_with_one_name_never_take_it_from_each_other() {
    let (mut farm, attempt, first) = farm(EffectClass::Guarded);
    let forager = farm.state.forager_named("f").expect("registered").no;
    let of = |process, former| Registration { process: Some(process), ..again(former, vec![], false) };
    assert_eq!(farm.register(of(2, None)), Err(Refusal::NameHeld(name("f"))));
    farm.register(of(1, Some(first))).expect("it has the proof");
    let second = farm.incarnation(forager);
    // The process that wrote the journal lives after all, such as with a copy of the folder: it comes too late.
    assert_eq!(farm.register(of(3, Some(first))), Err(Refusal::NameHeld(name("f"))));
    assert_eq!(farm.incarnation(forager), second);
    farm.one(Command::Lose { forager, incarnation: second }).expect("it is the one that counts");
    assert_eq!(farm.open(forager), []);
    farm.register(of(3, Some(first))).expect("the name is free");
    assert_eq!(farm.register(of(1, Some(second))), Err(Refusal::NameHeld(name("f"))));
    assert_eq!(farm.succeed(forager, attempt, "1"), Err(Refusal::UnknownAttempt));
}

#[test]
fn a_process_whose_answer_was_lost_has_the_incarnation_that_it_was_given() {
    let (mut farm, attempt, incarnation) = farm(EffectClass::Irrevocable);
    let of_it = || Registration { process: Some(7), ..again(Some(incarnation), vec![attempt], true) };
    let forager = farm.register(of_it()).expect("it has the proof");
    let given = farm.incarnation(forager);
    assert!(given > incarnation);
    farm.submit("{id: h, nodes: {a: {tool: work}}}").expect("accepted");
    farm.register(of_it()).expect("it is the same process");
    assert_eq!(farm.incarnation(forager), given);
    assert_eq!(farm.open(forager), [attempt]);
    farm.one(Command::Lose { forager, incarnation: given }).expect("it is the one that counts");
    farm.register(of_it()).expect("its lease is over: it begins anew");
    assert!(farm.incarnation(forager) > given);
}

#[test]
fn a_forager_that_just_registered_is_not_missed_from_before() {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.pass(antfarm_model::Span::from_secs(3_600));
    let forager = farm.forager("f", 1, &["work"]);
    farm.liveness.contacts.remove(&forager);
    assert_eq!(farm.work(), Vec::<String>::new());
    farm.pass(antfarm_model::Span(10_101));
    assert_eq!(farm.work(), ["lose"]);
}

#[test]
fn a_refused_registration_leaves_nothing_behind() {
    let (mut farm, ..) = farm(EffectClass::Guarded);
    let digest = |farm: &Farm| farm.state.snapshot().records().skip(1).collect::<Vec<_>>();
    let before = digest(&farm);
    let refused = Registration { tools: vec![name("unheard-of")], ..again(None, vec![], false) };
    assert_eq!(farm.register(refused), Err(Refusal::NameHeld(name("f"))));
    assert_eq!(digest(&farm), before);
}
