//! Results: of one instance, of an array node, of a graph page by page.

use antfarm_scheduler::InstanceState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::Api;
use super::ask::{Asked, Page, Plain};
use super::picture::{Picture, Place};
use super::problem::Problem;
use super::view::Raw;

/// Results on a page or in a list, in bytes; the first one may be longer.
const MAX_BYTES: usize = 8 << 20;

#[derive(Serialize)]
pub(super) struct ResultPage {
    results: Vec<ResultView>,
    next: Option<String>,
}

#[derive(Serialize)]
struct ResultView {
    id: String,
    result: Raw,
}

/// The result as it is; of an array node as a whole the list by index.
pub(super) async fn show(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
) -> Result<Response, Problem> {
    let picture = api.picture(&id)?;
    let place = picture.place(&node)?;
    let json = api.look(picture, move |picture| result(picture, place)).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}

fn result(picture: &Picture, place: Place) -> Result<String, Problem> {
    let one = |index| {
        let instance = picture.graph.instance(place.node, index);
        let result = instance.and_then(|instance| instance.result());
        result.ok_or_else(|| {
            let state = instance.map_or(InstanceState::Waiting, |instance| picture.graph.state_of(instance));
            let name = picture.name(Place { index: Some(index), ..place });
            Problem::conflict(format!("{name} has no result: it is {state}; `explain` tells why"))
        })
    };
    if let Some(index) = place.index {
        return one(index).map(ToString::to_string);
    }
    let count = picture.graph.shape().instances(place.node);
    let mut list = String::from("[");
    for index in 0..count {
        if index > 0 {
            list.push(',');
        }
        list.push_str(one(index)?);
        if list.len() > MAX_BYTES {
            let limit = MAX_BYTES >> 20;
            return Err(Problem::bad_request(format!(
                "the list has more than {limit} MiB: ask for single instances, or for the graph's results page by page"
            )));
        }
    }
    list.push(']');
    Ok(list)
}

/// All results of a graph in order; `after` is the name of an instance.
pub(super) async fn list(
    State(api): State<Api>,
    Path(id): Path<String>,
    Asked(page): Asked<Page>,
) -> Result<Json<ResultPage>, Problem> {
    let limit = page.limit()?;
    if page.state.is_some() {
        return Err(Problem::bad_request("state cannot be asked for here: only what succeeded has a result"));
    }
    let picture = api.picture(&id)?;
    let after = page.after.as_deref().map(|after| picture.instance_id(after)).transpose()?;
    let after = after.map(|after| (after.node, Some(after.index)));
    let answer = api.look(picture, move |picture| {
        let (mut results, mut bytes, mut next) = (Vec::<ResultView>::new(), 0, None);
        let later =
            picture.instances().filter(|(place, _)| after.is_none_or(|after| (place.node, place.index) > after));
        for (place, instance) in later {
            let Some(result) = instance.result() else { continue };
            if results.len() == limit || (bytes > 0 && bytes + result.len() > MAX_BYTES) {
                next = results.last().map(|last| last.id.clone());
                break;
            }
            bytes += result.len();
            results.push(ResultView { id: picture.name(place), result: Raw(result.clone()) });
        }
        ResultPage { results, next }
    });
    Ok(Json(answer.await))
}
