//! What the end of one instance means for the others: references resolved, successors skipped, retries, failures.

use std::sync::Arc;

use antfarm_model::{Elapsed, Fence, ForagerNo, GraphNo, NodeNo, OnDeadline, OnFailure, RenderError};

use super::step::Step;
use crate::forager::CancelReason;
use crate::graph_record::{GraphPhase, GraphRecord, GraphState};
use crate::index::Timer;
use crate::instance::{Ending, InstanceState};
use crate::instances::{AttemptId, InstanceId, Instances};

impl Step<'_> {
    /// All dependencies of a node are settled: its instances become ready, now or when `not_before` comes.
    pub(super) fn resolve_node(&mut self, graph: GraphNo, node: NodeNo) {
        let Some(shape) = self.shape(graph).filter(|_| self.is_active(graph)) else { return };
        let Some(spec) = shape.node(node) else { return };
        if let Some(moment) = spec.not_before
            && moment > self.wall()
        {
            self.state.index.timers.at_wall(moment, Timer::NotBefore(graph, node));
            return;
        }
        let unusable = self.state.graph(graph).and_then(|graph| unusable_arguments(graph, node));
        let all = Instances { graph, node, start: 0, len: spec.instances() };
        if all.len > 1 && unusable.is_none() && self.set_untouched(all, InstanceState::Ready) {
            return;
        }
        for id in all.iter() {
            if self
                .instance(id)
                .is_none_or(|instance| instance.state != InstanceState::Waiting || instance.held_until.is_some())
            {
                continue;
            }
            match &unusable {
                Some(why) => self.fail(id, Arc::clone(why)),
                None => self.set(id, InstanceState::Ready, None),
            }
        }
    }

    /// An instance has a result.
    pub(super) fn succeed(&mut self, id: InstanceId, result: Arc<str>, attempt: Option<(ForagerNo, Fence)>) {
        if let Some(instance) = self.instance_mut(id) {
            instance.story_mut().text = Some(result);
        }
        self.set(id, InstanceState::Succeeded, attempt);
        self.cancel_open(id, CancelReason::Superseded);
        self.settle(id, true);
        self.finish_graph(id.graph);
    }

    /// An instance will have no result.
    pub(super) fn fail(&mut self, id: InstanceId, why: Arc<str>) {
        if let Some(instance) = self.instance_mut(id) {
            instance.story_mut().text = Some(why);
        }
        self.set(id, InstanceState::Failed, None);
        self.cancel_open(id, CancelReason::Superseded);
        match self.shape(id.graph).map(|shape| shape.graph().on_failure) {
            Some(OnFailure::FailGraph) => self.stop_graph(id.graph, GraphState::Failed, Some(id)),
            Some(OnFailure::Continue) => self.skip_successors(id, false),
            None => {}
        }
        self.finish_graph(id.graph);
    }

    /// The deadline of an instance has passed.
    pub(super) fn expire(&mut self, id: InstanceId) {
        let Some(shape) = self.shape(id.graph) else { return };
        let Some(instance) = self.instance(id) else { return };
        if instance.state.is_final() {
            return;
        }
        let is_attempted = !instance.open.is_empty();
        self.cancel_open(id, CancelReason::Deadline);
        if is_attempted && shape.is_irrevocable(id.node) {
            return; // its own exit, or somebody's decision, says what became of it
        }
        self.set(id, InstanceState::Expired, None);
        match shape.graph().on_deadline {
            OnDeadline::FailGraph => self.stop_graph(id.graph, GraphState::Expired, Some(id)),
            OnDeadline::SkipSuccessors => self.skip_successors(id, false),
            OnDeadline::Continue => {
                self.skip_successors(id, true);
                self.settle(id, false);
            }
        }
        self.finish_graph(id.graph);
    }

    /// An attempt failed by itself: another one after a back-off, or none.
    pub(super) fn fail_attempt(&mut self, id: InstanceId, retryable: bool, why: Arc<str>) {
        let Some(shape) = self.shape(id.graph) else { return };
        let now = self.elapsed();
        let Some(instance) = self.instance_mut(id) else { return };
        let story = instance.story_mut();
        story.losses = 0;
        story.failures += 1;
        let failures = story.failures;
        if retryable && failures <= shape.retries(id.node) {
            let wait = shape.tool(id.node).backoff.after(failures);
            self.hold(id, now.plus(wait));
        } else {
            self.fail(id, why);
        }
    }

    /// Nobody works at the instance any more, but somebody should: ready again, unless its time is over.
    pub(super) fn requeue(&mut self, id: InstanceId) {
        if !self.is_over(id) {
            self.set(id, InstanceState::Ready, None);
            if let Some(instance) = self.instance_mut(id) {
                instance.story_mut().text = None;
            }
        }
    }

    /// Whether it is too late for another attempt; the instance is then brought to its end.
    fn is_over(&mut self, id: InstanceId) -> bool {
        let Some(graph) = self.state.graph(id.graph) else { return true };
        let deadline = graph.shape().node(id.node).and_then(|node| node.deadline);
        if matches!(graph.phase, GraphPhase::Stopped(_)) {
            self.set(id, InstanceState::Cancelled, None);
            self.finish_graph(id.graph);
            true
        } else if deadline.is_some_and(|deadline| deadline <= self.wall()) {
            self.expire(id);
            true
        } else {
            false
        }
    }

    /// Nobody knows whether the instance took effect.
    pub(super) fn need_decision(&mut self, id: InstanceId, why: Arc<str>) {
        if let Some(instance) = self.instance_mut(id) {
            instance.story_mut().text = Some(why);
        }
        self.set(id, InstanceState::NeedsDecision, None);
    }

    fn hold(&mut self, id: InstanceId, until: Elapsed) {
        if self.is_over(id) {
            return;
        }
        self.set(id, InstanceState::Waiting, None);
        if let Some(instance) = self.instance_mut(id) {
            instance.story_mut().held_until = Some(until);
        }
        self.state.index.timers.at_elapsed(until, Timer::Hold(id));
    }

    /// Cancels what is open of an instance.
    fn cancel_open(&mut self, id: InstanceId, reason: CancelReason) {
        let open = self.instance(id).map(|instance| instance.open.clone()).unwrap_or_default();
        for attempt in open {
            let attempt_id = AttemptId { instance: id, fence: attempt.fence };
            self.cancel_attempt(attempt_id, attempt.forager, reason);
        }
    }

    /// An instance no longer holds back those that wait for it; without a result, those that need one stay as they are.
    fn settle(&mut self, id: InstanceId, with_result: bool) {
        let Some(shape) = self.shape(id.graph) else { return };
        let Some(graph) = self.graph_mut(id.graph) else { return };
        let Some(progress) = graph.progress_mut(id.node) else { return };
        progress.unsettled = progress.unsettled.saturating_sub(1);
        let of_all: &[_] = if progress.unsettled == 0 { shape.successors_of_all(id.node) } else { &[] };
        let of_one = shape.successors_of_one(id.node, id.index);
        let mut resolved = Vec::new();
        for successor in of_all.iter().chain(of_one).filter(|successor| with_result || !successor.needs_result) {
            let Some(progress) = graph.progress_mut(successor.node) else { continue };
            progress.unresolved = progress.unresolved.saturating_sub(1);
            if progress.unresolved == 0 && !progress.skipped {
                resolved.push(successor.node);
            }
        }
        for node in resolved {
            self.resolve_node(id.graph, node);
        }
    }

    /// Skips everything that depends on an instance without a result; or only what needs its result.
    fn skip_successors(&mut self, id: InstanceId, only_results: bool) {
        let Some(shape) = self.shape(id.graph) else { return };
        let successors = shape.successors_of_all(id.node).iter().chain(shape.successors_of_one(id.node, id.index));
        let mut skipped: Vec<NodeNo> = successors
            .filter(|successor| successor.needs_result || !only_results)
            .map(|successor| successor.node)
            .collect();
        while let Some(node) = skipped.pop() {
            let Some(graph) = self.graph_mut(id.graph) else { return };
            let Some(progress) = graph.progress_mut(node) else { continue };
            if progress.unresolved == 0 || std::mem::replace(&mut progress.skipped, true) {
                continue; // it was resolved before this, or is skipped already
            }
            let count = shape.instances(node);
            let all = Instances { graph: id.graph, node, start: 0, len: count };
            let at_once = self.set_untouched(all, InstanceState::Skipped);
            for other in all.iter().filter(|_| !at_once) {
                if self.instance(other).is_some_and(|instance| instance.state == InstanceState::Waiting) {
                    self.set(other, InstanceState::Skipped, None);
                }
            }
            skipped.extend(shape.successors_of_all(node).iter().map(|successor| successor.node));
            skipped.extend(
                (0..count).flat_map(|index| shape.successors_of_one(node, index)).map(|successor| successor.node),
            );
        }
    }

    /// What the closing of an attempt says when nothing came back from it.
    pub(super) fn fate_of(ending: Ending) -> &'static str {
        match ending {
            Ending::Interrupted => "its forager's process or lease ended while it ran",
            Ending::Lost => "its forager was lost while it may have run",
            Ending::TimedOut => "it was cancelled because it ran too long",
            Ending::Cancelled => "it was cancelled after it may have taken effect",
            Ending::Succeeded | Ending::Failed(_) | Ending::Rejected(_) | Ending::Returned => "its end is known",
        }
    }
}

/// Why a node's arguments cannot be built from the results that they refer to, if they cannot.
fn unusable_arguments(graph: &GraphRecord, node: NodeNo) -> Option<Arc<str>> {
    if graph.shape().node(node)?.references().len() == 0 {
        return None;
    }
    let name = |node| graph.shape().node(node).map_or("?", |node| node.id);
    let why = match graph.arguments(node).err()? {
        RenderError::MissingPointer { node, pointer, .. } => format!(
            "the result of {} has nothing at {pointer}, which the arguments refer to: look at that result, and mend the reference",
            name(node)
        ),
        RenderError::MissingResult { node, index, .. } => {
            format!("{}[{index}] has no result, which the arguments refer to", name(node))
        }
        RenderError::TooLarge { limit } => {
            format!(
                "with the results that they refer to, the arguments have more than {limit} bytes: refer to smaller parts of them"
            )
        }
    };
    Some(why.into())
}
