//! The event stream: each event once and in order, through the deaths of queens.

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

use crate::address::with_query;
use crate::answer::Answer;
use crate::client::Client;
use crate::error::ClientError;
use crate::sse::{Message, Parser};
use crate::transport::Ask;

/// A stream that is silent for longer is broken, be its queen stopped or cut off: a queen says every second that it is
/// alive.
const SILENT: Duration = Duration::from_secs(3);

/// How long a queen may take to begin a stream, and then the next one is asked.
const BEGIN_WITHIN: Duration = Duration::from_secs(1);

/// The pause after all queens were asked in vain, and the least time between two streams.
const ROUND_PAUSE: Duration = Duration::from_millis(200);

/// How long a queen that is not ready is waited for when the others refuse for good: it may have what they have not.
const LAST_HOPE: Duration = Duration::from_secs(5);

/// The longest answer that is no stream.
const MAX_PROBLEM_BYTES: usize = 64 << 10;

/// Events of one entry, at most: a queen keeps no more of all entries together.
const MAX_ENTRY_EVENTS: usize = 65_536;

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
    /// Since when a connection is looked for.
    alone_since: Option<Instant>,
    /// A queen that begins streams only to end them is not asked faster than others.
    ask_from: Instant,
    /// Of complete entries.
    ready: VecDeque<WatchedEvent>,
}

#[derive(Debug)]
struct Connection {
    body: Incoming,
    parser: Parser,
    /// Events of an entry whose end has not arrived.
    partial: Vec<Value>,
    heard_at: Instant,
}

/// No queen began a stream.
struct Fruitless {
    /// What is worth telling of it: a refusal for good, if there was one.
    error: ClientError,
    /// Whether a queen may begin one a little later.
    try_again: bool,
}

impl EventStream {
    /// Gives up when no queen went on for as long as `patience`.
    pub(crate) fn new(client: Client, since: Option<u64>, graph: Option<String>, patience: Duration) -> Self {
        let server = client.preferred();
        let (ask_from, ready) = (Instant::now(), VecDeque::new());
        Self { client, since, graph, patience, server, connection: None, alone_since: None, ask_from, ready }
    }

    /// After which entry the stream would go on.
    pub fn position(&self) -> Option<u64> {
        self.since
    }

    /// Waits for the next event. When a queen breaks off, another one goes on. Safe to drop half-way: nothing is lost.
    ///
    /// # Errors
    /// If no queen can be reached for the client's time-out, or what comes next is gone everywhere (status 410): then
    /// the state must be looked at, and another stream begun.
    pub async fn next(&mut self) -> Result<WatchedEvent, ClientError> {
        loop {
            if let Some(event) = self.pop() {
                return Ok(event);
            }
            self.advance().await?;
        }
    }

    /// The next event that is here.
    pub(crate) fn peek(&self) -> Option<&WatchedEvent> {
        self.ready.front()
    }

    /// Takes the next event that is here.
    pub(crate) fn pop(&mut self) -> Option<WatchedEvent> {
        self.ready.pop_front()
    }

    /// Waits for more to arrive; be it events or only another position. Safe to drop half-way.
    pub(crate) async fn advance(&mut self) -> Result<(), ClientError> {
        let Some(connection) = &mut self.connection else {
            sleep_until(self.ask_from).await;
            self.connection = Some(self.connect().await?);
            (self.alone_since, self.ask_from) = (None, Instant::now() + ROUND_PAUSE);
            return Ok(());
        };
        let Ok(Some(messages)) = timeout_at(connection.heard_at + SILENT, connection.messages()).await else {
            self.connection = None;
            return Ok(());
        };
        for message in messages {
            if self.take(message).is_none() {
                self.connection = None;
                break;
            }
        }
        Ok(())
    }

