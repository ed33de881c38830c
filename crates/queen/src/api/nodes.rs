//! Nodes and their instances: list, look, explain, attempts, logs, decide.

use std::sync::Arc;

use antfarm_model::{Fence, Name};
use antfarm_scheduler::{
    AttemptId, Command, Decision, Explanation, Instance, InstanceId, InstanceState, Verdict, explain,
};
use axum::Json;
use axum::extract::{Path, State};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Api;
use super::ask::{Asked, Page, Plain, json};
use super::picture::{Picture, Place};
use super::problem::Problem;
use super::view::{AttemptView, NodeView, moment};
use crate::metrics::label;
use crate::sessions::ForagerLog;

#[derive(Serialize)]
pub(super) struct NodePage {
    nodes: Vec<NodeView>,
    next: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ExplanationView {
    id: String,
    state: &'static str,
    kind: &'static str,
    explanation: String,
}

#[derive(Serialize)]
pub(super) struct AttemptPage {
    attempts: Vec<AttemptView>,
}

/// What somebody decides about an instance whose fate is unknown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ruling {
    verdict: Word,
    fence: u64,
    #[serde(default)]
    assume_ended: bool,
    result: Option<Box<RawValue>>,
    #[serde(default)]
    by: String,
    #[serde(default)]
    why: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Retry,
    Succeed,
    Fail,
}

/// Texts that are kept with a decision, in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

/// In submission order; with `?state=` single instances, else array nodes as a whole.
pub(super) async fn list(
    State(api): State<Api>,
    Path(id): Path<String>,
    Asked(page): Asked<Page>,
) -> Result<Json<NodePage>, Problem> {
    let limit = page.limit()?;
    let wanted = page.state.as_deref().map(instance_state).transpose()?;
    let picture = api.picture(&id)?;
    let after = page.after.as_deref().map(|after| picture.place(after)).transpose()?;
    let (nodes, next) = api
        .look(picture, move |picture| {
            let after = after.map(key);
            let mut places: Box<dyn Iterator<Item = Place>> = match wanted {
                Some(state) => Box::new(in_state(picture, state)),
                None => Box::new(
                    picture
                        .graph
                        .shape()
                        .nodes()
                        .map(|(node, spec)| Place { node, index: if spec.array.is_some() { None } else { Some(0) } }),
                ),
            };
            let mut places = places.as_mut().filter(|place| after.is_none_or(|after| key(*place) > after));
            let shown: Vec<Place> = places.by_ref().take(limit).collect();
            let next = places.next().and(shown.last()).map(|last| picture.name(*last));
            (shown.into_iter().map(|place| picture.node_view(place)).collect(), next)
        })
        .await;
    Ok(Json(NodePage { nodes, next }))
}

fn in_state(picture: &Picture, state: InstanceState) -> impl Iterator<Item = Place> {
    picture.instances().filter(move |(_, one)| picture.graph.state_of(one) == state).map(|(place, _)| place)
}

/// The order of places: an array node as a whole comes after its instances.
fn key(place: Place) -> (u32, u32) {
    (place.node.0, place.index.unwrap_or(u32::MAX))
}

pub(super) async fn show(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
) -> Result<Json<NodeView>, Problem> {
    let picture = api.picture(&id)?;
    let place = picture.place(&node)?;
    Ok(Json(api.look(picture, move |picture| picture.detailed_node_view(place)).await))
}

/// Of an array node as a whole, the first instance that has not ended is explained.
pub(super) async fn explanation(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
) -> Result<Json<ExplanationView>, Problem> {
    let picture = api.picture(&id)?;
    let place = picture.place(&node)?;
    let graph = picture.graph.no;
    let index = place.index.unwrap_or_else(|| {
        let unended = |(_, one): &(u32, &Instance)| !picture.graph.state_of(one).is_final();
        let instances = (0..).map_while(|index| Some((index, picture.graph.instance(place.node, index)?)));
        instances.into_iter().find(unended).map_or(0, |(index, _)| index)
    });
    let instance = InstanceId { graph, node: place.node, index };
    let hearing = api.shared.hearing.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let (liveness, now) = hearing.ok_or_else(Problem::no_leader)?;
    let found = api.shared.replica.read(|state| {
        let explained = explain(state, &liveness, now, instance)?;
        let (graph, one) = state.instance(instance)?;
        Some((explained, graph.state_of(one)))
    });
    let (explained, state) = found.ok_or_else(|| Problem::not_found("the graph was removed in this moment"))?;
    let id = picture.name(Place { index: Some(index), ..place });
    Ok(Json(ExplanationView { id, state: state.as_str(), kind: kind(&explained), explanation: explained.to_string() }))
}

const fn kind(explanation: &Explanation) -> &'static str {
    match explanation {
        Explanation::WaitsFor(..) => "waits_for",
        Explanation::NotBefore(_) => "not_before",
        Explanation::HeldBack { .. } => "held_back",
        Explanation::Paused => "paused",
        Explanation::NoForagerWithTool(_) => "no_forager_with_tool",
        Explanation::PinNotMet(..) => "pin_not_met",
        Explanation::NoFreeSlot(..) => "no_free_slot",
        Explanation::InQueue(_) => "in_queue",
        Explanation::AboutToBeAssigned => "about_to_be_assigned",
        Explanation::Assigned(_) => "assigned",
        Explanation::Runs(_) => "runs",
        Explanation::ForagerSilent(_) => "forager_silent",
        Explanation::Over(..) => "over",
        Explanation::NeedsDecision(..) => "needs_decision",
    }
}

