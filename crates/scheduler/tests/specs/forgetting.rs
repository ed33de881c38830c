//! Names of foragers and tools are not kept for ever.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Span};
use antfarm_scheduler::{Command, ForagerState, GraphState};

use crate::farm::{Farm, name};

const WEEK: Span = Span::from_secs(7 * 24 * 3_600);

fn farm() -> (Farm, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let forager = farm.forager("f", 1, &["work", "rare"]);
    (farm, forager)
}

fn lose(farm: &mut Farm, forager: ForagerNo) {
    let lose = Command::Lose { forager, incarnation: farm.incarnation(forager) };
    farm.one(lose).expect("it is the one that counts");
}

fn knows_tool(farm: &Farm, tool: &str) -> bool {
    (0..100).any(|number| farm.state.tool_name(antfarm_model::ToolNo(number)) == Some(&name(tool)))
}

#[test]
fn a_forager_that_was_lost_for_a_week_is_forgotten_with_the_tools_that_only_it_had() {
    let (mut farm, forager) = farm();
    lose(&mut farm, forager);
    farm.pass(Span(WEEK.0 - 1));
    assert!(farm.state.forager_named("f").is_some() && knows_tool(&farm, "rare"));
    farm.pass(Span(1));
    assert!(farm.state.forager_named("f").is_none() && !knows_tool(&farm, "rare"));
    assert!(knows_tool(&farm, "work"), "it has a manifest");
    let again = farm.forager("f", 1, &["work"]);
    assert!(again > forager, "a number is never given twice");
}

#[test]
fn a_loss_that_is_told_again_does_not_prolong_the_memory() {
    let (mut farm, forager) = farm();
    lose(&mut farm, forager);
    farm.pass(Span(1));
    lose(&mut farm, forager);
    farm.pass(Span(WEEK.0 - 1));
    assert!(farm.state.forager_named("f").is_none());
}

#[test]
fn one_that_comes_back_in_time_is_not() {
    let (mut farm, forager) = farm();
    lose(&mut farm, forager);
    farm.pass(Span(WEEK.0 - 1));
    farm.register(Farm::registration("f", 1, &["work"])).expect("the name is free");
    farm.pass(WEEK);
    assert_eq!(farm.state.forager(forager).map(antfarm_scheduler::Forager::state), Some(ForagerState::Ready));
}

#[test]
fn one_to_which_a_node_is_pinned_is_remembered_as_long_as_the_graph_runs() {
    let (mut farm, forager) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, pin: f}}}").expect("accepted");
    lose(&mut farm, forager);
    farm.pass(WEEK);
    assert!(farm.state.forager_named("f").is_some());
    let graph = farm.id("g", "a").graph;
    farm.one(Command::CancelGraph { graph }).expect("it runs");
    assert_eq!(farm.state.graph(graph).map(antfarm_scheduler::GraphRecord::state), Some(GraphState::Cancelled));
    farm.pass(WEEK);
    assert!(farm.state.forager_named("f").is_none());
}

#[test]
fn a_leader_from_the_end_of_time_does_not_stop_the_clock_of_the_others() {
    let (mut farm, forager) = farm();
    farm.submit("{id: g, nodes: {a: {tool: work, pin: f}}}").expect("accepted");
    lose(&mut farm, forager);
    // Remembered for another week, it would be due at once for ever, if there were nothing after this moment.
    farm.pass(Span(u64::MAX));
    assert!(farm.state.forager_named("f").is_some());
    assert_eq!(farm.state.elapsed(), antfarm_model::Elapsed::LAST);
}

#[test]
fn the_name_of_a_tool_goes_with_its_last_reason() {
    let (mut farm, forager) = farm();
    farm.forager("g", 1, &["rare"]);
    farm.forager_again("f", 1, &["work"]);
    assert!(knows_tool(&farm, "rare"), "the other forager has it");
    farm.forager_again("g", 1, &["work"]);
    assert!(!knows_tool(&farm, "rare"));
    farm.one(Command::DeleteTool { name: name("work") }).expect("no graph uses it");
    assert!(knows_tool(&farm, "work"), "two foragers have it");
    lose(&mut farm, forager);
    assert!(knows_tool(&farm, "work"));
}