    /// Nothing if a queen would not have said that.
    fn take(&mut self, Message { id, data }: Message) -> Option<()> {
        let partial = &mut self.connection.as_mut()?.partial;
        if let Some(data) = data {
            partial.push(serde_json::from_str(&data).ok()?);
        }
        if let Some(id) = id {
            let index = id.parse().ok()?;
            let complete = partial.drain(..).map(|document| WatchedEvent { index, document });
            if self.since.is_none_or(|since| index > since) {
                self.ready.extend(complete);
                self.since = Some(index);
            }
        }
        (self.connection.as_ref()?.partial.len() <= MAX_ENTRY_EVENTS).then_some(())
    }

    async fn connect(&mut self) -> Result<Connection, ClientError> {
        let began = *self.alone_since.get_or_insert_with(Instant::now);
        loop {
            let Fruitless { error, try_again } = match self.round().await {
                Ok(connection) => return Ok(connection),
                Err(fruitless) => fruitless,
            };
            let patience = match (is_final(&error), try_again) {
                (true, false) => Duration::ZERO,
                (true, true) => LAST_HOPE.min(self.patience),
                (false, _) => self.patience,
            };
            if began.elapsed() + ROUND_PAUSE >= patience {
                self.alone_since = None;
                return Err(error);
            }
            sleep(ROUND_PAUSE).await;
        }
    }

    /// Asks each queen once.
    async fn round(&mut self) -> Result<Connection, Fruitless> {
        let servers = self.client.servers().len();
        let mut fruitless = Fruitless { error: ClientError::NoServer, try_again: false };
        for _ in 0..servers {
            let server = self.server % servers;
            self.server = server + 1;
            let error = match timeout(BEGIN_WITHIN, self.open(server)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => error,
                Err(_) => ClientError::NoLeader(format!("{} did not begin a stream", self.client.servers()[server])),
            };
            fruitless.try_again |= matches!(error, ClientError::Refused(_)) && !is_final(&error);
            if !is_final(&fruitless.error) {
                fruitless.error = error;
            }
        }
        Err(fruitless)
    }

    async fn open(&self, server: usize) -> Result<Connection, ClientError> {
        let server = &self.client.servers()[server];
        let mut ask = Ask::read(with_query("/v1/events", &[("graph", self.graph.clone())]));
        ask.headers.extend(self.since.map(|since| ("last-event-id", since.to_string())));
        let response = self.client.transport.open(server, &ask).await;
        let response = response.map_err(|no| ClientError::NoLeader(format!("{server}: {}", no.why)))?;
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            let heard_at = Instant::now();
            return Ok(Connection { body, parser: Parser::default(), partial: Vec::new(), heard_at });
        }
        let body = http_body_util::Limited::new(body, MAX_PROBLEM_BYTES).collect().await;
        let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let answer = Answer { server: server.clone(), status: parts.status, index: None, leader: None, body };
        match answer.problem() {
            Some(problem) => Err(ClientError::Refused(problem)),
            None => Err(ClientError::NotUnderstood { server: server.clone(), why: "it began no stream".to_owned() }),
        }
    }
}

impl Connection {
    /// Waits for more; nothing if the stream ended or broke.
    async fn messages(&mut self) -> Option<Vec<Message>> {
        let frame = self.body.frame().await?.ok()?;
        self.heard_at = Instant::now();
        match frame.into_data() {
            Ok(bytes) => self.parser.take(&bytes).ok(),
            Err(_) => Some(Vec::new()), // trailers tell nothing
        }
    }
}

