//! The event stream is in log order, the same at every queen, and goes on where a reader broke off.

use antfarm_testkit::{Cluster, Events};
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, array};

fn ended(event: &Value) -> bool {
    event["finished"] == true
}

#[test]
fn a_reader_goes_on_at_another_queen_where_it_broke_off() {
    let cluster = Cluster::start();
    let start = cluster.leader().status().expect("it answers")["applied_index"].as_u64().expect("a log index");
    cluster.submit(&array("watched", "sleep", 50, &json!({"ms": 5})));
    cluster.wait_for_success("watched", GRAPH_WITHIN);
    let of = |id: u16, after: u64| {
        let events = Events::of_graph_after(cluster.queen(id).http(), "watched", after);
        events.expect("the stream opens")
    };
    let all: Vec<Vec<Value>> = (1..=3).map(|id| of(id, start).read_until(ended).expect("the graph ended")).collect();
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    let indexes: Vec<u64> = all[0].iter().filter_map(|event| event["index"].as_u64()).collect();
    assert!(indexes.is_sorted() && indexes.len() == all[0].len(), "{indexes:?}");

    let mut first = of(1, start);
    let mut read = first.read_until(|event| event["state"] == "succeeded").expect("an instance succeeded");
    let broke_off_at = first.last_id();
    read.retain(|event| event["index"].as_u64() <= Some(broke_off_at));
    read.extend(of(2, broke_off_at).read_until(ended).expect("the graph ended"));
    assert_eq!(read, all[0]);
}

#[test]
fn the_command_line_prints_what_has_happened_one_document_a_line() {
    let cluster = Cluster::start();
    let start = cluster.leader().status().expect("it answers")["applied_index"].to_string();
    cluster.submit(&array("printed", "noop", 10, &json!({})));
    cluster.wait_for_success("printed", GRAPH_WITHIN);
    let printed = cluster.antfarm(&["events", "--since", &start, "--graph", "printed", "--json"]).exits(0);
    let events: Vec<Value> =
        printed.stdout.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
    assert!(events.last().is_some_and(ended), "{}", printed.stdout);
    assert!(events.iter().all(|event| event["graph"] == "printed"), "{}", printed.stdout);
}
