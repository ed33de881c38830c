//! The WebSocket of one session.

use std::time::Duration;

use antfarm_protocol::{Codec, ForagerMessage, Frame, QueenMessage};
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;

use super::{Heard, SessionId};
use crate::shared::Shared;

/// Bounds a write to a peer that does not read.
const WRITE_TIME: Duration = Duration::from_secs(5);

/// A forager that says nothing at all for so many heartbeats is gone, whatever its connection looks like.
const SILENT_HEARTBEATS: u32 = 10;

/// So much is read at a time. Each session keeps as much, and every read first fills it with zeros, however little comes.
const READ_BUFFER_BYTES: usize = 16 << 10;

/// Batches that go into one write when several wait.
const MAX_BATCHES: usize = 64;

/// Turns an HTTP connection into a session.
pub(crate) fn upgrade(shared: Shared, upgrade: WebSocketUpgrade) -> Response {
    let bytes = shared.config.limits.limits().frame_bytes as usize;
    let upgrade = upgrade.read_buffer_size(READ_BUFFER_BYTES).max_message_size(bytes).max_frame_size(bytes);
    let upgrade = upgrade.protocols(Codec::ALL.map(Codec::subprotocol));
    let codec = upgrade
        .selected_protocol()
        .and_then(|chosen| chosen.to_str().ok())
        .and_then(Codec::choose)
        .unwrap_or(Codec::Json);
    // The session is a task of this queen's, whoever brings the socket.
    upgrade.on_upgrade(async move |socket| shared.env.clone().spawn(carry(shared, socket, codec, bytes)))
}

/// Carries messages both ways until either side ends.
async fn carry(shared: Shared, socket: WebSocket, codec: Codec, bytes: usize) {
    let (id, outbox, unsent) = shared.sessions.open();
    if shared.sessions.heard.send(Heard::Opened(id, outbox)).await.is_err() {
        return;
    }
    let (sink, stream) = socket.split();
    tokio::select! {
        () = hear(&shared, id, stream, codec, bytes) => {}
        () = tell(sink, unsent, codec, bytes) => {}
    }
    let _ = shared.sessions.heard.send(Heard::Closed(id)).await; // without an office nobody minds
}

async fn hear(shared: &Shared, id: SessionId, mut stream: SplitStream<WebSocket>, codec: Codec, bytes: usize) {
    let patience = shared.config.lease.heartbeat.to_std() * SILENT_HEARTBEATS;
    while let Ok(Some(Ok(message))) = tokio::time::timeout(patience, stream.next()).await {
        let frame = match &message {
            Message::Text(text) => text.as_bytes(),
            Message::Binary(binary) => binary.as_ref(),
            Message::Ping(_) | Message::Pong(_) => continue,
            Message::Close(_) => return,
        };
        match codec.decode::<ForagerMessage>(frame, bytes) {
            Ok(messages) => {
                if !shared.sessions.say(id, messages, frame.len()).await {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a forager sent a frame that cannot be read; its session is closed");
                return;
            }
        }
    }
}

async fn tell(
    mut sink: SplitSink<WebSocket, Message>,
    mut unsent: mpsc::Receiver<Vec<QueenMessage>>,
    codec: Codec,
    bytes: usize,
) {
    let mut batches = Vec::new();
    while unsent.recv_many(&mut batches, MAX_BATCHES).await > 0 {
        let messages: Vec<QueenMessage> = batches.drain(..).flatten().collect();
        let frames = match codec.encode(&messages, bytes) {
            Ok(frames) => frames,
            Err(error) => {
                tracing::error!(%error, "a message to a forager cannot be sent; its session is closed");
                return;
            }
        };
        for frame in frames {
            let message = match frame {
                Frame::Text(text) => Message::text(text),
                Frame::Binary(binary) => Message::binary(binary),
            };
            if !matches!(tokio::time::timeout(WRITE_TIME, sink.send(message)).await, Ok(Ok(()))) {
                return;
            }
        }
    }
    let frame = CloseFrame { code: close_code::NORMAL, reason: "".into() };
    let _ = tokio::time::timeout(WRITE_TIME, sink.send(Message::Close(Some(frame)))).await; // it is closed either way
}
