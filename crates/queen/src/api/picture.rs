//! A graph at one moment, to be looked at without holding up the state.

use std::collections::BTreeMap;

use antfarm_model::{Dependency, ForagerNo, InstanceName, LogIndex, Name, NodeNo, OnDeadline, OnFailure};
use antfarm_scheduler::{GraphRecord, Instance, InstanceId, InstanceState};

use super::Api;
use super::problem::Problem;
use super::view::{CountsView, GraphView, NodeDetail, NodeView, Raw, TroubleView, hex, moment};

/// Graphs with more instances are looked at on a thread that may be held up.
const MAX_INLINE: u32 = 20_000;

/// Dependencies that are listed.
const MAX_NEEDS: usize = 100;

/// Failed instances that are shown with a graph.
const MAX_TROUBLES: usize = 5;

/// A graph at one moment. Making one costs O(instances / 256).
pub(super) struct Picture {
    pub(super) graph: GraphRecord,
    /// The last entry that it reflects.
    pub(super) at: LogIndex,
    foragers: BTreeMap<ForagerNo, Name>,
}

/// A node of a graph, or one instance of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) node: NodeNo,
    /// Nothing for an array node as a whole.
    pub(super) index: Option<u32>,
}

impl Api {
    /// The graph with that id as it is now.
    pub(super) fn picture(&self, id: &str) -> Result<Picture, Problem> {
        let picture = self.shared.replica.read(|state| {
            let graph = state.graph_named(id)?.clone();
            let foragers = state.foragers().map(|forager| (forager.no, forager.name.clone())).collect();
            Some(Picture { graph, at: state.applied().index, foragers })
        });
        picture.ok_or_else(|| {
            Problem::not_found(format!("there is no graph {id:?}: it was never submitted, or has been removed; `antfarm graph list` shows what is there"))
        })
    }

    /// Looks at a picture, where it does not hold up others.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        picture: Picture,
        f: impl FnOnce(&Picture) -> T + Send + 'static,
    ) -> T {
        if picture.graph.shape().instance_count() <= MAX_INLINE {
            f(&picture)
        } else {
            self.shared.env.blocking(move || f(&picture)).await
        }
    }
}

impl Picture {
    /// What a path names.
    pub(super) fn place(&self, text: &str) -> Result<Place, Problem> {
        let name: InstanceName = text.parse().map_err(|error| Problem::bad_request(format!("{text:?}: {error}")))?;
        let shape = self.graph.shape();
        let graph = &shape.graph().id;
        let node = shape.node_named(name.node.as_str());
        let node = node.ok_or_else(|| {
            Problem::not_found(format!(
                "the graph {graph} has no node {}: `antfarm graph show {graph} --nodes` lists them",
                name.node
            ))
        })?;
        match (shape.node(node).and_then(|spec| spec.array), name.index) {
            (None, None) => Ok(Place { node, index: Some(0) }),
            (None, Some(_)) => Err(Problem::not_found(format!("{} is not an array: leave the index out", name.node))),
            (Some(count), Some(index)) if index >= count => {
                Err(Problem::not_found(format!("{} has {count} instances, from 0: there is no {text}", name.node)))
            }
            (Some(_), index) => Ok(Place { node, index }),
        }
    }

    /// What a path names, which must be one instance.
    pub(super) fn instance_id(&self, text: &str) -> Result<InstanceId, Problem> {
        let place = self.place(text)?;
        match place.index {
            Some(index) => Ok(InstanceId { graph: self.graph.no, node: place.node, index }),
            None => Err(Problem::bad_request(format!("{text} is an array: name one instance, such as {text}[0]"))),
        }
    }

    /// All instances in order.
    pub(super) fn instances(&self) -> impl Iterator<Item = (Place, &Instance)> {
        self.graph.shape().nodes().flat_map(move |(node, spec)| {
            (0..spec.instances())
                .filter_map(move |index| Some((Place { node, index: Some(index) }, self.graph.instance(node, index)?)))
        })
    }

    /// What people call it.
    pub(super) fn name(&self, place: Place) -> String {
        let Some(spec) = self.graph.shape().node(place.node) else { return "?".into() };
        match (spec.array, place.index) {
            (Some(_), Some(index)) => format!("{}[{index}]", spec.id),
            (Some(_) | None, _) => spec.id.to_owned(),
        }
    }

    /// The name of a forager, or its number if it was lost so long ago that it is forgotten.
    pub(super) fn forager(&self, number: ForagerNo) -> String {
        self.foragers.get(&number).map_or_else(|| format!("#{} (forgotten)", number.0), ToString::to_string)
    }

