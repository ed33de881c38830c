//! A paused graph starts nothing until it is resumed.

use antfarm_testkit::Cluster;

use crate::given::{GRAPH_WITHIN, append, array, reaches, single};

#[test]
fn a_paused_graph_starts_nothing_until_it_is_resumed() {
    let cluster = Cluster::spec().foragers(1).slots(1).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("pausing", "append", 3, &append(&ledger, 1_500)));
    reaches(&ledger, 1);
    let _ = cluster.antfarm(&["graph", "pause", "pausing"]).exits(0);
    assert_eq!(cluster.graph("pausing").expect("it is there")["state"], "paused");
    // Another graph gets the slot as soon as it is free: then the paused one could have had it.
    cluster.submit(&single("other", "append", &append(&ledger, 0)));
    cluster.wait_for_success("other", GRAPH_WITHIN);
    let started = ledger.attempts().keys().filter(|(graph, _, _)| graph == "pausing").count();
    assert!(started < 3, "the graph ended before it was paused");
    let explained = cluster.antfarm(&["node", "explain", "pausing/each[2]"]).exits(0);
    assert!(explained.stdout.contains("paused"), "{}", explained.stdout);
    let _ = cluster.antfarm(&["graph", "resume", "pausing"]).exits(0);
    cluster.wait_for_success("pausing", GRAPH_WITHIN);
    ledger.each_node_started_exactly_once("pausing", ["each"]);
}
