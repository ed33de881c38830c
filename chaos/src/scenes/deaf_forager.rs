//! L8: a forager talks on and on and reads nothing of what it is answered. The queen keeps a bounded part of that for it.

use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Net;
use antfarm_model::Epoch;
use antfarm_protocol::{Codec, ForagerMessage, Frame, Heartbeat, Load, QueenMessage};
use antfarm_queen::{Queen, QueenConfig, QueenHandle};
use antfarm_replication::SystemRuntime;
use antfarm_storage::{MemoryDisk, MemoryEngine};
use futures_util::{SinkExt, StreamExt};
use tokio::io::DuplexStream;
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::network::visited;
use super::surroundings::env;
use crate::checkers::Violation;

const HTTP: &str = "127.0.0.1:7101";

/// What it says, one heartbeat after the other, in less time than a write to it may take.
const HEARTBEATS: u64 = 4_800;
const BETWEEN: Duration = Duration::from_millis(1);

/// So many answers may be on their way to it: what queue and connection hold, and half as much again.
const MOST_ANSWERS: usize = 3_000;

const FRAME_BYTES: usize = 4 << 20;

/// What was kept comes at once.
const SILENT_FOR: Duration = Duration::from_secs(1);

pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let answers = runtime.expect("a runtime without sockets").block_on(answers(seed));
    if answers > MOST_ANSWERS {
        let what =
            format!("{answers} answers were kept for a forager that read none, and at most {MOST_ANSWERS} may be");
        return Err(Violation::new("L8 bounds", what));
    }
    Ok(())
}

/// How many answers were kept for a forager that read none.
async fn answers(seed: u64) -> usize {
    let (net, forager) = visited(HTTP);
    let queen = leading_queen(seed, net).await;
    let mut session = session(forager).await;
    for sequence in 0..HEARTBEATS {
        if session.send(heartbeat(sequence)).await.is_err() {
            break; // it has been given up, as it should be
        }
        sleep(BETWEEN).await;
    }
    let mut answers = 0;
    while let Ok(Some(Ok(message))) = timeout(SILENT_FOR, session.next()).await {
        let messages = Codec::Binary.decode::<QueenMessage>(&message.into_data(), FRAME_BYTES).unwrap_or_default();
        answers += messages.iter().filter(|message| matches!(message, QueenMessage::HeartbeatAck(_))).count();
    }
    queen.stop().await;
    answers
}

async fn leading_queen(seed: u64, net: Net) -> QueenHandle {
    let text = format!(
        "id = 1\ncluster_id = \"ants\"\ndata_dir = \"/queen\"\nhttp = \"{HTTP}\"\n\
         initial_members = [{{ id = 1, http = \"{HTTP}\", raft = \"127.0.0.1:7201\" }}]\n[raft]\naddress = \"127.0.0.1:7201\"\n"
    );
    let config = QueenConfig::parse(&text, &[]).expect("it is valid");
    let (env, engine, disk) = (env(seed), Arc::new(MemoryEngine::new()), Arc::new(MemoryDisk::new()));
    let queen = Queen::start::<SystemRuntime>(env.clone(), env, engine, disk, net, config);
    let queen = queen.await.expect("a queen starts on an empty disk");
    while !queen.leads() {
        sleep(Duration::from_millis(10)).await;
    }
    queen
}

async fn session(stream: DuplexStream) -> WebSocketStream<DuplexStream> {
    let mut request = format!("ws://{HTTP}/v1/forager").into_client_request().expect("it is an address");
    let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
    request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
    client_async(request, stream).await.expect("she takes foragers").0
}

fn heartbeat(sequence: u64) -> Message {
    let heartbeat = Heartbeat { epoch_seen: Epoch(0), sequence, load: Load::default(), running_digest: 0 };
    let frames = Codec::Binary.encode(&[ForagerMessage::Heartbeat(heartbeat)], FRAME_BYTES).expect("it is small");
    let frame = frames.into_iter().next().expect("one message takes one frame");
    match frame {
        Frame::Binary(bytes) => Message::Binary(bytes.into()),
        Frame::Text(text) => Message::Text(text.into()),
    }
}
