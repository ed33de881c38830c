//! What an entry makes ready is assigned in the same entry, if nothing else waits.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Limits, Span, document};
use antfarm_scheduler::{
    AttemptOutcome, Attempts, Command, GraphSource, InFlight, InstanceState, Refusal, Reply, foresee,
};

use crate::farm::Farm;

/// The number of the only proposal.
const PROPOSAL: u64 = 1;

fn farm(slots: u32) -> (Farm, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("echo", CostClass::Cpu, EffectClass::Pure);
    let forager = farm.forager("f1", slots, &["echo"]);
    (farm, forager)
}

fn submission(text: &str) -> Command {
    let graph = document::graph(text.as_bytes(), &Limits::default()).expect("tests submit good graphs");
    Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into()))
}

/// What is foreseen of commands, behind what is decided beside them.
fn foreseen(farm: &Farm, commands: &[Command]) -> Vec<Command> {
    let mut in_flight = InFlight::default();
    in_flight.add(PROPOSAL, &farm.state, commands);
    let decided = farm.decisions(&in_flight);
    in_flight.add(PROPOSAL, &farm.state, &decided);
    let all: Vec<&Command> = commands.iter().collect();
    foresee(&farm.state, &in_flight, PROPOSAL, farm.now, &farm.liveness, &all).commands
}

/// Applies commands with what is foreseen of them; tells the answers to the latter.
fn apply_with_foresight(farm: &mut Farm, mut commands: Vec<Command>) -> Vec<Result<Reply, Refusal>> {
    let more = foreseen(farm, &commands);
    let given = commands.len();
    commands.extend(more);
    farm.apply(commands).split_off(given)
}

/// What is open at a forager ends well, one command for each attempt.
fn successes(farm: &Farm, forager: ForagerNo) -> Vec<Command> {
    let end = |attempt| {
        let outcome = AttemptOutcome::Succeeded { result: "1".into() };
        Command::End { forager, attempts: Attempts::from(attempt), outcome }
    };
    farm.open(forager).into_iter().map(end).collect()
}

fn success(farm: &Farm, forager: ForagerNo) -> Command {
    successes(farm, forager).remove(0)
}

#[test]
fn the_first_nodes_of_a_graph_are_assigned_with_its_submission() {
    let (mut farm, forager) = farm(3);
    let graph = "{id: g, nodes: {a: {tool: echo, array: {count: 2}}, b: {tool: echo, after: [a]}}}";
    let answers = apply_with_foresight(&mut farm, vec![submission(graph)]);
    assert_eq!(answers, [Ok(Reply::Done)]);
    assert_eq!(farm.open(forager).len(), 2);
}

#[test]
fn the_first_nodes_of_several_graphs_are_assigned_as_long_as_slots_are_free() {
    let (mut farm, forager) = farm(2);
    let graphs = ["g", "h", "i"].map(|id| submission(&format!("{{id: {id}, nodes: {{a: {{tool: echo}}}}}}")));
    let answers = apply_with_foresight(&mut farm, graphs.into());
    assert_eq!(answers, [Ok(Reply::Done), Ok(Reply::Done)]);
    assert_eq!(farm.open(forager).len(), 2);
    assert_eq!(farm.state.ready_count(CostClass::Cpu), 1);
}

#[test]
fn a_graph_that_was_submitted_before_takes_no_number() {
    let (mut farm, forager) = farm(2);
    farm.submit("{id: g, nodes: {a: {tool: echo}}}").expect("it is new");
    farm.work();
    let again = submission("{id: g, nodes: {a: {tool: echo}}}");
    let answers = apply_with_foresight(&mut farm, vec![again, submission("{id: h, nodes: {a: {tool: echo}}}")]);
    assert_eq!(answers, [Ok(Reply::Done)]);
    assert_eq!(farm.open(forager).len(), 2);
}

#[test]
fn a_wrong_guess_is_refused_and_harms_nobody() {
    let (mut farm, forager) = farm(2);
    let graph = submission("{id: g, nodes: {a: {tool: echo}}}");
    let guess = foreseen(&farm, std::slice::from_ref(&graph));
    farm.submit("{id: other, nodes: {a: {tool: echo, not_before: '2100-01-01T00:00:00Z'}}}").expect("it is new");
    let answers = farm.apply(std::iter::once(graph).chain(guess).collect());
    assert_eq!(answers[1], Err(Refusal::NotReady));
    assert_eq!(farm.work(), ["g/a to f1"]);
    assert_eq!(farm.open(forager).len(), 1);
}

