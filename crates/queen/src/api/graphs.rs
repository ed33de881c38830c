//! Graphs: list, look, wait, cancel, pause, resume, delete.

use std::time::Duration;

use antfarm_model::{GraphNo, Span};
use antfarm_scheduler::{Command, GraphState};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Api;
use super::ask::{Asked, Consistency, Page, Plain};
use super::dated::Dated;
use super::picture::graph_view;
use super::problem::Problem;
use super::view::GraphView;

/// The longest wait for the end of a graph in one request.
pub(super) const MAX_WAIT: Span = Span::from_secs(60);

/// Graphs that are looked at for one page.
const MAX_SEARCHED: usize = 10_000;

#[derive(Serialize)]
pub(super) struct GraphPage {
    graphs: Vec<GraphView>,
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    wait: Option<String>,
    #[serde(default, rename = "consistency")]
    _consistency: Consistency,
}

/// In submission order; `after` is the number of a submission.
pub(super) async fn list(State(api): State<Api>, Asked(page): Asked<Page>) -> Result<Json<GraphPage>, Problem> {
    let limit = page.limit()?;
    let wanted = page.state.as_deref().map(graph_state).transpose()?;
    let after: u64 = match &page.after {
        Some(after) => {
            after.parse().map_err(|_| Problem::bad_request("after must be what the former page said is next"))?
        }
        None => 0,
    };
    let (graphs, next) = api.shared.replica.read(|state| {
        let (mut graphs, mut next, mut searched) = (Vec::new(), None, 0);
        let mut last = None;
        for graph in state.graphs_from(GraphNo(after.saturating_add(1))) {
            if graphs.len() == limit || searched == MAX_SEARCHED {
                next = last;
                break;
            }
            searched += 1;
            last = Some(graph.no.0.to_string());
            if wanted.is_none_or(|wanted| wanted == graph.state()) {
                graphs.push(graph_view(graph));
            }
        }
        (graphs, next)
    });
    Ok(Json(GraphPage { graphs, next }))
}

/// At once, or with `?wait=30s` when it ends or the time is over.
pub(super) async fn show(
    State(api): State<Api>,
    Path(id): Path<String>,
    Asked(query): Asked<Wait>,
) -> Result<Dated<GraphView>, Problem> {
    let picture = api.picture(&id)?;
    if let Some(wait) = query.wait.filter(|_| picture.graph.finished_at.is_none()) {
        api.wait_for_end(picture.graph.no, wait_time(&wait)?).await;
    }
    api.graph_view(&id).await
}

pub(super) async fn cancel(
    state: State<Api>,
    id: Path<String>,
    query: Asked<Plain>,
) -> Result<Dated<GraphView>, Problem> {
    change(state, id, query, |graph| Command::CancelGraph { graph }).await
}

pub(super) async fn pause(
    state: State<Api>,
    id: Path<String>,
    query: Asked<Plain>,
) -> Result<Dated<GraphView>, Problem> {
    change(state, id, query, |graph| Command::PauseGraph { graph }).await
}

pub(super) async fn resume(
    state: State<Api>,
    id: Path<String>,
    query: Asked<Plain>,
) -> Result<Dated<GraphView>, Problem> {
    change(state, id, query, |graph| Command::ResumeGraph { graph }).await
}

/// Removes a graph that has ended; its id stays taken for a while.
pub(super) async fn delete(
    State(api): State<Api>,
    Path(id): Path<String>,
    _: Asked<Plain>,
) -> Result<StatusCode, Problem> {
    let graph = api.graph_number(&id)?;
    let dedupe_window = api.shared.config.retention.dedupe_window;
    api.propose(Command::RemoveGraph { graph, dedupe_window }).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn change(
    State(api): State<Api>,
    Path(id): Path<String>,
    _: Asked<Plain>,
    command: fn(GraphNo) -> Command,
) -> Result<Dated<GraphView>, Problem> {
    let graph = api.graph_number(&id)?;
    api.propose(command(graph)).await?;
    api.graph_view(&id).await
}

impl Api {
    pub(super) async fn graph_view(&self, id: &str) -> Result<Dated<GraphView>, Problem> {
        let picture = self.picture(id)?;
        let at = picture.at;
        Ok(Dated { at, view: self.look(picture, super::picture::Picture::graph_view).await })
    }

    pub(super) fn graph_number(&self, id: &str) -> Result<GraphNo, Problem> {
        let number = self.shared.replica.read(|state| state.graph_named(id).map(|graph| graph.no));
        number.ok_or_else(|| {
            Problem::not_found(format!("there is no graph {id:?}: it was never submitted, or has been removed; `antfarm graph list` shows what is there"))
        })
    }

    async fn wait_for_end(&self, graph: GraphNo, within: Duration) {
        let until_ended = async {
            loop {
                let mut ended = self.shared.events.watch_graph(graph);
                let runs =
                    self.shared.replica.read(|state| state.graph(graph).is_some_and(|one| one.finished_at.is_none()));
                if !runs {
                    return;
                }
                let _ = ended.changed().await; // whatever woke it, the state tells
            }
        };
        let _ = timeout(within, until_ended).await; // the caller looks at the graph either way
    }
}

fn wait_time(text: &str) -> Result<Duration, Problem> {
    let span: Span = text.parse().map_err(|error| Problem::bad_request(format!("wait: {error}")))?;
    Ok(span.min(MAX_WAIT).to_std())
}

fn graph_state(text: &str) -> Result<GraphState, Problem> {
    let states = [
        GraphState::Running,
        GraphState::Paused,
        GraphState::Succeeded,
        GraphState::Failed,
        GraphState::Cancelled,
        GraphState::Expired,
    ];
    let state = states.into_iter().find(|state| state.as_str() == text);
    state.ok_or_else(|| {
        let names: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
        Problem::bad_request(format!("state is {text:?}, and must be one of {}", names.join(", ")))
    })
}