/// A refusal that waiting does not mend: anything but «not ready» and «too many».
fn is_final(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(problem) if !matches!(problem.status, 429 | 503))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Line, Script};

    /// The data of the next events, and their indexes.
    async fn read(stream: &mut EventStream, number: usize) -> Vec<(u64, u64)> {
        let mut read = Vec::new();
        while read.len() < number {
            let event = stream.next().await.expect("the stream goes on");
            read.push((event.index, event.document.as_u64().expect("a number")));
        }
        read
    }

    fn gone() -> Line {
        Line::answer(410, "", r#"{"type": "urn:antfarm:problem:gone", "status": 410}"#)
    }

    fn not_ready() -> Line {
        Line::answer(503, "", r#"{"type": "urn:antfarm:problem:not-ready", "status": 503}"#)
    }

    #[tokio::test(start_paused = true)]
    async fn another_queen_goes_on_after_the_last_whole_entry() {
        let script = Script::default()
            .say("a:1", Line::stream("id: 4\n\nid: 5\ndata: 50\n\ndata: 60\n\n"))
            .say("b:1", Line::stream("id: 5\n\ndata: 60\n\nid: 6\ndata: 61\n\n"));
        let mut stream = script.client().events(Some(4), Some("g"));
        assert_eq!(read(&mut stream, 3).await, [(5, 50), (6, 60), (6, 61)]);
        assert_eq!(script.asked(), ["a:1 GET /v1/events?graph=g 4", "b:1 GET /v1/events?graph=g 5"]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_told_twice_is_given_once() {
        let script = Script::default()
            .say("a:1", Line::stream("id: 5\ndata: 50\n\n"))
            // A queen that is behind says where it is, and tells again what the client has.
            .say("b:1", Line::stream(": alive\nid: 3\n\nid: 4\ndata: 40\n\nid: 5\ndata: 50\n\nid: 6\ndata: 60\n\n"))
            .say("a:1", Line::stream("id: 7\ndata: 70\n\n"));
        let mut stream = script.client().events(Some(4), None);
        assert_eq!(read(&mut stream, 3).await, [(5, 50), (6, 60), (7, 70)]);
        assert_eq!(script.asked(), ["a:1 GET /v1/events 4", "b:1 GET /v1/events 5", "a:1 GET /v1/events 6"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_falls_silent_is_left() {
        let script = Script::default()
            .say("a:1", Line::stream("id: 5\ndata: 50\n\n").then_silence())
            .say("b:1", Line::stream("id: 6\ndata: 60\n\n"));
        let began = Instant::now();
        assert_eq!(read(&mut script.client().events(Some(4), None), 2).await, [(5, 50), (6, 60)]);
        assert!(began.elapsed() <= SILENT + Duration::from_millis(1), "it took {:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_noticed_however_often_the_wait_begins_anew() {
        let script = Script::default()
            .say("a:1", Line::stream("id: 5\n\n").then_silence())
            .say("b:1", Line::stream("id: 6\ndata: 60\n\n"));
        let mut stream = script.client().events(Some(4), None);
        let began = Instant::now();
        let event = loop {
            if let Ok(event) = timeout(SILENT * 2 / 3, stream.next()).await {
                break event.expect("the stream goes on");
            }
        };
        assert_eq!(event.index, 6);
        assert!(began.elapsed() < SILENT * 2, "it took {:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_position_that_one_queen_has_is_not_gone() {
        let script = Script::default().say("a:1", gone()).say("b:1", Line::stream("id: 5\ndata: 50\n\n"));
        assert_eq!(read(&mut script.client().events(Some(4), None), 1).await, [(5, 50)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_position_is_not_gone_while_a_queen_that_may_have_it_is_not_ready() {
        let script = Script::default()
            .say("a:1", gone())
            .say("b:1", not_ready())
            .say("a:1", gone())
            .say("b:1", Line::stream("id: 5\ndata: 50\n\n"));
        assert_eq!(read(&mut script.client().events(Some(4), None), 1).await, [(5, 50)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_position_that_no_queen_has_is_gone() {
        let script = Script::default().say("a:1", gone()).say("b:1", gone());
        let error = script.client().events(Some(4), None).next().await.expect_err("it is gone");
        assert!(matches!(&error, ClientError::Refused(problem) if problem.status == 410), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn without_queens_a_stream_gives_up_in_time() {
        let began = Instant::now();
        let error = Script::default().client().events(Some(4), None).next().await.expect_err("nobody is there");
        assert!(matches!(error, ClientError::NoLeader(_)), "{error}");
        assert!(began.elapsed() <= Duration::from_secs(10), "it took {:?}", began.elapsed());
    }
}
