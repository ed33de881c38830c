//! HTTP with nothing in between: the interface of one queen, without the client library under test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// A queen on loopback takes a connection within this time, if it runs.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// Between two bytes of an answer, for who does not say otherwise; longer than any wait that tests ask a queen for.
const READ_WITHIN: Duration = Duration::from_secs(30);

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 256 << 20;

/// From the head of an answer to its end.
const BODY_WITHIN: Duration = Duration::from_mins(1);

/// The HTTP interface of one queen.
#[derive(Debug, Clone, Copy)]
pub struct Http {
    address: SocketAddr,
    patience: Duration,
}

/// What a queen answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

impl Http {
    /// The interface at an address.
    pub fn at(address: SocketAddr) -> Self {
        Self { address, patience: READ_WITHIN }
    }

    /// The same for who waits at most so long for a connection, and between two bytes of an answer.
    #[must_use]
    pub fn within(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// `host:port`.
    pub(crate) fn address(self) -> SocketAddr {
        self.address
    }

    /// `http://host:port`.
    pub fn url(self) -> String {
        format!("http://{}", self.address)
    }

    /// GET; an error if nobody answers, whatever the status.
    pub fn get(self, path: &str) -> anyhow::Result<Answer> {
        self.ask("GET", path, "")
    }

    /// POST of a JSON body.
    pub fn post(self, path: &str, body: &str) -> anyhow::Result<Answer> {
        self.ask("POST", path, body)
    }

    /// PUT of a JSON body.
    pub fn put(self, path: &str, body: &str) -> anyhow::Result<Answer> {
        self.ask("PUT", path, body)
    }

    /// DELETE.
    pub fn delete(self, path: &str) -> anyhow::Result<Answer> {
        self.ask("DELETE", path, "")
    }

    fn ask(self, method: &str, path: &str, body: &str) -> anyhow::Result<Answer> {
        let (status, headers, reader) = self.open(method, path, &[], body)?;
        let body = read_body(reader).with_context(|| format!("{method} {path} at {}", self.address))?;
        Ok(Answer { status, headers, body })
    }

    /// Sends a request as HTTP/1.0, so that the body of the answer is simply the rest of the stream.
    pub(crate) fn open(
        self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> anyhow::Result<(u16, BTreeMap<String, String>, BufReader<TcpStream>)> {
        let mut stream = TcpStream::connect_timeout(&self.address, CONNECT_WITHIN.min(self.patience))
            .with_context(|| format!("{} cannot be reached", self.address))?;
        stream.set_read_timeout(Some(self.patience))?;
        let host = self.address;
        let mut request = format!("{method} {path} HTTP/1.0\r\nhost: {host}\r\ncontent-type: application/json\r\n");
        write!(request, "content-length: {}\r\n", body.len())?;
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n")?;
        }
        write!(request, "\r\n{body}")?;
        stream.write_all(request.as_bytes())?;
        let mut reader = BufReader::new(stream);
        let (status, headers) =
            read_head(&mut reader).with_context(|| format!("{method} {path} at {}", self.address))?;
        Ok((status, headers, reader))
    }
}

fn read_head(reader: &mut impl BufRead) -> anyhow::Result<(u16, BTreeMap<String, String>)> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).with_context(|| format!("no status line: {line:?}"))?.parse()?;
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        ensure!(reader.read_line(&mut line)? > 0, "the answer broke off in its head");
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.to_owned()),
            None if line.trim_end().is_empty() => return Ok((status, headers)),
            None => bail!("no header: {line:?}"),
        };
    }
}

/// Reads to the end of the stream, which must come within a time: an event stream, for one, has none.
fn read_body(mut reader: BufReader<TcpStream>) -> anyhow::Result<String> {
    let deadline = Instant::now() + BODY_WITHIN;
    let mut body = Vec::new();
    loop {
        let read = reader.fill_buf().context("the answer broke off")?;
        if read.is_empty() {
            return Ok(String::from_utf8(body)?);
        }
        body.extend_from_slice(read);
        let length = read.len();
        reader.consume(length);
        ensure!(body.len() <= MAX_ANSWER, "the answer has more than {MAX_ANSWER} bytes");
        ensure!(Instant::now() < deadline, "the answer does not end");
    }
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_str(&self.body).with_context(|| format!("status {}, not JSON: {:?}", self.status, self.body))
    }

    /// The body as JSON, if the status says that all is well.
    pub fn ok(&self) -> anyhow::Result<Value> {
        ensure!((200..300).contains(&self.status), "status {}: {}", self.status, self.body);
        if self.body.is_empty() { Ok(Value::Null) } else { self.json() }
    }

    /// The stable end of the `type` of a problem document, such as `no-quorum`; nothing if it is none.
    pub fn problem(&self) -> Option<String> {
        let document = self.json().ok()?;
        let kind = document.get("type")?.as_str()?;
        Some(kind.rsplit(['/', ':']).next().unwrap_or(kind).to_owned())
    }
}
