//! One graph, watched from a first look to its end: each change once and in order, through failovers, without asking
//! again and again.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::client::{Client, Submitted};
use crate::error::ClientError;
use crate::events::{EventStream, WatchedEvent};
use crate::views::GraphView;

/// How long a watch that has begun goes on while no queen answers, or no leader.
const WITHOUT_LEADER: Duration = Duration::from_mins(2);

/// A graph as it is and what changes in it.
///
/// It begins with a linearizable look and hears all events from the very entry that the look reflects on. It looks again
/// only when the graph itself changes (not one of its nodes), or when a part of the stream is gone.
#[derive(Debug)]
pub struct GraphWatch {
    client: Client,
    graph: GraphView,
    /// The last entry that `graph` reflects.
    index: u64,
    events: EventStream,
    /// Whether the event that says that it ended was told.
    told_end: bool,
}

/// What a watch has to tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Something changed.
    Event(WatchedEvent),
    /// What changed for a while is not known any more; the graph is as it is now.
    Gap,
}

impl Client {
    /// Watches a graph from how it is now on.
    ///
    /// # Errors
    /// If there is no such graph, or no leader answers.
    pub async fn watch_graph(&self, id: &str) -> Result<GraphWatch, ClientError> {
        let (graph, index) = self.dated_graph(id).await?;
        Ok(GraphWatch::from(self.clone(), graph, index))
    }

    /// Watches a graph from its submission on.
    pub fn watch_submitted(&self, submitted: Submitted) -> GraphWatch {
        GraphWatch::from(self.clone(), submitted.graph, submitted.index)
    }
}

impl GraphWatch {
    fn from(client: Client, graph: GraphView, index: u64) -> Self {
        let events = events(&client, &graph, index);
        Self { client, graph, index, events, told_end: false }
    }

    /// The graph as it is after all that was told.
    pub fn graph(&self) -> &GraphView {
        &self.graph
    }

