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

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// Bytes of a request that are read ahead, its head among them.
const MAX_BUFFER_BYTES: usize = 64 << 10;

/// How long answers that are under way may take after the stop.
const FINISH_WITHIN: Duration = Duration::from_secs(1);

/// How long to wait after a connection could not be taken, such as for want of file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Answers until `stop` says so; then finishes what is under way, and returns.
pub(crate) async fn serve(shared: Shared, mut listener: Box<dyn Listener>, mut stop: watch::Receiver<bool>) {
    let env = shared.env.clone();
    let connections = shared.config.limits.connections;
    let router = routes::router(Api::new(shared));
    let permits = Arc::new(Semaphore::new(connections as usize));
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
    let _ = timeout(FINISH_WITHIN * 2, permits.acquire_many(connections)).await; // what is late is cut off
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

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, sleep};

    use super::*;

    /// A conversation over a pipe with a router that answers slowly at `/slow`.
    fn begun() -> (DuplexStream, watch::Sender<bool>, JoinHandle<()>) {
        let (near, far) = tokio::io::duplex(4 << 10);
        let (stop, stopped) = watch::channel(false);
        let slow = get(async || {
            sleep(FINISH_WITHIN * 10).await;
            "late"
        });
        let router = Router::new().route("/", get(async || "here")).route("/slow", slow);
        (near, stop, tokio::spawn(converse(Box::new(far), router, stopped)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_comes_byte_by_byte_does_not_hold_its_connection() {
        let (mut near, _stop, conversation) = begun();
        let began = Instant::now();
        while near.write_all(b"G").await.is_ok() && !conversation.is_finished() {
            sleep(Duration::from_secs(1)).await;
        }
        assert!(began.elapsed() < HEAD_WITHIN * 2, "it was held for {:?}", began.elapsed());
        conversation.await.expect("it does not panic");
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_without_end_is_refused() {
        let (mut near, _stop, conversation) = begun();
        let sent =
            near.write_all(format!("GET / HTTP/1.1\r\nx: {}", "x".repeat(2 * MAX_BUFFER_BYTES)).as_bytes()).await;
        let mut answer = String::new();
        let _ = near.read_to_string(&mut answer).await; // the connection may break before the answer is read
        assert!(sent.is_err() || answer.starts_with("HTTP/1.1 431"), "{answer}");
        conversation.await.expect("it does not panic");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_ends_what_is_idle_at_once_and_what_is_late_in_time() {
        for (path, bound) in [("/", Duration::ZERO), ("/slow", FINISH_WITHIN)] {
            let (mut near, stop, conversation) = begun();
            near.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.expect("it is read");
            sleep(Duration::from_millis(10)).await;
            let began = Instant::now();
            stop.send_replace(true);
            conversation.await.expect("it does not panic");
            assert!(began.elapsed() <= bound + Duration::from_millis(1), "{path} took {:?}", began.elapsed());
        }
    }
}
