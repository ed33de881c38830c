//! Takes connections and speaks HTTP/1.1 on them, each bounded in what it may hold and for how long.

use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Listener, Stream};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::{Api, routes};
use crate::shared::Shared;

/// Connections at the same time; more wait to be taken.
const MAX_CONNECTIONS: u32 = 8_192;

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// Bytes of a request that are read ahead, its head among them.
const MAX_BUFFER_BYTES: usize = 64 << 10;

/// How long answers that are under way may take after the stop.
const FINISH_WITHIN: Duration = Duration::from_secs(1);

/// How long to wait after a connection could not be taken, such as for want of file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Answers until `stop` says so; then finishes what is under way, and returns.
pub(crate) async fn serve(shared: Shared, mut listener: Box<dyn Listener>, mut stop: watch::Receiver<bool>) {
    let env = shared.env.clone();
    let router = routes::router(Api::new(shared));
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
    loop {
        let accepted = async {
            let permit = permits.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let (router, stop) = (router.clone(), stop.clone());
                env.spawn(async move {
                    converse(stream, router, stop).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    drop(listener);
    let _ = timeout(FINISH_WITHIN * 2, permits.acquire_many(MAX_CONNECTIONS)).await; // what is late is cut off
}

async fn converse(stream: Stream, router: Router, mut stop: watch::Receiver<bool>) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke");
            }
            return;
        }
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(FINISH_WITHIN, connection).await; // what is late is cut off
}
