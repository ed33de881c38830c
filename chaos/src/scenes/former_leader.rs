//! S4: a leader that was deposed goes on giving orders, to a forager that knows the next one, or whose process before did.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Listener, Net, Network, Stream};
use antfarm_forager::{Forager, ForagerConfig, ForagerHandle};
use antfarm_model::{CostClass, EffectClass, Epoch, Fence, ForagerNo, GraphNo, Incarnation, MemberId, Name, NodeNo};
use antfarm_protocol::{Assign, AttemptRef, Codec, ForagerMessage, Frame, JsonText, QueenMessage, Welcome, Work};
use antfarm_scheduler::{AttemptId, InstanceId};
use antfarm_storage::MemoryDisk;
use futures_util::{SinkExt, StreamExt};
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::surroundings::{env, host};
use crate::checkers::{Fact, Violation, check_facts};

const PIPE_BYTES: usize = 64 << 10;
const FRAME_BYTES: usize = 4 << 20;

/// Of the leader that the forager knows, and of the one that was deposed.
const KNOWN: Epoch = Epoch(5);
const FORMER: Epoch = Epoch(4);

/// A forager that has said nothing of it by then has not run it.
const PATIENCE: Duration = Duration::from_secs(10);

/// In every other seed the forager's process ends in between.
pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let facts = runtime.expect("a runtime without sockets").block_on(facts(seed, seed % 2 == 1));
    check_facts(&facts)
}

async fn facts(seed: u64, is_restarted: bool) -> Vec<Fact> {
    let (env, disk) = (env(seed), Arc::new(MemoryDisk::new()));
    let (calls, mut called) = mpsc::unbounded_channel();
    let net = Net::new(Switch(calls));
    let mut forager = start(&env, &disk, &net).await;
    let mut session = session(&mut called).await;
    say(&mut session, leads(KNOWN, KNOWN.0)).await;
    let mut watch = forager.watch();
    watch.wait_for(|status| status.epoch_seen == KNOWN).await.expect("it runs");
    let mut facts = vec![Fact::EpochSeen { forager: ForagerNo(0), epoch: KNOWN }];
    if is_restarted {
        forager.stop();
        drop(session);
        forager.wait().await.expect("it was asked to stop");
        forager = start(&env, &disk, &net).await;
        session = self::session(&mut called).await;
    }
    let incarnation = if is_restarted { KNOWN.0 + 1 } else { KNOWN.0 };
    say(&mut session, leads(FORMER, incarnation)).await;
    say(&mut session, vec![order(incarnation).into()]).await;
    if is_run(&mut session).await {
        let instance = InstanceId { graph: GraphNo(1), node: NodeNo(0), index: 0 };
        let attempt = AttemptId { instance, fence: Fence(1) };
        facts.push(Fact::Dispatched { epoch: FORMER, attempt, committed: true });
        facts.push(Fact::Started { forager: ForagerNo(0), epoch: FORMER, attempt, may_overlap: true, at: 0 });
    }
    drop(forager);
    facts
}

async fn start(env: &Env, disk: &Arc<MemoryDisk>, net: &Net) -> ForagerHandle {
    let queen = "queen:7101".parse().expect("a good address");
    let config = ForagerConfig::new(name("f"), vec![queen], "/data");
    let forager = Forager::start(env.clone(), disk.clone(), net.clone(), host(env), config);
    forager.await.expect("a forager starts on its own disk")
}

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

/// What a leader says until a forager is registered.
fn leads(epoch: Epoch, incarnation: u64) -> Vec<QueenMessage> {
    let welcome = |incarnation| Welcome {
        member: MemberId(1),
        epoch: Some(epoch),
        leading: true,
        leader: None,
        members: Vec::new(),
        incarnation,
        lease_ms: None,
        heartbeat_ms: 1_000,
    };
    [None, Some(Incarnation(incarnation))].map(|incarnation| welcome(incarnation).into()).into()
}

/// An order of the former leader: something that takes no time and may be done twice.
fn order(incarnation: u64) -> Assign {
    let work = Work {
        graph_id: name("g"),
        node_id: name("n"),
        array: false,
        tool: name("noop"),
        effects: EffectClass::Pure,
        class: CostClass::Cpu,
        args: JsonText::new("null").expect("it is JSON"),
        timeout_ms: 60_000,
    };
    Assign {
        epoch: FORMER,
        incarnation: Incarnation(incarnation),
        attempt: AttemptRef { graph: GraphNo(1), node: NodeNo(0), index: 0, fence: Fence(1) },
        attempt_number: 1,
        deadline_ms: None,
        work: Arc::new(work),
    }
}

/// Whether the forager says what came of it.
async fn is_run(session: &mut WebSocketStream<Stream>) -> bool {
    let heard = async {
        while let Some(Ok(message)) = session.next().await {
            let messages =
                Codec::Binary.decode::<ForagerMessage>(&message.into_data(), FRAME_BYTES).unwrap_or_default();
            if messages.iter().any(|message| matches!(message, ForagerMessage::Result(_))) {
                return true;
            }
        }
        false
    };
    timeout(PATIENCE, heard).await.unwrap_or(false)
}

async fn say(session: &mut WebSocketStream<Stream>, messages: Vec<QueenMessage>) {
    for frame in Codec::Binary.encode(&messages, FRAME_BYTES).expect("they are small") {
        let message = match frame {
            Frame::Binary(bytes) => Message::Binary(bytes.into()),
            Frame::Text(text) => Message::Text(text.into()),
        };
        session.send(message).await.expect("the forager listens");
    }
}

/// The next session that the forager opens.
async fn session(called: &mut mpsc::UnboundedReceiver<Stream>) -> WebSocketStream<Stream> {
    let stream = called.recv().await.expect("the forager has the network");
    #[expect(clippy::result_large_err, reason = "the library wants it so")]
    let subprotocol = |_: &Request, mut response: Response| {
        let chosen = HeaderValue::from_static(Codec::Binary.subprotocol());
        response.headers_mut().insert("Sec-WebSocket-Protocol", chosen);
        Ok(response)
    };
    accept_hdr_async(stream, subprotocol).await.expect("a forager speaks WebSocket")
}

/// A network whose only other end is the scene.
struct Switch(mpsc::UnboundedSender<Stream>);

impl Network for Switch {
    fn connect<'a>(&'a self, _: &'a str) -> Pin<Box<dyn Future<Output = io::Result<Stream>> + Send + 'a>> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let called = self.0.send(Box::new(theirs)).map_err(|_| io::ErrorKind::ConnectionRefused.into());
        Box::pin(async move { called.map(|()| Box::new(ours) as Stream) })
    }

    fn listen<'a>(&'a self, _: &'a str) -> Pin<Box<dyn Future<Output = io::Result<Box<dyn Listener>>> + Send + 'a>> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }
}
