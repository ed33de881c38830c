//! Is it alive, is it ready, what does it count.

use std::time::Duration;

use antfarm_replication::Leadership;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use tokio::time::timeout;

use super::Api;
use super::problem::{Kind, Problem};

/// How long a queen that is a little behind may take to catch up.
const CATCH_UP_WITHIN: Duration = Duration::from_secs(1);

/// Alive.
pub(super) async fn alive() -> &'static str {
    "alive\n"
}

/// Knows a leader, and has applied what was committed when asked.
pub(super) async fn ready(State(api): State<Api>) -> Result<&'static str, Problem> {
    let not_ready = |detail: String| Problem::new(Kind::NotReady, detail);
    let replica = &api.shared.replica;
    let leads = match *replica.leadership().borrow() {
        Leadership::Leading { .. } => true,
        Leadership::Following { leader: Some(_) } if api.is_in_touch() => false,
        Leadership::Following { leader: Some(_) } => {
            return Err(not_ready("this queen has not heard the leader for a while".into()));
        }
        Leadership::Following { leader: None } if !api.is_member() => {
            return Err(not_ready(format!(
                "this queen is no member of the cluster yet: `antfarm cluster add --id {} --http {} --raft {}` adds it",
                api.shared.config.id,
                api.shared.config.advertised_http(),
                api.shared.config.advertised_raft(),
            )));
        }
        Leadership::Following { leader: None } => {
            return Err(not_ready("this queen knows no leader: an election is under way, or no majority runs".into()));
        }
    };
    if leads && !api.may_commit() {
        return Err(not_ready("this queen leads, but no majority has answered it for a while".into()));
    }
    let committed = replica.status().commit_index;
    let mut applied = replica.applied();
    let caught_up = timeout(CATCH_UP_WITHIN, applied.wait_for(|applied| *applied >= committed)).await.is_ok();
    if caught_up {
        Ok("ready\n")
    } else {
        let applied = replica.read(|state| state.applied().index);
        Err(not_ready(format!("this queen has applied {applied} of {committed} committed entries: it is catching up")))
    }
}

impl Api {
    /// Whether this queen is a member, or one of those that the cluster begins with.
    fn is_member(&self) -> bool {
        let joins = !self.shared.config.join.is_empty();
        !joins || self.shared.replica.status().members.contains_key(&self.shared.config.id)
    }
}

/// Prometheus' text format.
pub(super) async fn metrics(State(api): State<Api>) -> impl IntoResponse {
    let shared = &api.shared;
    let (snapshot, indexes) = shared.replica.read(|state| (state.snapshot(), state.index_bytes()));
    let state_bytes = shared.env.blocking(move || snapshot.bytes()).await + indexes;
    let text = shared.metrics.render(&shared.replica, shared.log.as_ref(), state_bytes);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
