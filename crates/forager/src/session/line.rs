//! Keeps a session with one queen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_planted::{Bug, planted};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::config::QueenAddress;
use crate::session::pump::pump;
use crate::session::socket::{Socket, connect};
use crate::session::{Event, OUTGOING_MESSAGES, SessionNo};

/// The wait before the first new try; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Opening a connection, greeting included, is given up after this.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// A session that lasted this long was a good one: the next try is soon again.
const GOOD_SESSION: Duration = Duration::from_secs(1);

/// What all lines of a forager share.
pub(crate) struct Surroundings {
    /// Clocks, random numbers, tasks.
    pub(crate) env: Env,
    /// The network.
    pub(crate) net: Net,
    /// Where the foreman listens.
    pub(crate) events: mpsc::Sender<Event>,
    /// The largest frame, in bytes.
    pub(crate) frame_bytes: usize,
    /// The number of the next session.
    pub(crate) next: AtomicU64,
    /// Told when lines that wait should try at once.
    pub(crate) hurry: Notify,
}

/// A line to an address. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Line {
    _end: oneshot::Sender<()>,
}

impl Line {
    /// Begins to keep a session with the queen at `address`.
    pub(crate) fn open(address: QueenAddress, around: Arc<Surroundings>) -> Self {
        let (end, ended) = oneshot::channel();
        let env = around.env.clone();
        env.spawn(async move {
            tokio::select! {
                biased;
                _ = ended => {}
                () = around.events.closed() => {}
                () = keep(&address, &around) => {}
            }
        });
        Self { _end: end }
    }
}

/// Opens session after session, each only when the one before is closed.
async fn keep(address: &QueenAddress, around: &Surroundings) {
    let mut wait = FIRST_WAIT;
    loop {
        match tokio::time::timeout(CONNECT_WITHIN, connect(&around.net, address, around.frame_bytes)).await {
            Ok(Ok(socket)) => {
                let opened_at = around.env.monotonic();
                serve(socket, address, around).await;
                if around.env.monotonic().saturating_sub(opened_at) >= GOOD_SESSION {
                    wait = FIRST_WAIT;
                }
            }
            Ok(Err(error)) => tracing::debug!(queen = %address, %error, "no session"),
            Err(_) => tracing::debug!(queen = %address, "no session: the queen does not answer"),
        }
        let jitter = if planted(Bug::NoJitter) { wait / 2 } else { around.env.jitter(wait / 2) };
        // The wait goes on growing: who hurries in vain waits as long as before.
        let _ = tokio::time::timeout(wait / 2 + jitter, around.hurry.notified()).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

async fn serve(socket: Socket, address: &QueenAddress, around: &Surroundings) {
    let session = SessionNo(around.next.fetch_add(1, Ordering::Relaxed));
    let (outgoing, queue) = mpsc::channel(OUTGOING_MESSAGES);
    let opened = Event::Opened { session, address: address.clone(), outgoing };
    if around.events.send(opened).await.is_err() {
        return;
    }
    let why = pump(socket, session, queue, &around.events, around.frame_bytes).await;
    tracing::debug!(queen = %address, %why, "a session has ended");
    // Without a foreman nobody wants to know.
    let _ = around.events.send(Event::Closed { session }).await;
}
