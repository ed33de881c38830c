//! Nodes and their instances: list, look.

use antfarm_model::Name;
use antfarm_scheduler::InstanceState;
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::Api;
use super::ask::{Asked, Page, Plain};
use super::picture::{Picture, Place};
use super::problem::Problem;
use super::view::NodeView;

#[derive(Serialize)]
pub(super) struct NodePage {
    nodes: Vec<NodeView>,
    next: Option<String>,
}

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
