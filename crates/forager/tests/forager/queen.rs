//! A queen that says what a test tells her to, and what tests say often.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Listener, Net, Stream, SystemEnvironment, TcpNetwork};
use antfarm_forager::{
    Forager, ForagerConfig, ForagerHandle, Host, KeeperCommand, ProcessMark, QueenAddress, StartError, Status,
    ToolProgram,
};
use antfarm_model::{CostClass, EffectClass, Epoch, Fence, GraphNo, Incarnation, MemberId, Name, NodeNo};
use antfarm_protocol::{
    Assign, AttemptRef, Cancel, CancelReason, Codec, Confirmed, ForagerMessage, Frame, Heartbeat, HeartbeatAck, Hello,
    JsonText, Outcome, QueenMessage, Recall, TaskResult, Welcome, Work,
};
use antfarm_storage::{Disk, StorageError, SystemDisk};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

const FRAME_BYTES: usize = 4 << 20;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where foragers of a test live.
pub(crate) struct Ground {
    folder: TempDir,
}

/// A queen that waits for foragers.
pub(crate) struct Queen {
    id: MemberId,
    listener: Box<dyn Listener>,
}

/// A session with a forager.
pub(crate) struct Session {
    id: MemberId,
    socket: WebSocketStream<Stream>,
    heard: VecDeque<ForagerMessage>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Kills the keeper of its forager.
    pub(crate) async fn kill_keeper(&self) {
        let keeper = self.keeper();
        antfarm_testkit::kill(keeper);
        is_gone(keeper.cast_unsigned()).await;
    }

    /// The keeper of its forager.
    pub(crate) fn keeper(&self) -> i32 {
        antfarm_testkit::keeper_of(&self.path("data")).expect("there is a keeper")
    }

    pub(crate) fn has_keeper(&self) -> bool {
        antfarm_testkit::keeper_of(&self.path("data")).is_some()
    }

    /// Two slots and a short grace.
    pub(crate) fn config(&self, queens: &[&Queen]) -> ForagerConfig {
        let queens = queens.iter().map(|queen| queen.address()).collect();
        let mut config = ForagerConfig::new(name("f"), queens, self.path("data"));
        config.slots = 2;
        config.kill_grace = "100ms".parse().expect("a length of time");
        config
    }

    /// The same with the tool `t`, a shell script that finds the ground at `$1`.
    pub(crate) fn config_with(&self, queens: &[&Queen], script: &str) -> ForagerConfig {
        std::fs::write(self.path("t"), script).expect("a temporary folder takes everything");
        let command = ["/bin/sh".to_owned(), self.text("t"), self.text("")].to_vec();
        let mut config = self.config(queens);
        config.tools.insert(name("t"), ToolProgram { command });
        config
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// The events in the ledger that `append` wrote.
    pub(crate) fn ledger(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("ledger")).unwrap_or_default();
        text.lines().filter_map(|line| Some(line.split('"').nth(3)?.to_owned())).collect()
    }

    pub(crate) fn append(&self, fence: u64, ms: u64) -> Assign {
        let args = format!("{{\"path\": \"{}\", \"ms\": {ms}}}", self.text("ledger"));
        assign(fence, "append", &args)
    }
}

pub(crate) async fn start(config: ForagerConfig) -> ForagerHandle {
    start_on(Arc::new(SystemDisk), config).await
}

/// This machine, on which the real program is the keeper. It ends with the tests, should one leave it behind.
pub(crate) fn host() -> Host {
    let exit_with = ProcessMark::of(std::process::id());
    let keeper = KeeperCommand { program: antfarm_testkit::binary().to_owned(), exit_with };
    Host::this(keeper).expect("it has booted")
}

/// Starts a forager whose journal and epoch are on this disk.
pub(crate) async fn start_on(disk: Arc<dyn Disk>, config: ForagerConfig) -> ForagerHandle {
    start_at(host(), disk, config).await
}

pub(crate) async fn start_at(host: Host, disk: Arc<dyn Disk>, config: ForagerConfig) -> ForagerHandle {
    let started = async {
        loop {
            let env = Env::new(SystemEnvironment::current());
            let (disk, net) = (Arc::clone(&disk), Net::new(TcpNetwork));
            match Forager::start(env, disk, net, host.clone(), config.clone()).await {
                // A program that another test starts in this moment has this process's locks, too, until it is executed.
                Err(StartError::Storage(StorageError::Locked { .. })) => tokio::task::yield_now().await,
                started => return started.expect("it starts"),
            }
        }
    };
    timeout(PATIENCE, started).await.expect("nobody uses its data folder")
}

