//! Moves messages between a WebSocket and the foreman.

use std::time::Duration;

use antfarm_protocol::{Codec, DecodeError, EncodeError, ForagerMessage, Frame, MAX_MESSAGES};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::session::socket::Socket;
use crate::session::{Event, SessionNo};

/// A queen answers every heartbeat; one that is silent for this long is not there.
const SILENCE: Duration = Duration::from_secs(30);

/// A queen answers a hello at once, whether she leads or not; one that takes longer can be heard by nobody.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// A farewell that takes longer is left out.
const CLOSE_WITHIN: Duration = Duration::from_millis(500);

/// Why a session ends.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ended {
    /// The queen closed it.
    #[error("the queen closed it")]
    ByQueen,
    /// The foreman closed it, or is gone.
    #[error("it is not wanted any more")]
    ByForeman,
    /// Nothing came for too long.
    #[error("the queen was silent")]
    Silence,
    /// The connection broke.
    #[error(transparent)]
    Socket(#[from] tungstenite::Error),
    /// What came is no frame of a queen.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// What should go is no frame: a bug.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Moves messages until something ends it. Both directions go on by themselves: a full pipe in one does not stop the other.
pub(super) async fn pump(
    socket: Socket,
    session: SessionNo,
    mut queue: mpsc::Receiver<ForagerMessage>,
    events: &mpsc::Sender<Event>,
    frame_bytes: usize,
) -> Ended {
    let (mut sink, mut stream) = socket.split();
    let ended = tokio::select! {
        ended = receive(&mut stream, session, events, frame_bytes) => ended,
        ended = send(&mut sink, &mut queue, frame_bytes) => ended,
    };
    // A farewell is a courtesy.
    let _ = tokio::time::timeout(CLOSE_WITHIN, sink.close()).await;
    ended
}

async fn receive(
    stream: &mut SplitStream<Socket>,
    session: SessionNo,
    events: &mpsc::Sender<Event>,
    frame_bytes: usize,
) -> Ended {
    let mut patience = FIRST_ANSWER;
    loop {
        let frame = match tokio::time::timeout(patience, stream.next()).await {
            Err(_) => return Ended::Silence,
            Ok(None) => return Ended::ByQueen,
            Ok(Some(Err(error))) => return error.into(),
            Ok(Some(Ok(frame))) => frame,
        };
        let messages = match frame {
            Message::Binary(bytes) => match Codec::Binary.decode(&bytes, frame_bytes) {
                Ok(messages) => messages,
                Err(error) => return error.into(),
            },
            Message::Text(text) => match Codec::Json.decode(text.as_bytes(), frame_bytes) {
                Ok(messages) => messages,
                Err(error) => return error.into(),
            },
            Message::Close(_) => return Ended::ByQueen,
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
        };
        patience = SILENCE;
        if events.send(Event::Received { session, messages }).await.is_err() {
            return Ended::ByForeman;
        }
    }
}

async fn send(
    sink: &mut SplitSink<Socket, Message>,
    queue: &mut mpsc::Receiver<ForagerMessage>,
    frame_bytes: usize,
) -> Ended {
    let mut messages = Vec::new();
    while queue.recv_many(&mut messages, MAX_MESSAGES).await > 0 {
        let frames = match Codec::Binary.encode(&messages, frame_bytes) {
            Ok(frames) => frames,
            Err(error) => {
                tracing::error!(%error, "a message was not sent, which is a bug");
                return error.into();
            }
        };
        messages.clear();
        for frame in frames {
            let message = match frame {
                Frame::Binary(bytes) => Message::Binary(bytes.into()),
                Frame::Text(text) => Message::Text(text.into()),
            };
            if let Err(error) = sink.send(message).await {
                return error.into();
            }
        }
    }
    Ended::ByForeman
}
