//! Graphs in a sound history, and the work that is done for them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::World;
use crate::checkers::sample::change;
use crate::history::{
    AttemptName, AttemptStep, Claim, Closer, Event, GraphShown, GraphSpec, Line, Mark, NodeSpec, OpenAttempt, Tool,
    What,
};

/// «Failed, and worth a retry».
const EX_TEMPFAIL: i32 = 75;

/// Nothing in a history lasts so long.
const FAR_AWAY_MS: u64 = 100_000_000;

/// All graphs that were made.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) graphs: Vec<Graph>,
}

/// A graph that was made.
#[derive(Debug)]
pub(super) struct Graph {
    spec: GraphSpec,
    number: u64,
    nodes: Vec<Node>,
    /// Its states, from which index on, and whether it has ended.
    timeline: Vec<(u64, String, bool)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Waits,
    Runs {
        fence: u64,
        forager: String,
    },
    /// With the result of the attempt of that fence.
    Succeeded {
        fence: u64,
    },
    Cancelled,
}

/// The graph that everybody submits under an id.
pub(super) fn spec(number: usize) -> GraphSpec {
    let nodes = match number % 3 {
        0 => vec![NodeSpec::new("pay", Tool::Pay, &[])],
        1 => vec![
            NodeSpec::new("write", Tool::Append { ms: 1, guard: false }, &[]),
            NodeSpec::new("say", Tool::Echo { word: format!("word {number}") }, &["write"]),
        ],
        _ => {
            let work = NodeSpec::new("work", Tool::Work, &[]);
            vec![
                NodeSpec { deadline_ms: Some(FAR_AWAY_MS), ..work },
                NodeSpec::new("write", Tool::Append { ms: 1, guard: true }, &["work"]),
            ]
        }
    };
    GraphSpec::new(format!("g{number}"), nodes)
}

fn of_graph(graph: &str, state: &str, finished: bool) -> Event {
    let (graph, state) = (Some(graph.to_owned()), Some(state.to_owned()));
    Event { r#type: "graph".into(), graph, state, finished: Some(finished), ..Event::default() }
}

impl Graph {
    /// How it was shown at an index; nothing before it was made.
    pub(super) fn shown(&self, index: u64) -> Option<GraphShown> {
        let (_, state, finished) = self.timeline.iter().rfind(|(from, ..)| *from <= index)?;
        Some(GraphShown {
            id: self.spec.id.clone(),
            number: self.number,
            digest: format!("digest of {}", self.spec.id),
            state: state.clone(),
            finished: *finished,
        })
    }

    fn state(&self) -> &str {
        self.timeline.last().map_or("", |(_, state, _)| state)
    }

    fn runs(&self) -> bool {
        self.state() == "running"
    }

    fn result(&self, node: usize) -> Option<Value> {
        let Node::Succeeded { fence } = &self.nodes[node] else { return None };
        Some(match &self.spec.nodes[node].tool {
            Tool::Echo { word } => json!(word),
            Tool::Work | Tool::Labour | Tool::Pay | Tool::PayTwice => json!({"fence": fence}),
            Tool::Append { .. } | Tool::Sleep { .. } => Value::Null,
        })
    }

    fn may_start(&self, node: usize) -> bool {
        let done = |id: &String| {
            let place = self.spec.nodes.iter().position(|node| node.id == *id);
            place.is_some_and(|place| matches!(self.nodes[place], Node::Succeeded { .. }))
        };
        self.runs() && self.nodes[node] == Node::Waits && self.spec.nodes[node].after.iter().all(done)
    }
}

impl Work {
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.graphs.iter().position(|graph| graph.spec.id == id)
    }

    /// Open attempts of each forager.
    pub(super) fn open(&self) -> BTreeMap<String, u32> {
        let mut open = BTreeMap::new();
        for node in self.graphs.iter().flat_map(|graph| &graph.nodes) {
            let Node::Runs { forager, .. } = node else { continue };
            *open.entry(forager.clone()).or_insert(0) += 1;
        }
        open
    }

    pub(super) fn open_attempts(&self) -> Vec<OpenAttempt> {
        let mut open = Vec::new();
        for graph in &self.graphs {
            for (place, node) in graph.nodes.iter().enumerate() {
                let Node::Runs { fence, forager } = node else { continue };
                let attempt = name(graph, place, *fence);
                open.push(OpenAttempt { attempt, forager: forager.clone(), closer: Some(Closer::Lease) });
            }
        }
        open
    }

    /// How all stand at the end, with their results.
    pub(super) fn finals(&self) -> Vec<(GraphShown, BTreeMap<String, Value>)> {
        let finals = self.graphs.iter().filter_map(|graph| {
            let ids = graph.spec.nodes.iter().map(|node| node.id.clone());
            let results = ids.enumerate().filter_map(|(place, id)| Some((id, graph.result(place)?)));
            Some((graph.shown(u64::MAX)?, results.collect()))
        });
        finals.collect()
    }
}