    pub(super) fn node_view(&self, place: Place) -> NodeView {
        let shape = self.graph.shape();
        let spec = shape.node(place.node).expect("a place is made of a node's name");
        let tool = shape.tool(place.node);
        let (state, instances) = self.states(place);
        let instance = place.index.and_then(|index| self.graph.instance(place.node, index));
        let open = instance.and_then(|instance| instance.open.last());
        NodeView {
            graph: shape.graph().id.to_string(),
            id: self.name(place),
            node: spec.id.to_string(),
            index: spec.array.and(place.index),
            tool: spec.tool.to_string(),
            class: tool.class.as_str(),
            effects: tool.effects.as_str(),
            state: state.as_str(),
            instances,
            attempts: instance.map_or(0, |instance| instance.attempts),
            failures: instance.map_or(0, |instance| instance.failures),
            forager: open.map(|open| self.forager(open.forager)),
            fence: open.map(|open| open.fence.0),
            deadline: spec.deadline.map(moment),
            not_before: spec.not_before.map(moment),
            timeout: shape.timeout(place.node).to_string(),
            retries: shape.retries(place.node),
            pin: spec.pin.map(ToString::to_string),
            reason: instance.filter(|one| one.state != InstanceState::Succeeded).and_then(|one| one.text.clone()),
            detail: None,
        }
    }

    /// With arguments and result.
    pub(super) fn detailed_node_view(&self, place: Place) -> NodeView {
        let spec = self.graph.shape().node(place.node).expect("a place is made of a node's name");
        let mut needs: Vec<Dependency> = spec.after().collect();
        needs.extend(spec.references().map(|reference| reference.of));
        needs.sort_unstable();
        needs.dedup();
        let detail = NodeDetail {
            needs: needs.iter().take(MAX_NEEDS).map(|of| self.name(Place { node: of.node, index: of.index })).collect(),
            needs_count: needs.len(),
            args: self.graph.arguments(place.node).ok().map(|args| Raw(args.into())),
            result: place.index.and_then(|index| Some(Raw(self.graph.instance(place.node, index)?.result()?.clone()))),
        };
        NodeView { detail: Some(detail), ..self.node_view(place) }
    }

    /// The state, and for an array node as a whole the number of instances in each.
    fn states(&self, place: Place) -> (InstanceState, Option<CountsView>) {
        let state_of = |index| self.graph.instance(place.node, index).map(|one| self.graph.state_of(one));
        if let Some(index) = place.index {
            return (state_of(index).unwrap_or_default(), None);
        }
        let mut counts = CountsView::default();
        let number = self.graph.shape().instances(place.node);
        (0..number).filter_map(state_of).for_each(|state| counts.count(state));
        let least_far = LEAST_FAR_FIRST.into_iter().find(|state| counts.of(*state) > 0);
        (least_far.unwrap_or_default(), Some(counts))
    }

    pub(super) fn graph_view(&self) -> GraphView {
        let mut view = graph_view(&self.graph);
        if TROUBLED.iter().any(|state| view.nodes.of(*state) > 0) {
            let troubled = self.instances().filter(|(_, one)| TROUBLED.contains(&one.state)).take(MAX_TROUBLES);
            let trouble = |(place, one): (Place, &Instance)| TroubleView {
                id: self.name(place),
                state: one.state.as_str(),
                reason: one.text.clone(),
            };
            view.troubles = troubled.map(trouble).collect();
        }
        view
    }
}

/// What a graph's view tells of.
const TROUBLED: [InstanceState; 3] = [InstanceState::Failed, InstanceState::Expired, InstanceState::NeedsDecision];

/// What an array node shows: what still moves, then what went wrong, then what went well.
const LEAST_FAR_FIRST: [InstanceState; 10] = [
    InstanceState::Running,
    InstanceState::Assigned,
    InstanceState::Ready,
    InstanceState::Waiting,
    InstanceState::NeedsDecision,
    InstanceState::Failed,
    InstanceState::Expired,
    InstanceState::Cancelled,
    InstanceState::Skipped,
    InstanceState::Succeeded,
];

/// A graph without a look at its instances.
pub(super) fn graph_view(graph: &GraphRecord) -> GraphView {
    let spec = graph.shape().graph();
    let (on_failure, on_deadline): (OnFailure, OnDeadline) = (spec.on_failure, spec.on_deadline);
    GraphView {
        id: spec.id.to_string(),
        state: graph.state().as_str(),
        submitted_at: moment(graph.submitted_at),
        finished_at: graph.finished_at.map(|(wall, _)| moment(wall)),
        nodes: CountsView::new(&graph.counts()),
        number: graph.no.0,
        digest: hex(&graph.digest),
        on_failure,
        on_deadline,
        troubles: Vec::new(),
        warnings: Vec::new(),
    }
}
