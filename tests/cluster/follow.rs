//! Who waits for a graph hears of it from the event stream: once and in order, through failovers, and without asking.

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, Events, Queen, Relay, Running, wait_until};
use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, SOON, append, array, reaches, single};

/// A queen that says nothing for 3 s is left; the rest is for a machine that has other things to do.
const LEFT_WITHIN: Duration = Duration::from_secs(8);

/// A cluster of few slots, so that graphs take their time, and a relay before each queen.
struct Watched {
    relays: Vec<Relay>,
    cluster: Cluster,
}

impl Watched {
    fn start() -> Self {
        let cluster = Cluster::spec().slots(2).start();
        let relays = cluster.queens().iter().map(|queen| Relay::before(queen.http())).collect();
        Self { relays, cluster }
    }

    /// `antfarm` that reaches the queens through the relays.
    fn begin(&self, arguments: &[&str]) -> Running {
        let servers: Vec<String> = self.relays.iter().map(Relay::url).collect();
        let command = self.cluster.command(arguments).env("ANTFARM_SERVER", &servers.join(","));
        command.within(GRAPH_WITHIN).start()
    }

    /// Waits until events stream from a queen that is none of these.
    fn streaming_but_from(&self, others: &[u16]) -> &Queen {
        wait_until("a stream of events", SOON, || {
            let queens = self.cluster.queens().iter().zip(&self.relays);
            let mut streaming = queens.filter(|(queen, relay)| relay.streams() && !others.contains(&queen.id()));
            streaming.next().map(|(queen, _)| queen).context("there is none")
        })
    }

    /// What all queens were asked.
    fn asked(&self) -> Vec<String> {
        self.relays.iter().flat_map(Relay::asked).collect()
    }
}

#[test]
fn submit_wait_outlives_the_queen_that_it_listens_to_and_the_leader() {
    let watched = Watched::start();
    let (cluster, ledger) = (&watched.cluster, watched.cluster.ledger());
    let graph = array("outlived", "append", 90, &append(&ledger, 500));
    let file = cluster.scratch().write("outlived.json", &graph.to_string());
    let waiting = watched.begin(&["submit", "--wait", "--json", file.to_str().expect("UTF-8")]);

    let first = watched.streaming_but_from(&[]);
    reaches(&ledger, 1);
    first.kill();
    watched.streaming_but_from(&[first.id()]);
    first.start();
    let leader = cluster.leader();
    leader.kill();
    let next = watched.streaming_but_from(&[leader.id()]);
    assert!(ledger.len() < 180, "the graph ended before the last stream began, from {}", next.name());

    let waited = waiting.finish().exits(0);
    let graph = &waited.json()["submitted"][0]["graph"];
    assert_eq!((&graph["state"], &graph["nodes"]["succeeded"]), (&json!("succeeded"), &json!(90)));
    ledger.each_node_started_exactly_once("outlived", ["each"]);
}

#[test]
fn each_change_is_printed_once_and_in_order_across_a_failover() {
    let watched = Watched::start();
    let (cluster, ledger) = (&watched.cluster, watched.cluster.ledger());
    let start = cluster.leader().status().expect("it answers")["applied_index"].as_u64().expect("a log index");
    cluster.submit(&array("followed", "append", 60, &append(&ledger, 300)));
    let following = watched.begin(&["graph", "show", "followed", "--follow", "--json"]);
    let first = watched.streaming_but_from(&[]);
    reaches(&ledger, 20);
    first.kill();
    let second = watched.streaming_but_from(&[first.id()]);
    assert!(ledger.len() < 120, "the graph ended before another stream began");
    let followed = following.finish().exits(0);

    let lines = followed.stdout.lines().map(|line| serde_json::from_str(line).expect("a document"));
    let lines: Vec<Value> = lines.collect();
    let [begin, events @ .., end] = lines.as_slice() else { panic!("{}", followed.stdout) };
    let all = Events::of_graph_after(second.http(), "followed", start).expect("the stream opens");
    let all = all_until_ended(all);
    assert!(events.len() <= all.len() && events == &all[all.len() - events.len()..], "{events:#?}\n\n{all:#?}");
    assert_eq!(
        counted_on(&begin["nodes"], events),
        end["nodes"],
        "no change is missing between the look and the stream"
    );
    assert_eq!(end["state"], "succeeded");
}

fn all_until_ended(mut events: Events) -> Vec<Value> {
    events.read_until(|event| event["finished"] == true).expect("the graph ended")
}

