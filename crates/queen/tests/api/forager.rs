//! A forager that says what a test tells it to.

use std::collections::VecDeque;

use antfarm_env::{Net, Stream};
use antfarm_model::{Epoch, Incarnation, Name};
use antfarm_protocol::{
    Codec, ForagerMessage, Frame, Heartbeat, HeartbeatAck, Hello, Load, QueenMessage, Refused, Welcome,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::cluster::{Cluster, PATIENCE, http};

const FRAME_BYTES: usize = 4 << 20;

/// A session with a queen.
pub(crate) struct Forager {
    socket: WebSocketStream<Stream>,
    heard: VecDeque<QueenMessage>,
    beats: u64,
}

/// What a process says of itself that was never registered. It has one slot and the tool `echo`.
pub(crate) fn hello(name: &str) -> Hello {
    Hello {
        cluster: None,
        name: Name::new(name).expect("a name"),
        process: None,
        former: None,
        incarnation: None,
        epoch_seen: Epoch(0),
        rebooted: false,
        slots: 1,
        class_slots: antfarm_protocol::ClassSlots::default(),
        prefetch: 0,
        tools: vec![Name::new("echo").expect("a name")],
        draining: false,
        running: Vec::new(),
        unstarted: Vec::new(),
        ended: Vec::new(),
    }
}

impl Forager {
    /// Opens a session with the queen that leads.
    pub(crate) async fn connect(cluster: &Cluster) -> Self {
        Self::connect_to(cluster, cluster.leader().await).await
    }

    /// Opens a session with a queen.
    pub(crate) async fn connect_to(cluster: &Cluster, queen: usize) -> Self {
        let address = http(queen);
        let stream = Net::new(cluster.network.clone()).connect(&address).await.expect("a queen listens");
        let mut request = format!("ws://{address}/v1/forager").into_client_request().expect("it is valid");
        let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
        request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await.expect("a queen speaks WebSocket");
        Self { socket, heard: VecDeque::new(), beats: 0 }
    }

    /// Opens a session, says this and is registered; tells under which incarnation.
    pub(crate) async fn registered(cluster: &Cluster, hello: Hello) -> (Self, Incarnation) {
        let mut forager = Self::connect(cluster).await;
        forager.say(hello).await;
        let incarnation = forager.incarnation().await;
        (forager, incarnation)
    }

    pub(crate) async fn say(&mut self, message: impl Into<ForagerMessage>) {
        let frames = Codec::Binary.encode(&[message.into()], FRAME_BYTES).expect("it is small");
        for frame in frames {
            let Frame::Binary(bytes) = frame else { panic!("it is binary") };
            self.socket.send(Message::Binary(bytes.into())).await.expect("the session goes on");
        }
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> QueenMessage {
        while self.heard.is_empty() {
            match timeout(PATIENCE, self.socket.next()).await.expect("the queen says something") {
                Some(Ok(Message::Binary(bytes))) => {
                    self.heard.extend(Codec::Binary.decode::<QueenMessage>(&bytes, FRAME_BYTES).expect("a frame"));
                }
                other => panic!("no message, but {other:?}"),
            }
        }
        self.heard.pop_front().expect("there is one")
    }

    /// Skips messages until one is like this.
    pub(crate) async fn until<T>(&mut self, is: impl Fn(QueenMessage) -> Option<T>) -> T {
        loop {
            if let Some(found) = is(self.next().await) {
                return found;
            }
        }
    }

    /// Waits until it is registered or refused.
    pub(crate) async fn answer(&mut self) -> Result<Incarnation, Refused> {
        loop {
            let message = self.next().await;
            if let QueenMessage::Refused(refused) = message {
                return Err(refused);
            }
            if let QueenMessage::Welcome(Welcome { incarnation: Some(incarnation), .. }) = message {
                return Ok(incarnation);
            }
        }
    }

    /// Waits until it is registered.
    pub(crate) async fn incarnation(&mut self) -> Incarnation {
        match self.answer().await {
            Ok(incarnation) => incarnation,
            Err(refused) => panic!("refused: {}", refused.reason),
        }
    }

    /// Waits until it is told why it is not registered.
    pub(crate) async fn refused(&mut self) -> Refused {
        self.answer().await.expect_err("it is not to be registered")
    }

    /// Sends a heartbeat, and returns its answer with what came before.
    pub(crate) async fn beat(&mut self) -> (HeartbeatAck, Vec<QueenMessage>) {
        self.beats += 1;
        let (sequence, load) = (self.beats, Load { running: 0, load_average_percent: 0 });
        self.say(Heartbeat { epoch_seen: Epoch(0), sequence, load, running_digest: 0 }).await;
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if let QueenMessage::HeartbeatAck(ack) = message {
                assert_eq!(ack.sequence, sequence, "each is answered once");
                return (ack, before);
            }
            before.push(message);
        }
    }
}
