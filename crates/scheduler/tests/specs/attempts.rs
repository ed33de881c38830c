//! An attempt is `(graph, node, index, fence)`, and only what is open counts.

use antfarm_model::{CostClass, EffectClass, Epoch, Fence, ForagerNo, GraphNo, LogIndex, NodeNo, Span};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Command, Ending, Entry, FailureKind, Instance, InstanceId, Instances, Position, Refusal,
    RejectReason, State,
};

use crate::farm::Farm;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 2, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work}, b: {tool: work, after: [a]}}}").expect("accepted");
    farm
}

#[test]
fn a_result_counts_once() {
    let mut farm = farm();
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let attempt = farm.open(forager)[0];
    farm.succeed(forager, attempt, "1").expect("open");
    assert_eq!(farm.succeed(forager, attempt, "2"), Err(Refusal::UnknownAttempt));
    let wrong = AttemptId { fence: Fence(attempt.fence.0 + 1), ..attempt };
    assert_eq!(farm.succeed(forager, wrong, "3"), Err(Refusal::UnknownAttempt));
}

#[test]
fn the_fence_is_the_log_index_of_the_assignment() {
    let mut farm = farm();
    farm.work();
    let forager = farm.state.forager_named("f").expect("registered").no;
    assert_eq!(farm.open(forager)[0].fence, Fence(farm.state.applied().index.0));
}

#[test]
fn an_entry_of_another_epoch_is_refused_whole() {
    let mut farm = farm();
    let position = Position { index: LogIndex(farm.state.applied().index.0 + 1), term: 2 };
    let entry = Entry {
        epoch: Epoch(1),
        wall: farm.now.wall,
        elapsed: farm.now.elapsed,
        commands: vec![Command::CancelGraph { graph: GraphNo(1) }],
    };
    let outcome = farm.state.apply(position, &entry);
    assert_eq!(outcome.answers, [Err(Refusal::StaleEpoch { decided: Epoch(1), written: Epoch(2) })]);
    assert_eq!(farm.state.graph_named("g").map(|graph| graph.state().as_str()), Some("running"));
}

#[test]
fn what_is_not_ready_is_not_assigned_whatever_a_leader_says() {
    let mut farm = farm();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let incarnation = farm.incarnation(forager);
    let assign = |node, start, len| Command::Assign {
        forager,
        incarnation,
        instances: Instances { graph: GraphNo(1), node: NodeNo(node), start, len },
    };
    assert_eq!(farm.one(assign(1, 0, 1)), Err(Refusal::NotReady));
    assert_eq!(farm.one(assign(0, 0, 2)), Err(Refusal::UnknownInstance));
    assert_eq!(farm.one(assign(0, 0, 0)), Err(Refusal::UnknownInstance));
    assert_eq!(farm.one(assign(0, u32::MAX, 1)), Err(Refusal::UnknownInstance));
    assert_eq!(farm.one(assign(9, 0, 1)), Err(Refusal::UnknownInstance));
    let twice = farm.apply(vec![assign(0, 0, 1), assign(0, 0, 1)]);
    assert_eq!((twice[0].is_ok(), &twice[1]), (true, &Err(Refusal::NotReady)));
}

#[test]
fn generations_lead_epochs_and_fences() {
    let state = State::new(3);
    assert_eq!(state.epoch(5), Epoch((3 << 48) | 5));
    assert!(state.fence(LogIndex(1)) > State::new(2).fence(LogIndex(u64::from(u32::MAX))));
}

#[test]
fn one_entry_opens_at_most_one_attempt_of_an_instance() {
    let mut farm = farm();
    let one = farm.state.forager_named("f").expect("registered").no;
    let two = farm.forager("two", 1, &["work"]);
    let (first, second) = (farm.incarnation(one), farm.incarnation(two));
    let instances = Instances { graph: GraphNo(1), node: NodeNo(0), start: 0, len: 1 };
    let answers = farm.apply(vec![
        Command::Assign { forager: one, incarnation: first, instances },
        Command::Lose { forager: one, incarnation: first },
        Command::Assign { forager: two, incarnation: second, instances },
    ]);
    assert_eq!(answers[2], Err(Refusal::NotReady));
}

#[test]
fn an_attempt_is_remembered_with_who_ran_it_under_which_leader_from_when_until_when_and_how_it_ended() {
    let mut farm = farm();
    farm.elect();
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.hear(forager);
    farm.work();
    let attempt = farm.open(forager)[0];
    let assigned_at = farm.now.wall;
    farm.pass(Span(10));
    let started_at = farm.now.wall;
    farm.start(forager, attempt);
    farm.pass(Span(20));
    farm.fail(forager, attempt).expect("open");
    let closed = &farm.instance(attempt.instance).closed[0];
    assert_eq!((closed.fence, closed.forager, closed.epoch), (attempt.fence, forager, Epoch(2)));
    assert_eq!((closed.times.assigned_at, closed.times.started_at), (assigned_at, Some(started_at)));
    assert_eq!((closed.closed_at, closed.ending), (farm.now.wall, Ending::Failed(FailureKind::Exit)));
    assert_eq!(closed.message.as_deref(), Some("exit code 1"));
}

#[test]
fn of_many_attempts_the_newest_are_kept_and_the_others_are_counted_by_how_they_ended() {
    let mut farm = farm();
    let forager = farm.state.forager_named("f").expect("registered").no;
    for number in 0..Instance::MAX_CLOSED + 5 {
        farm.work();
        let attempt = farm.open(forager)[0];
        if number == 1 {
            farm.reject(forager, attempt, RejectReason::NoSlot);
            farm.pass(Span(100));
        } else {
            farm.one(Command::Return { forager, attempts: attempt.into() }).expect("open");
        }
    }
    let instance = farm.instance(farm.id("g", "a"));
    assert_eq!((instance.attempts as usize, instance.closed.len()), (Instance::MAX_CLOSED + 5, Instance::MAX_CLOSED));
    let older: Vec<_> = instance.older.as_deref().map(|older| older.endings().collect()).unwrap_or_default();
    assert_eq!(older, [(Ending::Rejected(RejectReason::NoSlot), 1), (Ending::Returned, 4)]);
}

#[test]
fn reports_about_what_nobody_knows_are_refused_and_change_nothing() {
    let mut farm = farm();
    farm.work();
    let (one, two) = (farm.open(ForagerNo(0))[0], farm.forager("two", 1, &["work"]));
    let records = |farm: &Farm| farm.state.snapshot().records().skip(1).collect::<Vec<_>>();
    let before = records(&farm);
    let other = |graph: u64, node: u32, index: u32, fence: u64| AttemptId {
        instance: InstanceId { graph: GraphNo(graph), node: NodeNo(node), index },
        fence: Fence(fence),
    };
    let max = other(u64::MAX, u32::MAX, u32::MAX, u64::MAX);
    let unknown = [max, other(1, 9, 0, 1), other(1, 0, 7, 1), other(1, 1, 0, one.fence.0), other(1, 0, 0, 1)];
    for attempt in unknown {
        for forager in [ForagerNo(0), two, ForagerNo(u32::MAX)] {
            let attempts = attempt.into();
            for command in [
                Command::Started { forager, attempts },
                Command::Return { forager, attempts },
                Command::Reject { forager, attempts, reason: RejectReason::NoSlot },
                Command::End { forager, attempts, outcome: AttemptOutcome::Interrupted },
            ] {
                farm.one(command.clone()).expect_err(&format!("{command:?}"));
            }
        }
    }
    farm.one(Command::Started { forager: two, attempts: one.into() }).expect_err("it is open at another forager");
    assert_eq!(records(&farm), before);
}
