//! The HTTP API: what clients, dashboards and scrapers ask of any queen.
//!
//! `leader.rs` lets the leader answer wherever the request came in; `routes.rs` lists what there is; each of the other
//! files answers for one kind of thing. Every «no» is a [`Problem`](problem::Problem).

mod ask;
mod attempts;
mod body;
mod cluster;
mod dated;
mod decide;
mod digest;
mod events;
mod explain;
mod foragers;
mod forward;
#[cfg(test)]
mod fuzz;
mod graphs;
mod health;
mod leader;
mod members;
mod nodes;
mod peers;
mod picture;
mod problem;
mod propose;
mod refusal;
mod results;
mod routes;
mod server;
mod submit;
mod tools;
mod view;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::shared::Shared;

pub(crate) use server::serve;

/// Bodies that may be held in memory at the same time, in KiB; more requests with bodies are refused.
const MAX_BODIES_KIB: usize = 256 << 10;

/// Graphs beyond the size that is read at once, which may be read at the same time: each value of a text takes some forty
/// bytes while it is, and a text has millions.
const MAX_LARGE_GRAPHS: usize = 1;

/// Graphs in parts that may be on their way into the log at the same time: each queen keeps each of them until it is
/// submitted, as it came and as it was read.
const MAX_UPLOADS: usize = 2;

/// Event streams that may be open at the same time; more are refused.
const MAX_EVENT_STREAMS: usize = 1_024;

/// What every handler is given. A clone is the same API.
#[derive(Clone)]
struct Api {
    shared: Shared,
    bodies: Arc<Semaphore>,
    large_graphs: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    event_streams: Arc<Semaphore>,
    digest: Arc<digest::Digest>,
}

impl Api {
    fn new(shared: Shared) -> Self {
        Self {
            shared,
            bodies: Arc::new(Semaphore::new(MAX_BODIES_KIB)),
            large_graphs: Arc::new(Semaphore::new(MAX_LARGE_GRAPHS)),
            uploads: Arc::new(Semaphore::new(MAX_UPLOADS)),
            event_streams: Arc::new(Semaphore::new(MAX_EVENT_STREAMS)),
            digest: Arc::default(),
        }
    }
}
