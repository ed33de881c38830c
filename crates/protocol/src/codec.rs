//! The two encodings, chosen by the WebSocket subprotocol.

use crate::bounds::LARGEST_FRAME_BYTES;
use crate::direction::Direction;
use crate::error::{DecodeError, EncodeError};
use crate::forager_message::ForagerMessage;
use crate::frame::{Frame, OpenFrame};
use crate::queen_message::QueenMessage;
use crate::{json, wire};

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Codec {
    /// `antfarm.v1.json`: a message, or an array of messages, as a text frame.
    Json,
    /// `antfarm.v1.bin`: `[kind u8][version u16, little endian]`, then messages in bincode, as a binary frame.
    Binary,
}

/// What goes one way: [`ForagerMessage`] or [`QueenMessage`].
pub trait Message: Direction {}

impl Message for ForagerMessage {}
impl Message for QueenMessage {}

impl Codec {
    /// Both, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Binary, Self::Json];

    /// The name of the WebSocket subprotocol.
    pub const fn subprotocol(self) -> &'static str {
        match self {
            Self::Json => "antfarm.v1.json",
            Self::Binary => "antfarm.v1.bin",
        }
    }

    /// The preferred codec among those that a `Sec-WebSocket-Protocol` header names, separated by commas.
    pub fn choose(offered: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| offered.split(',').any(|name| name.trim() == codec.subprotocol()))
    }

    /// Puts messages, in order, into as few frames of at most `max_bytes` as they need.
    pub fn encode<M: Message>(self, messages: &[M], max_bytes: usize) -> Result<Vec<Frame>, EncodeError> {
        let limit = max_bytes.min(LARGEST_FRAME_BYTES);
        let mut frames = Vec::new();
        let mut open = OpenFrame::new::<M>(self);
        for message in messages {
            let kind = message.type_name();
            message.check().map_err(|bounded| EncodeError::Unbounded { kind, bounded })?;
        }
        let mut rest = messages;
        while let Some(message) = rest.first() {
            let (bytes, count) = match self {
                Self::Json => (json::encode(message), 1),
                Self::Binary => M::to_binary(rest),
            };
            if !open.takes(&bytes, count, limit) {
                frames.extend(std::mem::replace(&mut open, OpenFrame::new::<M>(self)).close());
            }
            if !open.takes(&bytes, count, limit) {
                return Err(EncodeError::TooLarge { kind: message.type_name(), bytes: bytes.len(), limit });
            }
            open.push(&bytes, count);
            rest = &rest[count..];
        }
        frames.extend(open.close());
        Ok(frames)
    }

    /// Reads a frame of at most `max_bytes`: all its messages, or none of them.
    pub fn decode<M: Message>(self, frame: &[u8], max_bytes: usize) -> Result<Vec<M>, DecodeError> {
        let limit = max_bytes.min(LARGEST_FRAME_BYTES);
        if frame.len() > limit {
            return Err(DecodeError::TooLarge { bytes: frame.len(), limit });
        }
        let messages: Vec<M> = match self {
            Self::Json => json::decode(frame)?,
            Self::Binary => wire::decode(frame)?,
        };
        messages.iter().try_for_each(M::check).map_err(DecodeError::Unbounded)?;
        Ok(messages)
    }
}