/// Numbers of instances by state, after some events.
fn counted_on(nodes: &Value, events: &[Value]) -> Value {
    let mut nodes = nodes.clone();
    for event in events.iter().filter(|event| event["type"] == "node") {
        let count = event["count"].as_i64().unwrap_or(1);
        for (field, change) in [("from", -count), ("state", count)] {
            let number = &mut nodes[event[field].as_str().expect("a state")];
            *number = json!(number.as_i64().expect("a number") + change);
        }
    }
    nodes
}

#[test]
fn a_queen_that_stands_still_while_it_streams_is_left() {
    let watched = Watched::start();
    let (cluster, ledger) = (&watched.cluster, watched.cluster.ledger());
    cluster.submit(&single("patient", "append", &append(&ledger, 6_000)));
    let waiting = watched.begin(&["graph", "wait", "patient"]);
    let still = watched.streaming_but_from(&[]);
    reaches(&ledger, 1);
    let began = Instant::now();
    still.pause();
    let next = watched.streaming_but_from(&[still.id()]);
    println!("{} was left for {} after {:?}", still.name(), next.name(), began.elapsed());
    assert!(began.elapsed() < LEFT_WITHIN, "{:?}", began.elapsed());
    let waited = waiting.finish().exits(0);
    assert!(waited.stdout.contains("patient succeeded"), "{}", waited.stdout);
}

#[test]
fn a_queen_that_lost_the_others_ends_its_streams() {
    let cluster = Cluster::start();
    let (leader, followers) = (cluster.leader(), cluster.followers());
    let (alone, other) = (followers[0], followers[1]);
    let start = alone.status().expect("it answers")["applied_index"].as_u64().expect("a log index");
    let mut events = Events::after(alone.http(), start).expect("the stream opens");
    let began = Instant::now();
    leader.pause();
    other.pause();
    let ended = events.read_until(|_| false).expect_err("nothing ends the reading but the end of the stream");
    assert!(format!("{ended:#}").contains("the event stream ended"), "{ended:#}");
    println!("the stream ended after {:?}", began.elapsed());
    assert!(began.elapsed() < LEFT_WITHIN, "{:?}", began.elapsed());
    let refused = Events::after(alone.http(), start).expect_err("another one would hear of nothing either");
    assert!(format!("{refused:#}").contains("503"), "{refused:#}");
    leader.resume();
    other.resume();
    wait_until("a stream to begin again", SOON, || Events::after(alone.http(), start));
}

#[test]
fn nothing_is_asked_while_nothing_happens() {
    let watched = Watched::start();
    let (cluster, ledger) = (&watched.cluster, watched.cluster.ledger());
    cluster.submit(&single("quiet", "append", &append(&ledger, 5_000)));
    let waiting = watched.begin(&["graph", "wait", "quiet"]);
    watched.streaming_but_from(&[]);
    reaches(&ledger, 1);
    let before = watched.asked();
    let waited = waiting.finish().exits(0);
    assert!(waited.took > Duration::from_secs(3), "it took {:?}", waited.took);
    let after = watched.asked();
    println!("{before:?}, then {}", after.len() - before.len());
    // The look at the end, and perhaps a stream that began again because the machine was busy.
    assert!(after.len() <= before.len() + 2, "{before:?}\n{after:?}");
}

#[test]
fn a_graph_that_has_ended_is_not_waited_for() {
    let watched = Watched::start();
    let cluster = &watched.cluster;
    cluster.submit(&single("well", "noop", &json!({})));
    cluster.wait_for_success("well", GRAPH_WITHIN);
    let badly = json!({"id": "badly", "defaults": {"retries": 0}, "nodes": {"only": {"tool": "fail"}}});
    cluster.submit(&badly);
    wait_until("the end of a graph", SOON, || {
        ensure!(cluster.graph("badly")?["state"] == "failed", "it goes on");
        Ok(())
    });
    let _ = watched.begin(&["graph", "wait", "well"]).finish().exits(0);
    let _ = watched.begin(&["graph", "wait", "well", "badly"]).finish().exits(1);
    let shown = watched.begin(&["graph", "show", "well", "--follow", "--json"]).finish().exits(0);
    assert_eq!(shown.json()["state"], "succeeded");
    let asked = watched.asked();
    assert!(asked.len() == 4 && asked.iter().all(|asked| asked.starts_with("GET /v1/graphs/")), "{asked:?}");
}

#[test]
fn waiting_for_a_graph_that_nobody_knows_is_refused() {
    let cluster = Cluster::start();
    for arguments in [["graph", "wait", "nobody"].as_slice(), &["graph", "show", "nobody", "--follow"]] {
        let refused = cluster.antfarm(arguments).exits(4);
        assert!(refused.stderr.contains("there is no graph \"nobody\""), "{}", refused.stderr);
    }
}
