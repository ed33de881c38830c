//! A graph appears whole or not at all, and the same one twice is one.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, GraphNo, Limits, Span, document};
use antfarm_scheduler::{Command, GraphSource, LoadError, Refusal, Reply, State};

use crate::farm::{Farm, name};

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 2, &["work"]);
    farm
}

#[test]
fn the_same_graph_twice_is_one_graph() {
    let mut farm = farm();
    assert_eq!(farm.submit("{id: g, nodes: {a: {tool: work}}}"), Ok(Reply::Submitted { graph: GraphNo(1), new: true }));
    let as_json = r#"{"id": "g", "nodes": {"a": {"tool": "work", "args": {}}}}"#;
    assert_eq!(farm.submit(as_json), Ok(Reply::Submitted { graph: GraphNo(1), new: false }));
    farm.run_all("1");
    assert_eq!(farm.submit(as_json), Ok(Reply::Submitted { graph: GraphNo(1), new: false }));
}

#[test]
fn another_graph_under_the_same_id_is_a_conflict() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    assert_eq!(farm.submit("{id: g, nodes: {b: {tool: work}}}"), Err(Refusal::GraphConflict(name("g"))));
}

#[test]
fn the_id_of_a_removed_graph_stays_taken_for_a_while() {
    let mut farm = farm();
    let text = "{id: g, nodes: {a: {tool: work}}}";
    farm.submit(text).expect("accepted");
    let remove = || Command::RemoveGraph { graph: GraphNo(1), dedupe_window: Span(5_000) };
    assert_eq!(farm.one(remove()), Err(Refusal::GraphActive));
    farm.run_all("1");
    assert_eq!(farm.one(remove()), Ok(Reply::Done));
    assert_eq!(farm.submit(text), Err(Refusal::IdTaken(name("g"))));
    farm.pass(Span(5_000));
    assert_eq!(farm.submit(text), Ok(Reply::Submitted { graph: GraphNo(2), new: true }));
}

#[test]
fn finished_graphs_are_kept_for_the_retention() {
    let mut farm = farm();
    farm.policy.retention = Span(1_000);
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    farm.run_all("1");
    farm.pass(Span(999));
    farm.hear_all();
    farm.work();
    assert_eq!(farm.state.graph_count(), 1);
    farm.pass(Span(1));
    farm.work();
    assert_eq!(farm.state.graph_count(), 0);
}

#[test]
fn unknown_tools_are_named_all_at_once() {
    let refused = farm().submit("{id: g, nodes: {a: {tool: x}, b: {tool: work}, c: {tool: y}}}");
    assert_eq!(refused, Err(Refusal::UnknownTools(vec![name("x"), name("y")])));
}

#[test]
fn an_upload_appears_whole_or_not_at_all() {
    let mut farm = farm();
    let graph = document::graph(b"{id: g, nodes: {a: {tool: work}}}", &Limits::default()).expect("a good graph");
    let bytes = GraphSource::encode(&graph);
    let (first, second) = bytes.split_at(10);
    let part = |part, bytes: &[u8]| Command::Upload { upload: 7, part, bytes: Arc::from(bytes), parts: 2 };
    let submit = || Command::Submit(GraphSource::Uploaded { upload: 7, parts: 2 });
    farm.one(part(1, second)).expect("kept");
    assert_eq!(farm.one(submit()), Err(Refusal::UploadIncomplete));
    farm.apply(vec![part(1, second), part(0, first)]);
    assert_eq!(farm.one(submit()), Ok(Reply::Submitted { graph: GraphNo(1), new: true }));
    farm.apply(vec![part(0, first)]);
    farm.pass(Span::from_secs(60));
    assert_eq!(farm.one(submit()), Err(Refusal::UploadIncomplete));
}

#[test]
fn bytes_that_are_no_graph_are_refused() {
    let mut farm = farm();
    let refused = farm.one(Command::Submit(GraphSource::Inline(Arc::from([1_u8, 2, 3].as_slice()))));
    assert!(matches!(refused, Err(Refusal::BadGraph(_))), "{refused:?}");
}

#[test]
fn a_tool_in_use_is_not_withdrawn() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    let delete = || Command::DeleteTool { name: name("work") };
    assert_eq!(farm.one(delete()), Err(Refusal::ToolInUse(name("work"))));
    farm.run_all("1");
    farm.one(Command::RemoveGraph { graph: GraphNo(1), dedupe_window: Span(0) }).expect("it has ended");
    assert_eq!(farm.one(delete()), Ok(Reply::Done));
    assert_eq!(farm.one(delete()), Err(Refusal::UnknownTool(name("work"))));
}

#[test]
fn an_unsound_graph_is_refused() {
    let mut farm = farm();
    let mut graph = document::graph(b"{id: g, nodes: {a: {tool: work}}}", &Limits::default()).expect("a good graph");
    graph.nodes[0].array = Some(u32::MAX);
    let submit = |graph| Command::Submit(GraphSource::Inline(GraphSource::encode(graph).into()));
    let refused = farm.one(submit(&graph));
    assert!(matches!(refused, Err(Refusal::UnsoundGraph(_))), "{refused:?}");
}

#[test]
fn a_snapshot_that_is_cut_or_out_of_order_is_refused() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, array: {count: 600}}}}").expect("accepted");
    farm.work();
    let records: Vec<Vec<u8>> = farm.state.snapshot().records().collect();
    let load =
        |records: &[Vec<u8>]| State::load(records.iter().cloned().map(Ok::<_, LoadError>)).map(|state| state.check());
    assert_eq!(load(&records), Ok(()));
    for cut in 0..records.len() {
        assert!(load(&records[..cut]).is_err(), "without what follows record {cut}");
        let mut without = records.clone();
        without.remove(cut);
        assert!(load(&without).is_err() || is_tool_nobody_uses(cut), "without record {cut}");
        let mut spoilt = records.clone();
        spoilt[cut].pop();
        assert!(load(&spoilt).is_err(), "with record {cut} cut");
    }
}

/// Records 1 to 6 are the built-in tools: without one of them the others move, but nobody is the wiser.
fn is_tool_nobody_uses(record: usize) -> bool {
    (1..=6).contains(&record)
}

#[test]
fn large_results_make_several_records() {
    let mut farm = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, array: {count: 40}}}}").expect("accepted");
    let count = |farm: &Farm| farm.state.snapshot().records().count();
    let before = count(&farm);
    farm.run_all(&format!("\"{}\"", "x".repeat(100_000)));
    assert_eq!(count(&farm), before + 3, "40 results of 100 kB in records of a megabyte");
    let records = farm.state.snapshot().records().map(Ok::<_, LoadError>).collect::<Vec<_>>();
    let loaded = State::load(records).expect("a snapshot loads");
    assert_eq!(loaded.snapshot().digest(), farm.state.snapshot().digest());
}
