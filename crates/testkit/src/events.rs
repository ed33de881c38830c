//! The event stream, read as any SSE client would.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::Http;

/// A stream that tells nothing but that it is alive is read for so long.
const EVENT_WITHIN: Duration = Duration::from_secs(30);

/// An open stream of events. Each event is a JSON document.
#[derive(Debug)]
pub struct Events {
    reader: BufReader<TcpStream>,
    last_id: u64,
}

/// A queen answered, and opened no stream of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoEvents {
    /// The status; 410 when events after that id are not kept there.
    pub status: u16,
    /// The problem document.
    pub problem: String,
}

impl std::fmt::Display for NoEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the event stream was refused with status {}: {}", self.status, self.problem)
    }
}

impl std::error::Error for NoEvents {}

/// A problem document that is read is at most so long, in bytes.
const MAX_PROBLEM: u64 = 64 << 10;

impl Events {
    /// Opens the stream of a queen at what comes after an id. A queen that refuses says so with [`NoEvents`].
    pub fn after(http: Http, id: u64) -> anyhow::Result<Self> {
        Self::open(http, "/v1/events", id)
    }

    /// The same for one graph.
    pub fn of_graph_after(http: Http, graph: &str, id: u64) -> anyhow::Result<Self> {
        Self::open(http, &format!("/v1/events?graph={graph}"), id)
    }

    fn open(http: Http, path: &str, id: u64) -> anyhow::Result<Self> {
        let (status, headers, reader) = http.open("GET", path, &[("last-event-id", &id.to_string())], "")?;
        if status != 200 {
            let mut problem = String::new();
            reader.take(MAX_PROBLEM).read_to_string(&mut problem)?;
            return Err(NoEvents { status, problem }.into());
        }
        let kind = headers.get("content-type").map_or("", String::as_str);
        ensure!(kind.starts_with("text/event-stream"), "no event stream but {kind:?}");
        Ok(Self { reader, last_id: id })
    }

    /// Where a reader that breaks off now goes on later.
    pub fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Reads events up to and with the first that is like this.
    pub fn read_until(&mut self, mut is_last: impl FnMut(&Value) -> bool) -> anyhow::Result<Vec<Value>> {
        let mut read = Vec::new();
        loop {
            let event = self.next_event()?;
            let last = is_last(&event);
            read.push(event);
            if last {
                return Ok(read);
            }
        }
    }

    /// Waits for the next event. Its entry is read to its end when [`Events::last_id`] is its index.
    pub fn next_event(&mut self) -> anyhow::Result<Value> {
        let mut text = String::new();
        let deadline = Instant::now() + EVENT_WITHIN;
        loop {
            ensure!(Instant::now() < deadline, "no event came in {EVENT_WITHIN:?}, and the stream goes on");
            let mut line = String::new();
            ensure!(self.reader.read_line(&mut line).context("no event comes")? > 0, "the event stream ended");
            let line = line.trim_end_matches(['\r', '\n']);
            match line.split_once(": ") {
                Some(("id", id)) => self.last_id = id.parse()?,
                Some(("data", part)) => text.push_str(part),
                None if line.is_empty() && !text.is_empty() => break,
                Some(_) | None => {} // a comment that keeps the connection alive, or a field of no use here
            }
        }
        serde_json::from_str(&text).with_context(|| format!("no JSON: {text}"))
    }
}
