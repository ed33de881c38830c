//! A forager's side of a session by hand: any bytes in any frame.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use antfarm_testkit::Queen;
use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::wire;

/// A message comes within this time, or none does.
const MESSAGE_WITHIN: Duration = Duration::from_secs(20);

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;

/// A WebSocket with a queen, upgraded and otherwise untouched.
pub(crate) struct Session(TcpStream);

impl Session {
    /// Opens a session with a subprotocol.
    pub(crate) fn open(queen: &Queen, subprotocol: &str) -> Self {
        let (session, head) = Self::ask(queen, subprotocol);
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        session
    }

    /// Asks for a session with a subprotocol, and returns the head of the answer.
    pub(crate) fn ask(queen: &Queen, subprotocol: &str) -> (Self, String) {
        let mut stream = wire::connect(queen);
        stream.set_read_timeout(Some(MESSAGE_WITHIN)).expect("a timeout can be set");
        let request = format!(
            "GET /v1/forager HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             sec-websocket-protocol: {subprotocol}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("it is read");
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("an answer has a head");
            head.push(byte[0]);
        }
        (Self(stream), String::from_utf8_lossy(&head).into_owned())
    }

    /// Sends bytes that are no frame, or a part of one.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes); // the queen may have closed already, which the test looks at
    }

    /// Sends a text frame.
    pub(crate) fn send_text(&mut self, text: &str) {
        self.send_raw(&frame(TEXT, text.as_bytes()));
    }

    /// Sends a message as a text frame.
    pub(crate) fn say(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Sends a binary frame.
    pub(crate) fn send_binary(&mut self, bytes: &[u8]) {
        self.send_raw(&frame(BINARY, bytes));
    }

    /// Reads messages until one has this type.
    pub(crate) fn hear(&mut self, kind: &str) -> Value {
        self.hear_one(kind).unwrap_or_else(|error| panic!("no {kind} came: {error:#}"))
    }

    fn hear_one(&mut self, kind: &str) -> anyhow::Result<Value> {
        loop {
            let (opcode, payload) = self.read_frame()?;
            ensure!(opcode == TEXT, "a frame of kind {opcode} came");
            let frame: Value = serde_json::from_slice(&payload)?;
            let messages = if let Value::Array(messages) = frame { messages } else { vec![frame] };
            if let Some(message) = messages.into_iter().find(|message| message["type"] == kind) {
                return Ok(message);
            }
        }
    }

    /// Asserts that the queen ends the session within this time, whatever she says before.
    pub(crate) fn ends(mut self, within: Duration) {
        self.0.set_read_timeout(Some(within)).expect("a timeout can be set");
        loop {
            match self.read_frame() {
                Ok((CLOSE, _)) => return,
                Ok(_) => {}
                Err(error) => match error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
                    Some(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                        panic!("the session was not ended within {within:?}")
                    }
                    Some(_) | None => return,
                },
            }
        }
    }

    fn read_frame(&mut self) -> anyhow::Result<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head)?;
        let length = match head[1] {
            126 => {
                let mut length = [0; 2];
                self.0.read_exact(&mut length)?;
                u16::from_be_bytes(length).into()
            }
            127 => {
                let mut length = [0; 8];
                self.0.read_exact(&mut length)?;
                usize::try_from(u64::from_be_bytes(length))?
            }
            128.. => bail!("a queen masks nothing"),
            short => short.into(),
        };
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload).context("the frame broke off")?;
        Ok((head[0] & 0x0f, payload))
    }
}

/// A whole frame as clients send it, masked with zeros.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = frame_head(opcode, payload.len() as u64);
    frame.extend_from_slice(payload);
    frame
}

/// The head of a text frame that says that it has so many bytes.
pub(crate) fn text_head(length: u64) -> Vec<u8> {
    frame_head(TEXT, length)
}

fn frame_head(opcode: u8, length: u64) -> Vec<u8> {
    let mut head = vec![0x80 | opcode, 0x80 | 127];
    head.extend_from_slice(&length.to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    head
}
