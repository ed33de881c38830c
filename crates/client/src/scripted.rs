//! Queens that say what a test has them say, on a network in memory.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_env::{Env, Listener, Net, Network, Stream, SystemEnvironment};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::client::Client;

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

const BUFFER_BYTES: usize = 64 << 10;

/// What a queen says to a request, and does then.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    text: String,
    then_closes: bool,
}

/// Queens by address, each with what it says to one connection after the other. Who has nothing more to say refuses.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<Parts>>);

#[derive(Default)]
struct Parts {
    lines: BTreeMap<String, VecDeque<Line>>,
    asked: Vec<String>,
}

impl Line {
    /// An answer that ends.
    pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}connection: close\r\n\r\n{body}");
        Self { text, then_closes: true }
    }

    /// A stream of events that breaks off.
    pub(crate) fn stream(body: &str) -> Self {
        Self { text: format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{body}"), then_closes: true }
    }

    /// The connection stays, and nothing more is said.
    pub(crate) fn then_silence(self) -> Self {
        Self { then_closes: false, ..self }
    }
}

impl Script {
    /// Has a queen say this to its next connection.
    pub(crate) fn say(self, address: &str, line: Line) -> Self {
        self.with(|parts| parts.lines.entry(address.to_owned()).or_default().push_back(line));
        self
    }

    /// A client of the queens `a:1` and `b:1`.
    pub(crate) fn client(&self) -> Client {
        let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(self.clone()));
        let servers = ["a:1".to_owned(), "b:1".to_owned()];
        Client::new(env, net, &servers, None, Duration::from_secs(10)).expect("the addresses are sound")
    }

    /// Each request so far, as `a:1 GET /v1/events?graph=g 7`, where 7 is its `Last-Event-ID`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.with(|parts| parts.asked.clone())
    }

    fn with<T>(&self, f: impl FnOnce(&mut Parts) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn converse(self, address: String, mut far: DuplexStream, line: Line) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let Ok(byte) = far.read_u8().await else { return };
            head.push(char::from(byte));
        }
        let mut asked = address;
        for word in head.split_whitespace().take(2) {
            let _ = write!(asked, " {word}"); // a String takes all
        }
        if let Some((_, rest)) = head.split_once("last-event-id: ") {
            let _ = write!(asked, " {}", rest.split_whitespace().next().unwrap_or_default()); // a String takes all
        }
        self.with(|parts| parts.asked.push(asked));
        let _ = far.write_all(line.text.as_bytes()).await; // the client may have gone
        if !line.then_closes {
            let _ = far.read_u8().await; // until the client goes
        }
    }
}

impl Network for Script {
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream> {
        Box::pin(async move {
            let line = self.with(|parts| parts.lines.get_mut(address)?.pop_front());
            let line = line.ok_or(io::ErrorKind::ConnectionRefused)?;
            let (near, far) = tokio::io::duplex(BUFFER_BYTES);
            Env::new(SystemEnvironment::current()).spawn(self.clone().converse(address.to_owned(), far, line));
            Ok(Box::new(near) as Stream)
        })
    }

    fn listen<'a>(&'a self, _: &'a str) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }
}
