//! What somebody decides about an instance whose fate is unknown.

use std::sync::Arc;

use antfarm_model::Fence;
use antfarm_scheduler::{Command, Decision, Reply, Verdict};
use axum::Json;
use axum::extract::{Path, State};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Api;
use super::ask::{Asked, Plain, json};
use super::problem::Problem;
use super::view::NodeView;

/// What somebody decides about an instance whose fate is unknown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ruling {
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

/// The node after the decision.
#[derive(Serialize)]
pub(super) struct DecidedNode {
    /// Whether this request decided; otherwise the same was decided before, and nothing has changed.
    new: bool,
    node: NodeView,
}

/// Texts that are kept with a decision, in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

/// Decides what becomes of an instance in `needs_decision`.
pub(super) async fn post(
    State(api): State<Api>,
    Path((id, node)): Path<(String, String)>,
    _: Asked<Plain>,
    body: Bytes,
) -> Result<Json<DecidedNode>, Problem> {
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
    let reply = api.propose(Command::Decide(decision)).await?;
    let picture = api.picture(&id)?;
    Ok(Json(DecidedNode { new: reply == Reply::Decided { new: true }, node: picture.detailed_node_view(place) }))
}

fn short(name: &str, text: &str, otherwise: &str) -> Result<Arc<str>, Problem> {
    match text.len() {
        0 => Ok(otherwise.into()),
        1..=MAX_TEXT_BYTES => Ok(text.into()),
        long => Err(Problem::bad_request(format!("{name} has {long} bytes; at most {MAX_TEXT_BYTES} are accepted"))),
    }
}