fn name(graph: &Graph, node: usize, fence: u64) -> AttemptName {
    let (graph, node) = (graph.spec.id.clone(), graph.spec.nodes[node].id.clone());
    AttemptName { graph, node, instance: 0, fence }
}

impl World {
    /// A graph is made. Its index.
    pub(super) fn make(&mut self, number: usize) -> u64 {
        let spec = spec(number);
        let index = self.commit(vec![of_graph(&spec.id, "running", false)]);
        let nodes = vec![Node::Waits; spec.nodes.len()];
        let timeline = vec![(index, "running".to_owned(), false)];
        self.work.graphs.push(Graph { spec, number: index, nodes, timeline });
        index
    }

    /// A graph is cancelled; false if it has ended otherwise.
    pub(super) fn cancel(&mut self, place: usize) -> bool {
        let graph = &self.work.graphs[place];
        if !graph.runs() {
            return graph.state() == "cancelled";
        }
        let id = graph.spec.id.clone();
        let over = !graph.nodes.iter().any(|node| matches!(node, Node::Runs { .. }));
        let mut events = vec![of_graph(&id, "cancelled", false)];
        events.extend(over.then(|| of_graph(&id, "cancelled", true)));
        let index = self.commit(events);
        self.work.graphs[place].timeline.push((index, "cancelled".to_owned(), over));
        true
    }

    /// Something starts, or something ends.
    pub(super) fn work_on(&mut self) {
        let Some(place) = self.random.pick(self.work.graphs.len()) else { return };
        let graph = &self.work.graphs[place];
        let Some(node) = self.random.pick(graph.nodes.len()) else { return };
        if graph.may_start(node) {
            self.start(place, node);
        } else if let Node::Runs { fence, forager } = graph.nodes[node].clone() {
            self.stop(place, node, fence, &forager);
        }
    }

    fn start(&mut self, place: usize, node: usize) {
        let forager = format!("forager-{}", 1 + self.random.below(u64::from(super::FORAGERS)));
        let fence = self.index() + 1;
        let attempt = name(&self.work.graphs[place], node, fence);
        self.commit(vec![change(&attempt.graph, &attempt.node, "assigned", Some(fence))]);
        self.claim(self.leader, Claim::Dispatched { epoch: self.term, fence });
        self.attempt(&forager, &attempt, AttemptStep::Starts { epoch: self.term });
        self.mark(place, node, (&forager, fence), Mark::Start, None);
        self.work.graphs[place].nodes[node] = Node::Runs { fence, forager };
    }

    fn stop(&mut self, place: usize, node: usize, fence: u64, forager: &str) {
        let attempt = name(&self.work.graphs[place], node, fence);
        let cancelled = !self.work.graphs[place].runs();
        let fails = !cancelled && self.random.percent(30);
        let exit = fails.then_some(EX_TEMPFAIL);
        self.attempt(forager, &attempt, AttemptStep::Ends);
        self.mark(place, node, (forager, fence), Mark::End, exit);
        let (state, now) = match (cancelled, fails) {
            (true, _) => ("cancelled", Node::Cancelled),
            (false, true) => ("ready", Node::Waits),
            (false, false) => ("succeeded", Node::Succeeded { fence }),
        };
        let graph = &mut self.work.graphs[place];
        graph.nodes[node] = now;
        let mut events = vec![change(&attempt.graph, &attempt.node, state, Some(fence))];
        let over = if cancelled {
            !graph.nodes.iter().any(|node| matches!(node, Node::Runs { .. }))
        } else {
            graph.nodes.iter().all(|node| matches!(node, Node::Succeeded { .. }))
        };
        let ended = over.then_some(if cancelled { "cancelled" } else { "succeeded" });
        events.extend(ended.map(|state| of_graph(&attempt.graph, state, true)));
        let index = self.commit(events);
        if let Some(state) = ended {
            self.work.graphs[place].timeline.push((index, state.to_owned(), true));
        }
        self.attempt(forager, &attempt, AttemptStep::Confirmed);
        self.attempt(forager, &attempt, AttemptStep::Forgotten);
    }

    fn attempt(&mut self, forager: &str, attempt: &AttemptName, step: AttemptStep) {
        let (forager, attempt) = (forager.to_owned(), attempt.clone());
        self.write("inside", What::Attempt { forager, life: 1, attempt, may_overlap: false, step });
    }

    /// A line in the ledger, if the tool leaves any.
    fn mark(&mut self, place: usize, node: usize, (forager, fence): (&str, u64), event: Mark, exit: Option<i32>) {
        let graph = &self.work.graphs[place];
        if !graph.spec.nodes[node].tool.leaves_marks() {
            return;
        }
        let (graph, node) = (graph.spec.id.clone(), graph.spec.nodes[node].id.clone());
        let (epoch, at, forager) = (self.term, self.now_ms(), forager.to_owned());
        self.history.ledger.push(Line { event, graph, node, index: 0, fence, epoch, forager, at, exit });
    }
}