/// What happens on it ends with it, and nobody can do anything about it: a process that is killed.
pub(crate) fn another_process() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// Ends another process as SIGKILL would.
pub(crate) async fn kill(process: Runtime) {
    let killed = tokio::task::spawn_blocking(|| process.shutdown_timeout(PATIENCE));
    killed.await.expect("a runtime shuts down");
}

/// Waits until a forager says something of itself.
pub(crate) async fn until(forager: &ForagerHandle, is: impl FnMut(&Status) -> bool) {
    let mut watch = forager.watch();
    let waited = timeout(PATIENCE, watch.wait_for(is)).await;
    waited.unwrap_or_else(|_| panic!("it never came to that: {:?}", forager.status())).expect("it runs");
}

/// Waits until a file has a whole line, and reads it as a process id.
pub(crate) async fn pid_in(path: &Path) -> u32 {
    let read = async {
        loop {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if let Some(pid) = text.strip_suffix('\n').and_then(|line| line.parse().ok()) {
                return pid;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, read).await.expect("the program has written its process id")
}

/// Waits until a process runs no more.
pub(crate) async fn is_gone(pid: u32) {
    let gone = async {
        while is_alive(pid) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.expect("it ends");
}

/// Whether a process runs; one that nobody has reaped does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

pub(crate) fn attempt(fence: u64) -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 0, fence: Fence(fence) }
}

/// Of epoch 3; `append` and `t` are guarded, the others pure.
pub(crate) fn assign(fence: u64, tool: &str, args: &str) -> Assign {
    let effects = if ["append", "t"].contains(&tool) { EffectClass::Guarded } else { EffectClass::Pure };
    let work = Work {
        graph_id: name("g"),
        node_id: name("n"),
        array: false,
        tool: name(tool),
        effects,
        class: CostClass::Io,
        args: JsonText::new(args).expect("JSON"),
        timeout_ms: 60_000,
    };
    Assign {
        epoch: Epoch(3),
        incarnation: Incarnation(3),
        attempt: attempt(fence),
        attempt_number: 1,
        deadline_ms: None,
        work: Arc::new(work),
    }
}

pub(crate) fn cancel(fence: u64) -> Cancel {
    Cancel { epoch: Epoch(3), incarnation: Incarnation(3), attempt: attempt(fence), reason: CancelReason::GraphStopped }
}

pub(crate) fn recall(fences: &[u64]) -> Recall {
    Recall {
        epoch: Epoch(3),
        incarnation: Incarnation(3),
        attempts: fences.iter().map(|fence| attempt(*fence)).collect(),
    }
}

pub(crate) fn confirmed(epoch: u64, fences: &[u64]) -> Confirmed {
    Confirmed { epoch: Epoch(epoch), attempts: fences.iter().map(|fence| attempt(*fence)).collect() }
}

pub(crate) fn succeeded(fence: u64, result: &str) -> ForagerMessage {
    let result = JsonText::new(result).expect("JSON");
    TaskResult { attempt: attempt(fence), outcome: Outcome::Succeeded { result } }.into()
}

pub(crate) fn interrupted(fence: u64) -> ForagerMessage {
    TaskResult { attempt: attempt(fence), outcome: Outcome::Interrupted }.into()
}

impl Queen {
    pub(crate) async fn new(id: u64) -> Self {
        let listener = Net::new(TcpNetwork).listen("127.0.0.1:0").await.expect("loopback has a free port");
        Self { id: MemberId(id), listener }
    }

    pub(crate) fn address(&self) -> QueenAddress {
        self.listener.local_address().parse().expect("an address")
    }

    /// Waits for the next forager to connect.
    pub(crate) async fn session(&mut self) -> Session {
        let (stream, _) =
            timeout(PATIENCE, self.listener.accept()).await.expect("a forager comes").expect("it listens");
        #[expect(clippy::result_large_err, reason = "the library wants it so")]
        let subprotocol = |request: &Request, mut response: Response| {
            let offered = request.headers().get("Sec-WebSocket-Protocol").and_then(|value| value.to_str().ok());
            assert_eq!(offered.and_then(Codec::choose), Some(Codec::Binary));
            assert_eq!(request.uri().path(), "/v1/forager");
            let chosen = HeaderValue::from_static(Codec::Binary.subprotocol());
            response.headers_mut().insert("Sec-WebSocket-Protocol", chosen);
            Ok(response)
        };
        let socket = timeout(PATIENCE, accept_hdr_async(stream, subprotocol)).await.expect("it greets");
        Session { id: self.id, socket: socket.expect("it speaks WebSocket"), heard: VecDeque::new() }
    }

    /// Whether a forager has connected that nobody has greeted yet.
    pub(crate) fn has_visitor(&mut self) -> bool {
        self.listener.accept().now_or_never().is_some()
    }

    /// Waits for a forager, leads in this epoch with a lease of a minute, and says what the forager presented.
    pub(crate) async fn lead(&mut self, epoch: u64) -> (Session, Hello) {
        let mut session = self.session().await;
        session.hello().await;
        let hello = session.lead(epoch, Some(60_000)).await;
        (session, hello)
    }
}

impl Session {
    /// What she says of herself.
    pub(crate) fn welcome(&self) -> Welcome {
        Welcome {
            member: self.id,
            epoch: None,
            leading: false,
            leader: None,
            members: Vec::new(),
            incarnation: None,
            lease_ms: None,
            heartbeat_ms: 50,
        }
    }

    /// Takes the lead, hears what the forager holds, and registers a new process under the epoch as its incarnation.
    pub(crate) async fn lead(&mut self, epoch: u64, lease_ms: Option<u64>) -> Hello {
        let leading = Welcome { epoch: Some(Epoch(epoch)), leading: true, ..self.welcome() };
        self.say([leading.clone()]).await;
        let hello = self.hello().await;
        let incarnation = hello.incarnation.or(Some(Incarnation(epoch)));
        self.say([Welcome { incarnation, lease_ms, ..leading }]).await;
        hello
    }

    pub(crate) async fn say(&mut self, messages: impl IntoIterator<Item = impl Into<QueenMessage>>) {
        let messages: Vec<QueenMessage> = messages.into_iter().map(Into::into).collect();
        for frame in Codec::Binary.encode(&messages, FRAME_BYTES).expect("it is small") {
            let Frame::Binary(bytes) = frame else { panic!("it is binary") };
            self.say_bytes(bytes).await;
        }
    }

    pub(crate) async fn say_bytes(&mut self, bytes: Vec<u8>) {
        // A forager that has ended the session in the meantime does not listen.
        let _ = self.socket.send(Message::Binary(bytes.into())).await;
    }

    /// The next message, whatever it is; none when the session ends.
    pub(crate) async fn next(&mut self) -> Option<ForagerMessage> {
        while self.heard.is_empty() {
            match timeout(PATIENCE, self.socket.next()).await.expect("the forager says something") {
                Some(Ok(Message::Binary(bytes))) => {
                    self.heard.extend(Codec::Binary.decode::<ForagerMessage>(&bytes, FRAME_BYTES).expect("a frame"));
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(other)) => panic!("no forager says {other:?}"),
            }
        }
        self.heard.pop_front()
    }

    /// The next message that is no heartbeat.
    pub(crate) async fn hear(&mut self) -> ForagerMessage {
        loop {
            match self.next().await.expect("the session goes on") {
                ForagerMessage::Heartbeat(_) => {}
                message => return message,
            }
        }
    }

    /// The same, while every heartbeat is answered with a lease in epoch 3.
    pub(crate) async fn hear_granting(&mut self, lease_ms: u64) -> ForagerMessage {
        loop {
            match self.next().await.expect("the session goes on") {
                ForagerMessage::Heartbeat(Heartbeat { sequence, .. }) => {
                    let (epoch, incarnation) = (Some(Epoch(3)), Some(Incarnation(3)));
                    self.say([HeartbeatAck { epoch, incarnation, sequence, lease_ms: Some(lease_ms) }]).await;
                }
                message => return message,
            }
        }
    }

    pub(crate) async fn hello(&mut self) -> Hello {
        match self.hear().await {
            ForagerMessage::Hello(hello) => hello,
            other => panic!("not a hello: {other:?}"),
        }
    }

    /// Waits until the forager has nothing more to say: two heartbeats have come, and nothing else.
    pub(crate) async fn hears_nothing(&mut self) {
        for _ in 0..2 {
            let message = self.next().await.expect("the session goes on");
            assert!(matches!(message, ForagerMessage::Heartbeat(_)), "{message:?}");
        }
    }

    /// Waits until the session has ended.
    pub(crate) async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}
