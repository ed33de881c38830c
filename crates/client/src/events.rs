//! The event stream: each event once and in order, through the deaths of queens.

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::address::with_query;
use crate::answer::Answer;
use crate::client::Client;
use crate::error::ClientError;
use crate::sse::{Message, Parser};
use crate::transport::Ask;

/// A stream that is silent for longer is broken: a queen says every 5 s that it is alive.
const SILENT: Duration = Duration::from_secs(12);

/// How long a queen may take to begin a stream, and then the next one is asked.
const BEGIN_WITHIN: Duration = Duration::from_secs(1);

/// The pause after all queens were asked in vain.
const ROUND_PAUSE: Duration = Duration::from_millis(200);

/// The longest answer that is no stream.
const MAX_PROBLEM_BYTES: usize = 64 << 10;

/// Something that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedEvent {
    /// The log index of the entry that brought it about.
    pub index: u64,
    /// The document.
    pub document: Value,
}

/// What changes, each event once and in log order.
#[derive(Debug)]
pub struct EventStream {
    client: Client,
    /// After which entry to go on; where the stream began, until it said so.
    since: Option<u64>,
    graph: Option<String>,
    patience: Duration,
    /// The queen to be asked next.
    server: usize,
    connection: Option<Connection>,
    /// Complete entries.
    ready: VecDeque<WatchedEvent>,
}

#[derive(Debug)]
struct Connection {
    body: Incoming,
    parser: Parser,
    /// Events of an entry whose end has not arrived.
    partial: Vec<Value>,
}

impl EventStream {
    pub(crate) fn new(client: Client, since: Option<u64>, graph: Option<String>, patience: Duration) -> Self {
        let server = client.preferred();
        Self { client, since, graph, patience, server, connection: None, ready: VecDeque::new() }
    }

    /// After which entry the stream would go on.
    pub fn position(&self) -> Option<u64> {
        self.since
    }

    /// Waits for the next event. When a queen breaks off, another one goes on.
    ///
    /// # Errors
    /// If no queen can be reached for the client's time-out, or what comes next is gone everywhere (status 410): then
    /// the state must be looked at, and another stream begun.
    pub async fn next(&mut self) -> Result<WatchedEvent, ClientError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(event);
            }
            match self.connection.take() {
                Some(connection) => self.connection = self.read(connection).await,
                None => self.connection = Some(self.connect().await?),
            }
        }
    }

    /// Reads on; nothing if the stream broke.
    async fn read(&mut self, mut connection: Connection) -> Option<Connection> {
        let frame = timeout(SILENT, connection.body.frame()).await.ok()??.ok()?;
        let Ok(bytes) = frame.into_data() else { return Some(connection) };
        for Message { id, data } in connection.parser.take(&bytes).ok()? {
            if let Some(data) = data {
                connection.partial.push(serde_json::from_str(&data).ok()?);
            }
            if let Some(index) = id {
                let index = index.parse().ok()?;
                let complete = connection.partial.drain(..).map(|document| WatchedEvent { index, document });
                self.ready.extend(complete);
                self.since = Some(index);
            }
        }
        Some(connection)
    }

    async fn connect(&mut self) -> Result<Connection, ClientError> {
        let deadline = Instant::now() + self.patience;
        loop {
            let failed = match self.round().await {
                Ok(connection) => return Ok(connection),
                Err(error) => error,
            };
            let is_final = matches!(failed, ClientError::Refused(_));
            if is_final || Instant::now() + ROUND_PAUSE >= deadline {
                return Err(failed);
            }
            sleep(ROUND_PAUSE).await;
        }
    }

    /// Asks each queen once. That the position is gone counts only if no other queen has it.
    async fn round(&mut self) -> Result<Connection, ClientError> {
        let servers = self.client.servers().len();
        let mut failed = ClientError::NoServer;
        for _ in 0..servers {
            let server = self.server % servers;
            self.server = server + 1;
            match timeout(BEGIN_WITHIN, self.open(server)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) if !matches!(failed, ClientError::Refused(_)) => failed = error,
                Err(_) if !matches!(failed, ClientError::Refused(_)) => {
                    failed = ClientError::NoLeader(format!("{} did not begin a stream", self.client.servers()[server]));
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
        Err(failed)
    }

    async fn open(&self, server: usize) -> Result<Connection, ClientError> {
        let server = &self.client.servers()[server];
        let since = self.since.map(|since| since.to_string());
        let ask = Ask::read(with_query("/v1/events", &[("since", since), ("graph", self.graph.clone())]));
        let response = self.client.transport.open(server, &ask).await;
        let response = response.map_err(|no| ClientError::NoLeader(format!("{server}: {}", no.why)))?;
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            return Ok(Connection { body, parser: Parser::default(), partial: Vec::new() });
        }
        let body = http_body_util::Limited::new(body, MAX_PROBLEM_BYTES).collect().await;
        let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let answer = Answer { server: server.clone(), status: parts.status, index: None, body };
        match answer.problem() {
            Some(problem) => Err(ClientError::Refused(problem)),
            None => Err(ClientError::NotUnderstood { server: server.clone(), why: "it began no stream".to_owned() }),
        }
    }
}