/// The attempts of one instance that are remembered, the oldest first.
pub(super) async fn attempts(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
) -> Result<Json<AttemptPage>, Problem> {
    let picture = api.picture(&id)?;
    let instance = picture.instance_id(&node)?;
    let instance = picture.graph.instance(instance.node, instance.index);
    Ok(Json(AttemptPage { attempts: instance.map(|one| attempt_views(&picture, one)).unwrap_or_default() }))
}

fn attempt_views(picture: &Picture, instance: &Instance) -> Vec<AttemptView> {
    let closed = instance.closed.iter().map(|attempt| AttemptView {
        fence: attempt.fence.0,
        forager: picture.forager(attempt.forager),
        state: label::ending(attempt.ending),
        manner: label::manner(attempt.ending),
        closed_at: Some(moment(attempt.closed_at)),
        message: attempt.message.clone(),
    });
    let open = instance.open.iter().map(|attempt| AttemptView {
        fence: attempt.fence.0,
        forager: picture.forager(attempt.forager),
        state: "open",
        manner: None,
        closed_at: None,
        message: None,
    });
    let mut views: Vec<AttemptView> = closed.chain(open).collect();
    views.sort_by_key(|view| view.fence);
    views
}

/// The end of an attempt's standard error, from its forager.
pub(super) async fn log(
    State(api): State<Api>,
    Path((id, node, fence)): Path<(String, String, u64)>,
    _: Asked<Plain>,
) -> Result<String, Problem> {
    let picture = api.picture(&id)?;
    let id = picture.instance_id(&node)?;
    let instance = picture.graph.instance(id.node, id.index);
    let forager = instance.and_then(|one| {
        let open = one.open.iter().find(|attempt| attempt.fence.0 == fence).map(|attempt| attempt.forager);
        open.or_else(|| one.closed.iter().find(|attempt| attempt.fence.0 == fence).map(|attempt| attempt.forager))
    });
    let unknown =
        || Problem::not_found(format!("{node} has no attempt {fence} that is remembered: look at its attempts"));
    let forager = forager.ok_or_else(unknown)?;
    let name = picture.forager(forager);
    drop(picture);
    match api.shared.sessions.forager_log(forager, AttemptId { instance: id, fence: Fence(fence) }).await {
        ForagerLog::Kept(text) => Ok(text.as_ref().to_owned()),
        ForagerLog::NotKept => Err(Problem::not_found(format!(
            "the forager {name} has no log of attempt {fence}: its program wrote nothing to standard error, or so long \
             ago that the logs of later attempts took its place"
        ))),
        ForagerLog::NotConnected => Err(Problem::not_found(format!(
            "the forager {name} has the log of attempt {fence}, and it is not connected: start it, or wait until it is back"
        ))),
    }
}

/// Decides what becomes of an instance in `needs_decision`.
pub(super) async fn decide(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
    body: Bytes,
) -> Result<Json<NodeView>, Problem> {
    let ruling: Ruling = json(&body)?;
    let picture = api.picture(&id)?;
    let (place, instance) = (picture.place(&node)?, picture.instance_id(&node)?);
    drop(picture);
    let verdict = match (ruling.verdict, ruling.result) {
        (Word::Retry, None) => Verdict::Retry { assume_ended: ruling.assume_ended },
        (Word::Fail, None) => Verdict::Fail,
        (Word::Succeed, result) => {
            let result = result.as_deref().map_or("null", RawValue::get);
            let limit = api.shared.config.limits.result_bytes;
            if result.len() as u64 > limit.0 {
                return Err(Problem::bad_request(format!(
                    "result has {} bytes; at most {limit} are accepted",
                    result.len()
                )));
            }
            Verdict::Succeed { result: result.into() }
        }
        (Word::Retry | Word::Fail, Some(_)) => {
            return Err(Problem::bad_request("a result belongs to the verdict succeed only"));
        }
    };
    let decision = Decision {
        instance,
        fence: Fence(ruling.fence),
        verdict,
        by: short("by", &ruling.by, "somebody")?,
        why: short("why", &ruling.why, "no reason was given")?,
    };
    api.propose(Command::Decide(decision)).await?;
    let picture = api.picture(&id)?;
    Ok(Json(picture.detailed_node_view(place)))
}

fn short(name: &str, text: &str, otherwise: &str) -> Result<Arc<str>, Problem> {
    match text.len() {
        0 => Ok(otherwise.into()),
        1..=MAX_TEXT_BYTES => Ok(text.into()),
        long => Err(Problem::bad_request(format!("{name} has {long} bytes; at most {MAX_TEXT_BYTES} are accepted"))),
    }
}

fn instance_state(text: &str) -> Result<InstanceState, Problem> {
    InstanceState::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| {
        let names = InstanceState::ALL.map(InstanceState::as_str).join(", ");
        Problem::bad_request(format!("state is {text:?}, and must be one of {names}"))
    })
}

/// The name in a path as the state machine knows it.
pub(super) fn path_name(text: &str) -> Result<Name, Problem> {
    Name::new(text).map_err(|error| Problem::bad_request(format!("{text:?}: {error}")))
}
