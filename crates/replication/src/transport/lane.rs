//! One connection to one peer for one purpose, kept up by a task of its own.
//!
//! Requests are answered in order. A caller that gives up leaves the connection alone: the late answer is dropped. A
//! connection on which nothing is answered for long is opened anew.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_planted::{Bug, planted};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use crate::codec::{self, Kind};
use crate::transport::frame::write_frame;
use crate::transport::hello::{self, Connection, HandshakeError};
use crate::transport::peers::{CallError, Context};
use crate::transport::wire::{Purpose, Request, Response};

/// Calls that wait for the connection's task.
pub(super) const QUEUED: usize = 16;

/// Requests on the way; more wait in the queue.
const OUTSTANDING: usize = 64;

/// A connection attempt that takes longer is given up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection that answers nothing for this long is given up.
const STALLED_AFTER: Duration = Duration::from_secs(3);

/// A write that takes longer breaks the connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// After a failure, calls fail at once for this long, doubled up to the most, and a random part on top.
const BACKOFF_LEAST: Duration = Duration::from_millis(10);
const BACKOFF_MOST: Duration = Duration::from_millis(160);

/// After a refusal, which time alone does not mend.
const BACKOFF_REFUSED: Duration = Duration::from_secs(1);

/// A handle to the connection; cheap to clone.
#[derive(Clone)]
pub(super) struct Lane {
    calls: mpsc::Sender<Call>,
    address: Arc<str>,
}

struct Call {
    body: Vec<u8>,
    answer: oneshot::Sender<Result<Response, CallError>>,
}

impl Lane {
    /// Starts the task; it connects when it is first needed.
    pub(super) fn open(context: Arc<Context>, member: MemberId, address: &str, purpose: Purpose) -> Self {
        let (calls, queue) = mpsc::channel(QUEUED);
        let address: Arc<str> = address.into();
        let tasks = context.tasks.clone();
        let wait = Backoff { until: None, failures: 0 };
        tasks.spawn(LaneTask { context, member, address: address.clone(), purpose, queue, wait }.run());
        Self { calls, address }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Calls that wait.
    pub(super) fn queued(&self) -> usize {
        self.calls.max_capacity() - self.calls.capacity()
    }

    /// Sends a request and waits for its answer. The caller bounds the wait.
    pub(super) async fn call(&self, request: &Request) -> Result<Response, CallError> {
        let permit = self.calls.reserve().await.map_err(|_| CallError::Broken)?;
        let (answer, wait) = oneshot::channel();
        permit.send(Call { body: codec::encode(Kind::Request, request), answer });
        wait.await.unwrap_or(Err(CallError::Broken))
    }
}

struct LaneTask {
    context: Arc<Context>,
    member: MemberId,
    address: Arc<str>,
    purpose: Purpose,
    queue: mpsc::Receiver<Call>,
    wait: Backoff,
}

/// When the next attempt to connect may be made.
struct Backoff {
    until: Option<(Instant, String)>,
    failures: u32,
}

impl LaneTask {
    /// Ends with the last handle.
    async fn run(mut self) {
        while let Some(call) = self.queue.recv().await {
            if call.answer.is_closed() {
                continue;
            }
            match self.connect().await {
                Ok(connection) => self.serve(connection, call).await,
                Err(reason) => {
                    let (member, address) = (self.member, self.address.to_string());
                    let _ = call.answer.send(Err(CallError::Unreachable { member, address, reason }));
                }
            }
        }
    }

    async fn connect(&mut self) -> Result<Connection, String> {
        if let Some((until, reason)) = &self.wait.until
            && Instant::now() < *until
        {
            return Err(reason.clone());
        }
        let error = match timeout(CONNECT_TIMEOUT, self.attempt()).await {
            Ok(Ok(connection)) => {
                if self.wait.failures > 0 {
                    tracing::info!(member = %self.member, address = %self.address, "connected to a peer again");
                }
                self.wait = Backoff { until: None, failures: 0 };
                return Ok(connection);
            }
            Ok(Err(error)) => error,
            Err(_) => HandshakeError::Io(std::io::ErrorKind::TimedOut.into()),
        };
        let reason = error.to_string();
        let wait = self.after(error);
        self.wait.until = Some((Instant::now() + wait + self.context.env.jitter(wait), reason.clone()));
        Err(reason)
    }

    async fn attempt(&self) -> Result<Connection, HandshakeError> {
        let Context { net, identity, disks, frame_bytes, .. } = self.context.as_ref();
        let stream = net.connect(&self.address).await?;
        hello::greet(stream, self.member, self.purpose, identity, disks, *frame_bytes).await
    }

    /// How long to wait after a failure; says so once per series of them.
    fn after(&mut self, error: HandshakeError) -> Duration {
        let first = self.wait.failures == 0;
        self.wait.failures = self.wait.failures.saturating_add(1);
        if first {
            tracing::warn!(member = %self.member, address = %self.address, %error, "no connection to a peer");
        }
        match error {
            HandshakeError::Io(_) => {
                let doubled = BACKOFF_LEAST * 2_u32.saturating_pow(self.wait.failures - 1).min(1 << 10);
                doubled.min(BACKOFF_MOST)
            }
            HandshakeError::Refused(_) => BACKOFF_REFUSED,
            HandshakeError::RefusedByPeer(refusal) => {
                if refusal.is_final() {
                    self.context.refusals.send_replace(Some((self.member, refusal)));
                }
                BACKOFF_REFUSED
            }
        }
    }

    /// Carries calls until the connection breaks; what is unanswered then reads as broken.
    async fn serve(&mut self, connection: Connection, first: Call) {
        let link = self.context.links.open(self.member);
        let Connection { mut reader, mut writer } = connection;
        let mut unanswered = VecDeque::new();
        let mut heard = Instant::now();
        let mut next = Some(first);
        loop {
            if let Some(call) = next.take()
                && !call.answer.is_closed()
            {
                if unanswered.is_empty() {
                    heard = Instant::now();
                }
                match timeout(WRITE_TIMEOUT, write_frame(&mut writer, &call.body)).await {
                    Ok(Ok(())) => unanswered.push_back(call.answer),
                    Ok(Err(_)) => return link.broke(),
                    Err(_) => return,
                }
            }
            tokio::select! {
                biased;
                frame = reader.next() => {
                    let Ok(frame) = frame else { return link.broke() };
                    let Ok(response) = codec::decode(Kind::Response, &frame) else { return };
                    let Some(answer) = unanswered.pop_front() else { return };
                    heard = Instant::now();
                    let _ = answer.send(Ok(response));
                }
                () = sleep_until(heard + STALLED_AFTER), if !unanswered.is_empty() && !planted(Bug::NoDeadline) => return,
                call = self.queue.recv(), if unanswered.len() < OUTSTANDING => match call {
                    Some(call) => next = Some(call),
                    None => return,
                },
            }
        }
    }
}
