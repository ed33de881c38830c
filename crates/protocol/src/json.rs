//! JSON frames: a message, or an array of messages, each with a `type`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::bounds::MAX_MESSAGES;
use crate::direction::Direction;
use crate::error::{Bounded, DecodeError};

pub(crate) fn encode<D: Direction>(message: &D) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages hold only what JSON can say")
}

pub(crate) fn decode<D: Direction>(frame: &[u8]) -> Result<Vec<D>, DecodeError> {
    let several = frame.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if several {
        let Messages(messages) = serde_json::from_slice(frame).map_err(|error| invalid(&error))?;
        Bounded::check("messages in a frame", messages.len(), MAX_MESSAGES).map_err(DecodeError::Unbounded)?;
        messages.into_iter().map(|message| one(message.get())).collect()
    } else {
        let message: &RawValue = serde_json::from_slice(frame).map_err(|error| invalid(&error))?;
        Ok(vec![one(message.get())?])
    }
}

fn one<D: Direction>(json: &str) -> Result<D, DecodeError> {
    let Typed { name } = serde_json::from_str(json).map_err(|error| invalid(&error))?;
    match D::of_json(&name, json) {
        Some(message) => message.map_err(|error| DecodeError::Json(format!("{name}: {error}"))),
        None => Err(DecodeError::UnknownType(name.chars().take(64).collect())),
    }
}

fn invalid(error: &serde_json::Error) -> DecodeError {
    DecodeError::Json(error.to_string())
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    name: String,
}

/// The messages of an array, still as text; one more than allowed at most, and what follows is not kept.
struct Messages<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Messages<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MessagesVisitor)
    }
}

struct MessagesVisitor;

impl<'de> Visitor<'de> for MessagesVisitor {
    type Value = Messages<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = elements.next_element()? {
            messages.push(message);
            if messages.len() > MAX_MESSAGES {
                return Err(A::Error::custom(format_args!("a frame has at most {MAX_MESSAGES} messages")));
            }
        }
        Ok(Messages(messages))
    }
}
