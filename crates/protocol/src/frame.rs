//! A frame, closed and while it is being filled.

use crate::bounds::MAX_MESSAGES;
use crate::codec::Codec;
use crate::direction::Direction;
use crate::wire;

/// A frame as the WebSocket carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A text frame.
    Text(String),
    /// A binary frame.
    Binary(Vec<u8>),
}

impl Frame {
    /// The bytes, of either kind.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }

    /// The bytes, of either kind.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

/// A frame that takes encoded messages.
pub(crate) struct OpenFrame {
    codec: Codec,
    bytes: Vec<u8>,
    messages: usize,
}

/// What comes before a message in JSON, and after the last.
const SEPARATOR_BYTES: usize = 1;
const END_BYTES: usize = 1;

impl OpenFrame {
    pub(crate) fn new<D: Direction>(codec: Codec) -> Self {
        let bytes = match codec {
            Codec::Json => Vec::new(),
            Codec::Binary => wire::header::<D>().to_vec(),
        };
        Self { codec, bytes, messages: 0 }
    }

    /// Whether the bytes of so many messages fit in.
    pub(crate) fn takes(&self, message: &[u8], count: usize, limit: usize) -> bool {
        let framing = match self.codec {
            Codec::Json => SEPARATOR_BYTES + END_BYTES,
            Codec::Binary => 0,
        };
        self.messages + count <= MAX_MESSAGES && self.bytes.len() + message.len() + framing <= limit
    }

    pub(crate) fn push(&mut self, message: &[u8], count: usize) {
        if self.codec == Codec::Json {
            self.bytes.push(if self.messages == 0 { b'[' } else { b',' });
        }
        self.bytes.extend_from_slice(message);
        self.messages += count;
    }

    /// The frame, unless it is empty. A single JSON message stands alone, without an array around it.
    pub(crate) fn close(mut self) -> Option<Frame> {
        if self.messages == 0 {
            return None;
        }
        match self.codec {
            Codec::Binary => return Some(Frame::Binary(self.bytes)),
            Codec::Json if self.messages == 1 => {
                self.bytes.remove(0);
            }
            Codec::Json => self.bytes.push(b']'),
        }
        Some(Frame::Text(String::from_utf8(self.bytes).expect("JSON is written as UTF-8")))
    }
}
