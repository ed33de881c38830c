//! Everything that changes is told, in order, and neighbours that change alike are told as one.

use antfarm_model::{CostClass, EffectClass, Elapsed, LogIndex, Span, WallTime};
use antfarm_scheduler::{AttemptOutcome, Attempts, Command, Entry, Event, Instances, Position, RejectReason};
use expect_test::{Expect, expect};

use crate::farm::Farm;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.now.wall = WallTime(1_893_455_999_000);
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 4, &["work"]);
    farm
}

fn events(farm: &mut Farm, commands: Vec<Command>) -> Vec<Event> {
    let position = Position { index: LogIndex(farm.state.applied().index.0 + 1), term: 1 };
    let (wall, elapsed): (WallTime, Elapsed) = (farm.now.wall, farm.now.elapsed);
    let entry = Entry { epoch: farm.state.epoch(1), wall, elapsed, commands };
    farm.state.apply(position, &entry).events
}

fn check(farm: &mut Farm, commands: Vec<Command>, expected: &Expect) {
    let told: String = events(farm, commands).iter().map(|event| say(event) + "\n").collect();
    expected.assert_eq(&told);
}

fn say(event: &Event) -> String {
    let range = |instances: &Instances| {
        format!("n{}[{}..{}]", instances.node, instances.start, instances.start + instances.len)
    };
    match event {
        Event::Graph { graph, state, finished } => {
            format!("graph {graph} {state}{}", if *finished { ", finished" } else { "" })
        }
        Event::GraphRemoved { id, .. } => format!("graph {id} is gone"),
        Event::Instances { instances, from, state, attempt } => {
            let by = attempt.map(|(forager, fence)| format!(" (forager {forager}, fence {fence})")).unwrap_or_default();
            format!("{} {from} -> {state}{by}", range(instances))
        }
        Event::Rejected { forager, attempts, number, reason } => {
            format!("{} {number} rejected by forager {forager}: {}", range(&attempts.instances), reason.as_str())
        }
        Event::Forager { forager, state } => format!("forager {forager} {}", state.as_str()),
        Event::ForagerForgotten { name, .. } => format!("forager {name} is forgotten"),
        Event::Tool { name } => format!("tool {name}"),
    }
}

const GRAPH: &str = "{id: g, nodes: {n: {tool: work, array: {count: 4}}, m: {tool: work, after: [n]}}}";

#[test]
fn a_graph_from_its_submission_to_its_removal() {
    let mut farm = farm();
    let graph = antfarm_model::document::graph(GRAPH.as_bytes(), &antfarm_model::Limits::default()).expect("good");
    let source = antfarm_scheduler::GraphSource::Inline(antfarm_scheduler::GraphSource::encode(&graph).into());
    check(
        &mut farm,
        vec![Command::Submit(source)],
        &expect![[r#"
            graph 1 running
            n0[0..4] waiting -> ready
        "#]],
    );
    let assign = farm.decisions(&antfarm_scheduler::InFlight::default());
    check(
        &mut farm,
        assign,
        &expect![[r#"
            n0[0..4] ready -> assigned (forager 0, fence 4)
        "#]],
    );
    let forager = farm.state.forager_named("f").expect("registered").no;
    let fence = farm.open(forager)[0].fence;
    let id = farm.id("g", "n");
    let attempts = |start, len| Attempts { instances: Instances { graph: id.graph, node: id.node, start, len }, fence };
    check(
        &mut farm,
        vec![Command::Started { forager, attempts: attempts(0, 3) }],
        &expect![[r#"
            n0[0..3] assigned -> running (forager 0, fence 4)
        "#]],
    );
    let reject = Command::Reject { forager, attempts: attempts(3, 1), reason: RejectReason::NoSlot };
    check(
        &mut farm,
        vec![reject],
        &expect![[r#"
            n0[3..4] 1 rejected by forager 0: no_slot
            n0[3..4] assigned -> ready
        "#]],
    );
    let outcome = AttemptOutcome::Succeeded { result: "1".into() };
    check(
        &mut farm,
        vec![Command::End { forager, attempts: attempts(0, 3), outcome }],
        &expect![[r#"
            n0[0..3] running -> succeeded (forager 0, fence 4)
        "#]],
    );
    farm.pass(Span(100));
    farm.run_all("1");
    let remove = Command::RemoveGraph { graph: id.graph, dedupe_window: Span(1) };
    check(
        &mut farm,
        vec![remove],
        &expect![[r#"
        graph g is gone
    "#]],
    );
}

#[test]
fn the_end_of_a_graph_is_told_after_what_brought_it() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 3}, deadline: 2030-01-01T00:00:00Z}, m: {tool: work, after: [n]}}}")
        .expect("accepted");
    farm.now.wall = farm.now.wall.plus(Span(1_000));
    check(
        &mut farm,
        vec![],
        &expect![[r#"
            n0[0..1] ready -> expired
            graph 1 expired
            graph 1 expired, finished
        "#]],
    );
}

#[test]
fn what_becomes_of_foragers_and_tools() {
    let mut farm = farm();
    let forager = farm.state.forager_named("f").expect("registered").no;
    let incarnation = farm.incarnation(forager);
    let commands = vec![
        Command::Drain { forager },
        Command::Drain { forager },
        Command::Undrain { forager },
        Command::Suspect { forager, incarnation },
        Command::Trust { forager, incarnation },
        Command::Lose { forager, incarnation },
        Command::PutTool(crate::farm::manifest("other", CostClass::Io, EffectClass::Pure)),
        Command::PutTool(crate::farm::manifest("other", CostClass::Io, EffectClass::Pure)),
        Command::DeleteTool { name: crate::farm::name("other") },
    ];
    check(
        &mut farm,
        commands,
        &expect![[r#"
        forager 0 draining
        forager 0 ready
        forager 0 suspect
        forager 0 ready
        forager 0 lost
        tool other
        tool other
    "#]],
    );
    farm.now.elapsed = farm.now.elapsed.plus(Span::from_secs(7 * 24 * 3_600));
    check(
        &mut farm,
        vec![],
        &expect![[r#"
        forager f is forgotten
    "#]],
    );
}

#[test]
fn what_is_refused_is_not_told() {
    let mut farm = farm();
    farm.submit(GRAPH).expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    let id = farm.id("g", "n");
    let attempts = Attempts { instances: Instances::one(id), fence: antfarm_model::Fence(1) };
    let refused = vec![
        Command::Started { forager, attempts },
        Command::Reject { forager, attempts, reason: RejectReason::NoSlot },
        Command::End { forager, attempts, outcome: AttemptOutcome::Interrupted },
    ];
    assert_eq!(events(&mut farm, refused), []);
}
