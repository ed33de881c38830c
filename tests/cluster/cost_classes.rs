//! A flood of one cost class does not starve another: with two classes waiting, each gets every second assignment.

use antfarm_testkit::{Cluster, Events};
use serde_json::{Value, json};

use crate::given::{SOON, array};

const FEW: usize = 100;

/// Assignments that the flood may be ahead by: what was on its way when the few were submitted, and one entry's worth of
/// events whose order within the entry is that of the decisions.
const AHEAD: usize = 16;

fn cluster() -> Cluster {
    let cluster = Cluster::spec().foragers(1).slots(4).script("think", "echo 1").start();
    let manifest = r#"{"cost_class": "model", "effects": "pure"}"#;
    cluster.leader().http().put("/v1/tools/think", manifest).and_then(|answer| answer.ok()).expect("it is taken");
    cluster
}

#[test]
fn a_hundred_model_nodes_get_every_second_assignment_among_a_hundred_thousand_io_instances() {
    let cluster = cluster();
    cluster.submit(&array("flood", "sleep", 100_000, &json!({"ms": 0})));
    get_every_second_assignment(&cluster, &array("few", "think", FEW, &json!({})));
}

#[test]
fn a_hundred_io_nodes_get_every_second_assignment_among_a_hundred_thousand_model_instances() {
    let cluster = cluster();
    cluster.submit(&array("flood", "think", 100_000, &json!({})));
    get_every_second_assignment(&cluster, &array("few", "sleep", FEW, &json!({"ms": 0})));
}

/// Submits the few, reads who was assigned what until they have ended, and cancels the flood.
fn get_every_second_assignment(cluster: &Cluster, few: &Value) {
    let leader = cluster.leader().http();
    let now = leader.get("/v1/cluster").and_then(|answer| answer.ok()).expect("it answers");
    let now = now["applied_index"].as_u64().expect("a log index");
    let mut events = Events::after(leader, now).expect("the stream opens");
    cluster.submit(few);
    let seen = events.read_until(|event| event["graph"] == "few" && event["finished"] == true).expect("the few end");
    let _ = cluster.antfarm(&["graph", "cancel", "flood"]).exits(0);

    let begun = seen.iter().position(|event| event["graph"] == "few").expect("the few were submitted");
    let (mut few_assigned, mut flood_assigned) = (0, 0);
    for event in seen[begun..].iter().filter(|event| event["type"] == "node" && event["state"] == "assigned") {
        let count = event["count"].as_u64().map_or(1, |count| usize::try_from(count).expect("a small number"));
        *(if event["graph"] == "few" { &mut few_assigned } else { &mut flood_assigned }) += count;
        if few_assigned < FEW {
            assert!(
                flood_assigned <= few_assigned + AHEAD,
                "{few_assigned} of the few and {flood_assigned} of the flood were assigned"
            );
        }
    }
    assert_eq!(few_assigned, FEW);
    let few = cluster.wait_for_success("few", SOON);
    assert_eq!(few["nodes"]["succeeded"], FEW);
    let flood = cluster.graph("flood").expect("it is there");
    assert_eq!(flood["state"], "cancelled", "the flood was to last longer than the few: {flood}");
}
