//! The attempts at an instance, and what one of them wrote.

use antfarm_model::Fence;
use antfarm_scheduler::{AttemptId, AttemptTimes, ClosedAttempt, Decided, InstanceId};
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::Api;
use super::ask::{Asked, Plain};
use super::picture::Picture;
use super::problem::Problem;
use super::view::{AttemptView, DecidedView, moment};
use crate::metrics::label;
use crate::sessions::ForagerLog;

#[derive(Serialize)]
pub(super) struct AttemptPage {
    attempts: Vec<AttemptView>,
    /// Those before, which are no longer kept one by one: how many ended in which way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    older: Vec<OlderView>,
}

#[derive(Serialize)]
struct OlderView {
    state: &'static str,
    manner: Option<&'static str>,
    count: u32,
}

/// The attempts of one instance that are remembered, the oldest first.
pub(super) async fn list(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
) -> Result<Json<AttemptPage>, Problem> {
    let picture = api.picture(&id)?;
    let id = picture.instance_id(&node)?;
    let Some(instance) = picture.graph.instance(id.node, id.index) else {
        return Ok(Json(AttemptPage { attempts: Vec::new(), older: Vec::new() }));
    };
    let older = instance.older.as_deref().map(|older| {
        let view = |(ending, count)| OlderView { state: label::ending(ending), manner: label::manner(ending), count };
        older.endings().map(view).collect()
    });
    let mut attempts: Vec<AttemptView> = instance.closed.iter().map(|attempt| closed(&picture, attempt)).collect();
    attempts.extend(api.open_attempts(&picture, id));
    attempts.sort_by_key(|view| view.fence);
    Ok(Json(AttemptPage { attempts, older: older.unwrap_or_default() }))
}

fn closed(picture: &Picture, attempt: &ClosedAttempt) -> AttemptView {
    let AttemptTimes { assigned_at, started_at } = attempt.times;
    AttemptView {
        fence: attempt.fence.0,
        epoch: attempt.epoch.0,
        forager: picture.forager(attempt.forager),
        state: label::ending(attempt.ending),
        manner: label::manner(attempt.ending),
        assigned_at: moment(assigned_at),
        started_at: started_at.map(moment),
        closed_at: Some(moment(attempt.closed_at)),
        message: attempt.message.clone(),
        decided: attempt.decided.as_deref().map(decided),
    }
}

fn decided(decided: &Decided) -> DecidedView {
    let Decided { verdict, by, why, at } = decided;
    DecidedView { verdict: verdict.as_str(), by: by.clone(), why: why.clone(), at: moment(*at) }
}

impl Api {
    fn open_attempts(&self, picture: &Picture, instance: InstanceId) -> Vec<AttemptView> {
        let open = picture.graph.instance(instance.node, instance.index).map(|one| one.open.clone());
        self.shared.replica.read(|state| {
            let view = |open: antfarm_scheduler::OpenAttempt| {
                let attempt = state.forager(open.forager)?.attempt(&AttemptId { instance, fence: open.fence })?;
                Some(AttemptView {
                    fence: open.fence.0,
                    epoch: attempt.epoch.0,
                    forager: picture.forager(open.forager),
                    state: "open",
                    manner: None,
                    assigned_at: moment(attempt.times.assigned_at),
                    started_at: attempt.times.started_at.map(moment),
                    closed_at: None,
                    message: None,
                    decided: None,
                })
            };
            open.into_iter().flatten().filter_map(view).collect()
        })
    }
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
