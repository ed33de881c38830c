//! A range abbreviates one attempt for each index: each is started, ended, cancelled and taken back by itself.

use antfarm_model::{CostClass, EffectClass, Fence, ForagerNo, GraphNo, NodeNo, Span};
use antfarm_scheduler::{
    AttemptOutcome, Attempts, Command, FailureKind, InstanceState, Instances, Refusal, RejectReason, Reply,
};

use crate::farm::Farm;

/// Ten instances, all assigned by one entry.
fn farm() -> (Farm, ForagerNo, Fence) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let forager = farm.forager("f", 10, &["work"]);
    farm.submit("{id: g, on_failure: continue, defaults: {retries: 0}, nodes: {n: {tool: work, array: {count: 10}}, m: {tool: work, after: [n]}}}")
        .expect("accepted");
    assert_eq!(farm.work(), ["g/n[0..10] to f"]);
    let fence = farm.open(forager)[0].fence;
    (farm, forager, fence)
}

fn range(farm: &Farm, fence: Fence, start: u32, len: u32) -> Attempts {
    let id = farm.id("g", "n");
    Attempts { instances: Instances { graph: id.graph, node: id.node, start, len }, fence }
}

fn states(farm: &Farm) -> String {
    let graph = farm.state.graph_named("g").expect("submitted");
    let letter = |index| match graph.instance(farm.id("g", "n").node, index).map(|one| one.state) {
        Some(InstanceState::Ready) => 'r',
        Some(InstanceState::Assigned) => 'a',
        Some(InstanceState::Running) => 'R',
        Some(InstanceState::Succeeded) => 's',
        Some(InstanceState::Failed) => 'f',
        _ => '?',
    };
    (0..10).map(letter).collect()
}

#[test]
fn a_part_of_a_range_is_started_and_ended_without_the_rest() {
    let (mut farm, forager, fence) = farm();
    let attempts = range(&farm, fence, 2, 5);
    assert_eq!(farm.one(Command::Started { forager, attempts }), Ok(Reply::Done));
    assert_eq!(states(&farm), "aaRRRRRaaa");
    let (attempts, outcome) = (range(&farm, fence, 0, 4), AttemptOutcome::Succeeded { result: "1".into() });
    assert_eq!(farm.one(Command::End { forager, attempts, outcome }), Ok(Reply::Done));
    assert_eq!(states(&farm), "ssssRRRaaa");
    let attempts = range(&farm, fence, 4, 2);
    let outcome = AttemptOutcome::Failed { kind: FailureKind::Exit, message: "no".into() };
    assert_eq!(farm.one(Command::End { forager, attempts, outcome }), Ok(Reply::Done));
    assert_eq!(states(&farm), "ssssffRaaa");
}

#[test]
fn what_of_a_range_is_open_counts_and_the_rest_is_passed_over() {
    let (mut farm, forager, fence) = farm();
    let outcome = AttemptOutcome::Succeeded { result: "1".into() };
    let end = |attempts| Command::End { forager, attempts, outcome: outcome.clone() };
    let (first, all) = (range(&farm, fence, 3, 2), range(&farm, fence, 0, 10));
    farm.one(end(first)).expect("open");
    assert_eq!(farm.one(end(all)), Ok(Reply::Done));
    assert_eq!(states(&farm), "ssssssssss");
    assert_eq!(farm.one(end(all)), Err(Refusal::UnknownAttempt), "nothing of it is open");
    assert_eq!(farm.work(), ["g/m to f"]);
}

#[test]
fn a_range_that_leaves_the_node_is_refused_whole() {
    let (mut farm, forager, fence) = farm();
    let attempts = range(&farm, fence, 8, 3);
    for command in [
        Command::Started { forager, attempts },
        Command::Return { forager, attempts },
        Command::Reject { forager, attempts, reason: RejectReason::NoSlot },
        Command::End { forager, attempts, outcome: AttemptOutcome::Interrupted },
    ] {
        assert_eq!(farm.one(command), Err(Refusal::UnknownInstance));
    }
    assert_eq!(states(&farm), "aaaaaaaaaa");
}

#[test]
fn a_part_that_is_handed_back_is_ready_and_assigned_again() {
    let (mut farm, forager, fence) = farm();
    let attempts = range(&farm, fence, 6, 4);
    assert_eq!(farm.one(Command::Return { forager, attempts }), Ok(Reply::Done));
    assert_eq!(states(&farm), "aaaaaarrrr");
    assert_eq!(farm.work(), ["g/n[6..10] to f"]);
    assert!(farm.open(forager)[6].fence > fence);
}

#[test]
fn a_part_that_is_rejected_counts_as_one_rejection() {
    let (mut farm, forager, fence) = farm();
    let attempts = range(&farm, fence, 0, 4);
    farm.one(Command::Reject { forager, attempts, reason: RejectReason::NoSlot }).expect("open");
    assert_eq!(states(&farm), "rrrraaaaaa");
    assert_eq!(farm.work(), Vec::<String>::new());
    assert_eq!(farm.pass_and_work(Span(100)), ["g/n[0..4] to f"]);
}

#[test]
fn an_array_of_which_instances_fail_goes_on_and_what_needs_it_is_skipped() {
    let (mut farm, forager, fence) = farm();
    let attempts = range(&farm, fence, 0, 1);
    let outcome = AttemptOutcome::Failed { kind: FailureKind::Exit, message: "no".into() };
    farm.one(Command::End { forager, attempts, outcome }).expect("open");
    assert_eq!(states(&farm), "faaaaaaaaa");
    let m = farm.id("g", "m");
    assert_eq!(farm.instance(m).state, InstanceState::Skipped);
    let (attempts, outcome) = (range(&farm, fence, 1, 9), AttemptOutcome::Succeeded { result: "1".into() });
    farm.one(Command::End { forager, attempts, outcome }).expect("open");
    assert_eq!(farm.state.graph_named("g").map(|graph| graph.state().as_str()), Some("failed"));
}

#[test]
fn reports_about_neighbours_that_say_the_same_are_one_command() {
    let end = |start, len, fence, result: &str| Command::End {
        forager: ForagerNo(0),
        attempts: Attempts {
            instances: Instances { graph: GraphNo(1), node: NodeNo(0), start, len },
            fence: Fence(fence),
        },
        outcome: AttemptOutcome::Succeeded { result: result.into() },
    };
    let mut run = end(0, 2, 9, "1");
    assert!(run.join(&end(2, 3, 9, "1")));
    assert_eq!(run, end(0, 5, 9, "1"));
    for other in [end(6, 1, 9, "1"), end(5, 1, 8, "1"), end(5, 1, 9, "2")] {
        assert!(!run.join(&other), "{other:?}");
    }
    let reject = |start| Command::Reject {
        forager: ForagerNo(0),
        attempts: Attempts {
            instances: Instances { graph: GraphNo(1), node: NodeNo(0), start, len: 1 },
            fence: Fence(9),
        },
        reason: RejectReason::NoSlot,
    };
    assert!(!reject(0).join(&reject(1)), "each counts");
}
