//! What the codecs need to know of the messages that go one way.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Bounded, DecodeError};
use crate::forager_message::{Accept, Cancelled, ForagerMessage, Heartbeat, Hello, Log, Reject, Returned, TaskResult};
use crate::queen_message::{
    Assign, Cancel, Confirmed, HeartbeatAck, LogRequest, QueenMessage, Recall, Refused, Welcome,
};
use crate::wire;
use crate::wire::forager::ForagerMessageV1;
use crate::wire::queen::QueenMessageV1;

/// The messages that go one way. Implemented here only.
pub trait Direction: Serialize + Sized {
    /// The first byte of a binary frame.
    #[doc(hidden)]
    const KIND: u8;

    /// Who sends them.
    #[doc(hidden)]
    const FROM: &'static str;

    /// The type, as it stands in JSON.
    #[doc(hidden)]
    fn type_name(&self) -> &'static str;

    /// Holds all parts to their bounds.
    #[doc(hidden)]
    fn check(&self) -> Result<(), Bounded>;

    /// Reads a JSON message of the type `name`; none if there is no such type.
    #[doc(hidden)]
    fn of_json(name: &str, json: &str) -> Option<serde_json::Result<Self>>;

    /// The frozen binary form of the first messages: of as many as make one range, and how many those are.
    #[doc(hidden)]
    fn to_binary(messages: &[Self]) -> (Vec<u8>, usize);

    /// Reads what `to_binary` wrote, at most `room` messages, from the beginning of `bytes`; says how many bytes it took.
    #[doc(hidden)]
    fn of_binary(bytes: &[u8], room: usize, messages: &mut Vec<Self>) -> Result<usize, DecodeError>;
}

fn read<T: DeserializeOwned + Into<M>, M>(json: &str) -> serde_json::Result<M> {
    serde_json::from_str::<T>(json).map(Into::into)
}

impl Direction for ForagerMessage {
    const KIND: u8 = 1;
    const FROM: &'static str = "forager";

    fn type_name(&self) -> &'static str {
        self.type_name()
    }

    fn check(&self) -> Result<(), Bounded> {
        self.check()
    }

    fn of_json(name: &str, json: &str) -> Option<serde_json::Result<Self>> {
        Some(match name {
            "forager.hello" => read::<Hello, _>(json),
            "forager.heartbeat" => read::<Heartbeat, _>(json),
            "task.accept" => read::<Accept, _>(json),
            "task.reject" => read::<Reject, _>(json),
            "task.result" => read::<TaskResult, _>(json),
            "task.cancelled" => read::<Cancelled, _>(json),
            "task.returned" => read::<Returned, _>(json),
            "task.log" => read::<Log, _>(json),
            _ => return None,
        })
    }

    fn to_binary(messages: &[Self]) -> (Vec<u8>, usize) {
        let (frozen, count) = ForagerMessageV1::of_first(messages);
        (wire::freeze(&frozen), count)
    }

    fn of_binary(bytes: &[u8], room: usize, messages: &mut Vec<Self>) -> Result<usize, DecodeError> {
        let (frozen, consumed) = wire::thaw::<ForagerMessageV1>(bytes)?;
        frozen.thaw(room, messages)?;
        Ok(consumed)
    }
}

impl Direction for QueenMessage {
    const KIND: u8 = 2;
    const FROM: &'static str = "queen";

    fn type_name(&self) -> &'static str {
        self.type_name()
    }

    fn check(&self) -> Result<(), Bounded> {
        self.check()
    }

    fn of_json(name: &str, json: &str) -> Option<serde_json::Result<Self>> {
        Some(match name {
            "queen.welcome" => read::<Welcome, _>(json),
            "queen.heartbeat_ack" => read::<HeartbeatAck, _>(json),
            "task.assign" => read::<Assign, _>(json),
            "task.cancel" => read::<Cancel, _>(json),
            "task.recall" => read::<Recall, _>(json),
            "task.confirmed" => read::<Confirmed, _>(json),
            "task.log_request" => read::<LogRequest, _>(json),
            "queen.refused" => read::<Refused, _>(json),
            _ => return None,
        })
    }

    fn to_binary(messages: &[Self]) -> (Vec<u8>, usize) {
        let (frozen, count) = QueenMessageV1::of_first(messages);
        (wire::freeze(&frozen), count)
    }

    fn of_binary(bytes: &[u8], room: usize, messages: &mut Vec<Self>) -> Result<usize, DecodeError> {
        let (frozen, consumed) = wire::thaw::<QueenMessageV1>(bytes)?;
        frozen.thaw(room, messages)?;
        Ok(consumed)
    }
}
