//! JSON frames: a message, or an array of messages, each with a `type`.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
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
        let mut messages = Messages { read: Vec::new(), refused: None };
        let mut reader = serde_json::Deserializer::from_slice(frame);
        let syntax = (&mut messages).deserialize(&mut reader).and_then(|()| reader.end());
        match (messages.refused, syntax) {
            (Some(refused), _) => Err(refused),
            (None, Err(error)) => Err(invalid(&error)),
            (None, Ok(())) => Ok(messages.read),
        }
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

/// The messages of an array, each read as soon as its end is found; the first one that is refused ends the reading.
struct Messages<D> {
    read: Vec<D>,
    refused: Option<DecodeError>,
}

impl<D: Direction> Messages<D> {
    fn take(&mut self, message: &RawValue) -> Result<(), DecodeError> {
        Bounded::check("messages in a frame", self.read.len() + 1, MAX_MESSAGES).map_err(DecodeError::Unbounded)?;
        self.read.push(one(message.get())?);
        Ok(())
    }
}

impl<'de, D: Direction> DeserializeSeed<'de> for &mut Messages<D> {
    type Value = ();

    fn deserialize<T: Deserializer<'de>>(self, deserializer: T) -> Result<(), T::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, D: Direction> Visitor<'de> for &mut Messages<D> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(message) = elements.next_element()? {
            if let Err(refused) = self.take(message) {
                self.refused = Some(refused);
                return Err(A::Error::custom("a message is refused"));
            }
        }
        Ok(())
    }
}
