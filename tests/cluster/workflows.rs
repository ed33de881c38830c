//! Recorded workflows run in the shape that they were recorded in.

use std::collections::BTreeMap;

use antfarm_testkit::{Cluster, Workflow, workflows};

use crate::given::{GRAPH_WITHIN, MONTAGE, ran_as_recorded, submit_workflow};

#[test]
fn every_recorded_workflow_succeeds_with_the_nodes_and_edges_of_its_file() {
    let workflows = workflows();
    if workflows.is_empty() {
        return;
    }
    let cluster = Cluster::start();
    for workflow in &workflows {
        let submit = ["submit", "--format", "wfformat", "--wait", "--json", workflow.file()];
        let finished = cluster.command(&submit).within(GRAPH_WITHIN).run().exits(0);
        let submitted = &finished.json()["submitted"][0];
        assert_eq!(submitted["nodes"], workflow.tasks.len(), "{}", workflow.name());
        assert_eq!(submitted["edges"], workflow.edges.len(), "{}", workflow.name());
        let graph = cluster.graph(workflow.name()).expect("it is there");
        assert_eq!(graph["nodes"]["total"], workflow.tasks.len(), "{graph}");
        assert_eq!(graph["nodes"]["succeeded"], workflow.tasks.len(), "{graph}");
    }
    assert_eq!(workflows.len(), 14);
}

#[test]
fn no_task_of_any_workflow_begins_before_its_parents_have_ended() {
    let workflows = workflows();
    if workflows.is_empty() {
        return;
    }
    let cluster = Cluster::start();
    let ledger = cluster.ledger();
    let submissions: Vec<_> =
        workflows.iter().map(|workflow| submit_workflow(&cluster, workflow, &ledger, 0)).collect();
    for submission in submissions {
        let _ = submission.finish().exits(0);
    }
    for workflow in &workflows {
        ran_as_recorded(workflow, &ledger);
    }
}

#[test]
fn every_task_of_a_workflow_waits_for_the_parents_that_its_file_names() {
    let Some(workflow) = Workflow::named("montage-chameleon-2mass-005d-001.json") else { return };
    let cluster = Cluster::start();
    let _ = cluster.antfarm(&["submit", "--time-scale", "0", workflow.file()]).exits(0);
    let mut parents: BTreeMap<&str, Vec<&str>> = workflow.nodes().map(|node| (node, Vec::new())).collect();
    for (parent, child) in workflow.links() {
        parents.get_mut(child).expect("edges join tasks").push(parent);
    }
    for (node, mut parents) in parents {
        let view = cluster.get(&format!("/v1/graphs/{}/nodes/{node}", workflow.name())).and_then(|answer| answer.ok());
        let view = view.expect("it is there");
        let mut needs: Vec<&str> =
            view["needs"].as_array().expect("a list").iter().filter_map(|need| need.as_str()).collect();
        needs.sort_unstable();
        parents.sort_unstable();
        assert_eq!(needs, parents, "{node}");
    }
}

#[test]
fn a_ready_task_starts_long_before_the_next_tick() {
    let Some(workflow) = Workflow::named(MONTAGE) else { return };
    let cluster = Cluster::spec().slots(1_000).queen_settings("[scheduler]\ntick = \"10s\"\n").start();
    let ledger = cluster.ledger();
    let _ = submit_workflow(&cluster, &workflow, &ledger, 0).finish().exits(0);
    let latencies = ledger.ready_to_start_ms(workflow.name(), workflow.links());
    let percentile = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
    println!("from ready to started: p50 {} ms, p99 {} ms", percentile(50), percentile(99));
    assert!(percentile(50) < 1_000, "half of the tasks waited for {} ms or more", percentile(50));
}