    /// Waits until something changes; nothing when the graph has ended and all was told. Safe to drop half-way.
    ///
    /// # Errors
    /// If the graph was removed, or no leader answers for two minutes.
    pub async fn next(&mut self) -> Result<Option<Seen>, ClientError> {
        loop {
            if self.is_over() {
                return Ok(None);
            }
            if let Some(event) = self.events.peek() {
                // What the last look reflects is told, but not counted again.
                if event.index > self.index {
                    if event.document["type"] == "node" {
                        count(&mut self.graph, &event.document);
                    } else {
                        self.look().await?;
                    }
                }
                let event = self.events.pop();
                self.told_end |= event.as_ref().is_some_and(|event| event.document["finished"] == true);
                return Ok(event.map(Seen::Event));
            }
            match self.events.advance().await {
                Ok(()) => {}
                Err(ClientError::Refused(problem)) if problem.status == 410 => {
                    self.look().await?;
                    self.events = events(&self.client, &self.graph, self.index);
                    return Ok(Some(Seen::Gap));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for the end, and returns how the graph is then.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn ended(mut self) -> Result<GraphView, ClientError> {
        while self.next().await?.is_some() {}
        Ok(self.graph)
    }

    /// A look may be ahead of the stream; then the stream goes on up to it.
    fn is_over(&self) -> bool {
        let told_all = self.events.peek().is_none() && self.events.position() >= Some(self.index);
        self.graph.finished_at.is_some() && (self.told_end || told_all)
    }

    async fn look(&mut self) -> Result<(), ClientError> {
        let began = Instant::now();
        loop {
            match self.client.dated_graph(&self.graph.id).await {
                Ok((graph, index)) => {
                    (self.graph, self.index) = (graph, index);
                    return Ok(());
                }
                Err(ClientError::NoLeader(_) | ClientError::OutcomeUnknown(_)) if began.elapsed() < WITHOUT_LEADER => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What changes in a graph after an entry.
fn events(client: &Client, graph: &GraphView, index: u64) -> EventStream {
    EventStream::new(client.clone(), Some(index), Some(graph.id.clone()), WITHOUT_LEADER)
}

/// Moves the instances that an event is about from one state to another.
fn count(graph: &mut GraphView, event: &Value) {
    let number = event["count"].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or(1);
    // What is ready in a paused graph is shown as waiting.
    let paused = graph.state == "paused";
    let shown =
        |field: &str| event[field].as_str().map(|state| if paused && state == "ready" { "waiting" } else { state });
    if let Some(from) = shown("from").and_then(|state| graph.nodes.of_mut(state)) {
        *from = from.saturating_sub(number);
    }
    if let Some(to) = shown("state").and_then(|state| graph.nodes.of_mut(state)) {
        *to = to.saturating_add(number);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scripted::{Line, Script};

    /// A look at a graph of three nodes after an entry.
    fn look(index: u64, state: &str, waiting: u32, succeeded: u32) -> Line {
        let finished = (state == "succeeded").then_some("2026-11-30T00:00:00Z");
        let states = ["ready", "assigned", "running", "failed", "expired", "cancelled", "skipped", "needs_decision"];
        let mut nodes = json!({"total": 3, "waiting": waiting, "succeeded": succeeded});
        for state in states {
            nodes[state] = json!(0);
        }
        let graph = json!({
            "id": "g", "state": state, "submitted_at": "2026-11-30T00:00:00Z", "finished_at": finished, "nodes": nodes,
            "number": 1, "digest": "", "on_failure": "fail_graph", "on_deadline": "fail_graph",
        });
        Line::answer(200, &format!("antfarm-index: {index}\r\n"), &graph.to_string())
    }

    fn moved(index: u64, count: u32, from: &str, state: &str) -> String {
        let event = json!({"type": "node", "graph": "g", "node": "n", "count": count, "from": from, "state": state});
        format!("id: {index}\ndata: {event}\n\n")
    }

    fn graph_is(index: u64, state: &str) -> String {
        let event = json!({"type": "graph", "graph": "g", "state": state, "finished": state == "succeeded"});
        format!("id: {index}\ndata: {event}\n\n")
    }

    /// What a watch tells to its end: after each event its index, the graph's state, and how many wait and succeeded.
    async fn told(script: &Script) -> Vec<(u64, String, u32, u32)> {
        let mut watch = script.client().watch_graph("g").await.expect("it is there");
        let mut told = Vec::new();
        while let Some(seen) = watch.next().await.expect("the watch goes on") {
            let index = match seen {
                Seen::Event(event) => event.index,
                Seen::Gap => 0,
            };
            let GraphView { state, nodes, .. } = watch.graph();
            told.push((index, state.clone(), nodes.waiting, nodes.succeeded));
        }
        told
    }

    #[tokio::test(start_paused = true)]
    async fn events_are_counted_on_from_the_look_and_the_end_is_looked_at() {
        let events =
            [moved(11, 1, "waiting", "ready"), moved(12, 2, "waiting", "succeeded"), graph_is(15, "succeeded")];
        let script = Script::default()
            .say("a:1", look(10, "running", 3, 0))
            .say("a:1", Line::stream(&events.concat()).then_silence())
            .say("a:1", look(17, "succeeded", 0, 3));
        let running = "running".to_owned();
        let expected = [(11, running.clone(), 2, 0), (12, running, 0, 2), (15, "succeeded".to_owned(), 0, 3)];
        assert_eq!(told(&script).await, expected);
        assert_eq!(script.asked(), ["a:1 GET /v1/graphs/g", "a:1 GET /v1/events?graph=g 10", "a:1 GET /v1/graphs/g"]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_look_reflects_is_told_and_not_counted_again() {
        let events =
            [graph_is(11, "paused"), moved(12, 1, "waiting", "succeeded"), moved(14, 1, "waiting", "succeeded")];
        let script = Script::default()
            .say("a:1", look(10, "running", 3, 0))
            .say("a:1", Line::stream(&[events.concat(), graph_is(15, "succeeded")].concat()).then_silence())
            .say("a:1", look(12, "paused", 2, 1))
            .say("a:1", look(15, "succeeded", 0, 3));
        let counts: Vec<(u64, u32, u32)> = told(&script).await.into_iter().map(|(i, _, w, s)| (i, w, s)).collect();
        assert_eq!(counts, [(11, 2, 1), (12, 2, 1), (14, 1, 2), (15, 0, 3)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_ahead_of_the_stream_loses_no_event() {
        let script = Script::default()
            .say("a:1", look(10, "running", 3, 0))
            .say("a:1", Line::stream(&graph_is(11, "running")))
            .say("a:1", look(20, "succeeded", 0, 3))
            .say("b:1", Line::stream(&[moved(12, 3, "waiting", "succeeded"), graph_is(20, "succeeded")].concat()));
        let indexes: Vec<u64> = told(&script).await.into_iter().map(|(index, ..)| index).collect();
        assert_eq!(indexes, [11, 12, 20]);
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_gap_the_graph_is_looked_at_and_the_stream_begins_there() {
        let gone = || Line::answer(410, "", r#"{"type": "urn:antfarm:problem:gone", "status": 410}"#);
        let script = Script::default()
            .say("a:1", look(10, "running", 3, 0))
            .say("a:1", Line::stream("id: 11\n\n"))
            .say("b:1", gone())
            .say("a:1", gone())
            .say("a:1", look(90, "running", 1, 2))
            .say("a:1", Line::stream(&graph_is(91, "succeeded")))
            .say("a:1", look(91, "succeeded", 0, 3));
        let indexes: Vec<u64> = told(&script).await.into_iter().map(|(index, ..)| index).collect();
        assert_eq!(indexes, [0, 91]);
        assert!(script.asked().contains(&"a:1 GET /v1/events?graph=g 90".to_owned()), "{:?}", script.asked());
    }

    #[tokio::test(start_paused = true)]
    async fn a_graph_that_has_ended_needs_no_stream() {
        let script = Script::default().say("a:1", look(10, "succeeded", 0, 3));
        assert!(told(&script).await.is_empty());
        assert_eq!(script.asked(), ["a:1 GET /v1/graphs/g"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_graph_that_was_removed_is_said_so() {
        let removed = json!({"type": "graph_removed", "graph": "g"});
        let script = Script::default()
            .say("a:1", look(10, "running", 3, 0))
            .say("a:1", Line::stream(&format!("id: 11\ndata: {removed}\n\n")))
            .say("a:1", Line::answer(404, "", r#"{"type": "urn:antfarm:problem:not-found", "status": 404}"#));
        let watch = script.client().watch_graph("g").await.expect("it is there");
        assert!(watch.ended().await.expect_err("it is gone").is_not_found());
    }
}
