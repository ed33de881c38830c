//! Why an instance is where it is, as the leader sees it.

use antfarm_scheduler::{Instance, InstanceId, Obstacle, explain};
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::Api;
use super::ask::{Asked, Plain};
use super::picture::Place;
use super::problem::Problem;
use super::view::moment;

#[derive(Serialize)]
pub(super) struct ExplanationView {
    id: String,
    state: &'static str,
    /// The reason in one word.
    reason: &'static str,
    /// The reason as a sentence.
    explanation: String,
    /// What would change it, if anything can.
    change: Option<String>,
    /// When the instance expires, if it has not ended.
    deadline: Option<String>,
    /// The first foragers in question, with what stands in the way at each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    foragers: Vec<ObstacleView>,
}

#[derive(Serialize)]
struct ObstacleView {
    name: String,
    obstacle: &'static str,
    /// How long it lasts at most, if that is known.
    left_ms: Option<u64>,
}

/// Of an array node as a whole, the first instance that has not ended is explained.
pub(super) async fn show(
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
    let (liveness, now) = api.hearing().ok_or_else(Problem::no_leader)?;
    let policy = api.shared.config.policy();
    let found = api.shared.replica.read(|state| {
        let explained = explain(state, &liveness, &policy, now, instance)?;
        let (graph, one) = state.instance(instance)?;
        Some((explained, graph.state_of(one)))
    });
    let (explained, state) = found.ok_or_else(|| Problem::not_found("the graph was removed in this moment"))?;
    let foragers = explained.reason.obstacles().into_iter().map(|(name, obstacle)| view(name.to_string(), obstacle));
    Ok(Json(ExplanationView {
        id: picture.name(Place { index: Some(index), ..place }),
        state: state.as_str(),
        reason: explained.reason.code(),
        explanation: explained.to_string(),
        change: explained.change(),
        deadline: explained.deadline.map(moment),
        foragers: foragers.collect(),
    }))
}

fn view(name: String, obstacle: Obstacle) -> ObstacleView {
    ObstacleView { name, obstacle: obstacle.code(), left_ms: obstacle.left().map(|left| left.0) }
}