#[test]
fn nothing_is_foreseen_beside_another_submission_that_is_on_its_way() {
    let (farm, _) = farm(2);
    let [first, second] = ["g", "h"].map(|id| submission(&format!("{{id: {id}, nodes: {{a: {{tool: echo}}}}}}")));
    let mut in_flight = InFlight::default();
    in_flight.add(PROPOSAL, &farm.state, &[first]);
    in_flight.add(PROPOSAL + 1, &farm.state, std::slice::from_ref(&second));
    let foreseen = foresee(&farm.state, &in_flight, PROPOSAL + 1, farm.now, &farm.liveness, &[&second]);
    assert_eq!(foreseen.commands, []);
}

#[test]
fn what_waits_already_is_not_overtaken() {
    let (mut farm, forager) = farm(1);
    farm.submit("{id: g, nodes: {a: {tool: echo, array: {count: 2}}}}").expect("it is new");
    farm.work();
    let commands = vec![success(&farm, forager), submission("{id: h, nodes: {a: {tool: echo}}}")];
    assert_eq!(foreseen(&farm, &commands), []);
}

#[test]
fn what_must_not_run_yet_or_any_more_is_not_foreseen() {
    let (farm, _) = farm(2);
    let later = "{id: g, nodes: {a: {tool: echo, not_before: '2100-01-01T00:00:00Z'}}}";
    let late = "{id: g, nodes: {a: {tool: echo, deadline: '1970-01-01T00:00:01Z'}}}";
    for graph in [later, late] {
        assert_eq!(foreseen(&farm, &[submission(graph)]), [], "{graph}");
    }
}

#[test]
fn a_successor_is_assigned_with_the_end_that_it_waits_for() {
    let (mut farm, forager) = farm(1);
    farm.submit("{id: g, nodes: {a: {tool: echo}, b: {tool: echo, args: {x: {$ref: a}}}}}").expect("it is new");
    farm.work();
    let end = success(&farm, forager);
    assert_eq!(apply_with_foresight(&mut farm, vec![end]), [Ok(Reply::Done)]);
    let open = farm.open(forager);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].instance.node.0, 1);
}

#[test]
fn a_successor_waits_for_all_that_it_depends_on() {
    let (mut farm, forager) = farm(2);
    farm.submit("{id: g, nodes: {a: {tool: echo}, b: {tool: echo}, c: {tool: echo, after: [a, b]}}}")
        .expect("it is new");
    farm.work();
    let end = success(&farm, forager);
    assert_eq!(apply_with_foresight(&mut farm, vec![end]), []);
    let end = success(&farm, forager);
    assert_eq!(apply_with_foresight(&mut farm, vec![end]), [Ok(Reply::Done)]);
}

#[test]
fn the_end_of_a_whole_array_makes_its_successor_ready() {
    let (mut farm, forager) = farm(2);
    farm.submit("{id: g, nodes: {a: {tool: echo, array: {count: 2}}, b: {tool: echo, after: [a]}}}")
        .expect("it is new");
    farm.work();
    let ends = successes(&farm, forager);
    assert_eq!(apply_with_foresight(&mut farm, ends), [Ok(Reply::Done)]);
}

#[test]
fn the_end_of_an_attempt_that_is_over_makes_nothing_ready() {
    let (mut farm, forager) = farm(1);
    farm.submit("{id: g, nodes: {a: {tool: echo}, b: {tool: echo, after: [a]}}}").expect("it is new");
    farm.work();
    let end = success(&farm, forager);
    farm.apply(vec![end.clone()]);
    assert_eq!(foreseen(&farm, &[end]), []);
    farm.pass(Span::from_secs(1));
    let b = farm.state.graph_named("g").expect("it was submitted").instance(antfarm_model::NodeNo(1), 0);
    assert_eq!(b.map(|instance| instance.state), Some(InstanceState::Ready));
}
