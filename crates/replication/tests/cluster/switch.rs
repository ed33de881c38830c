//! A network in memory between members, each direction of which can be cut, quietly: what is sent is lost. A link can
//! also be reset, loudly: its connections break, and new ones are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use antfarm_env::{Listener, Net, Network, Stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::{mpsc, watch};

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

const BUFFER_BYTES: usize = 64 << 10;
const WAITING_CONNECTIONS: usize = 16;
const LISTENER_LOOKED_FOR_EVERY: Duration = Duration::from_millis(1);

/// The network. Clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Switch(Arc<Mutex<Wires>>);

#[derive(Default)]
struct Wires {
    listeners: BTreeMap<String, mpsc::Sender<(Stream, String)>>,
    cut: BTreeSet<(String, String)>,
    muted: BTreeSet<(String, String)>,
    /// Links that reset what is sent over them, as some boxes between networks do.
    reset: BTreeSet<(String, String)>,
    /// Connections that were tried over a cut or a reset link, by who tried.
    vain: BTreeMap<String, u32>,
    /// Rises when links begin to reset.
    resets: watch::Sender<u64>,
    /// Addresses that refuse nobody: a connection waits until somebody listens.
    patient: BTreeSet<String>,
}

impl Switch {
    /// The network as the member at `address` sees it.
    pub(crate) fn at(&self, address: &str) -> Net {
        Net::new(Port { switch: self.clone(), address: address.to_owned() })
    }

    /// Loses everything that is sent from one address to another from now on; connections stay open.
    pub(crate) fn cut(&self, from: &str, to: &str) {
        self.wires().cut.insert((from.to_owned(), to.to_owned()));
    }

    /// Loses everything that is sent from one address to another but the greeting of each connection: a one-way fault
    /// of messages, which leaves connections alive.
    pub(crate) fn mute(&self, from: &str, to: &str) {
        self.wires().muted.insert((from.to_owned(), to.to_owned()));
    }

    /// Breaks all connections between two addresses, and refuses new ones from now on.
    pub(crate) fn reset(&self, one: &str, other: &str) {
        let mut wires = self.wires();
        wires.reset.insert((one.to_owned(), other.to_owned()));
        wires.reset.insert((other.to_owned(), one.to_owned()));
        wires.resets.send_modify(|resets| *resets += 1);
    }

    /// From now on, who connects to an address waits there until somebody listens.
    pub(crate) fn wait_for_listener(&self, address: &str) {
        self.wires().patient.insert(address.to_owned());
    }

    /// Mends everything. A connection that has lost something breaks when it is next used.
    pub(crate) fn heal(&self) {
        let mut wires = self.wires();
        wires.cut.clear();
        wires.muted.clear();
        wires.reset.clear();
    }

    /// How many connections from an address were tried in vain.
    pub(crate) fn vain(&self, from: &str) -> u32 {
        self.wires().vain.get(from).copied().unwrap_or(0)
    }

    fn is_cut(&self, from: &str, to: &str) -> bool {
        self.wires().cut.contains(&(from.to_owned(), to.to_owned()))
    }

    fn is_muted(&self, from: &str, to: &str) -> bool {
        self.wires().muted.contains(&(from.to_owned(), to.to_owned()))
    }

    fn is_reset(&self, from: &str, to: &str) -> bool {
        self.wires().reset.contains(&(from.to_owned(), to.to_owned()))
    }

    fn is_to_wait(&self, address: &str) -> bool {
        let wires = self.wires();
        let listens = wires.listeners.get(address).is_some_and(|listener| !listener.is_closed());
        wires.patient.contains(address) && !listens
    }

    /// Waits until a link resets.
    async fn until_reset(&self, from: &str, to: &str) {
        let mut resets = self.wires().resets.subscribe();
        while !self.is_reset(from, to) {
            resets.changed().await.expect("the network is there as long as its wires");
        }
    }

    fn wires(&self) -> MutexGuard<'_, Wires> {
        self.0.lock().expect("no test panics while it holds this")
    }

    /// Carries bytes in one direction until either end closes.
    async fn carry(
        self,
        from: String,
        to: String,
        mut source: ReadHalf<DuplexStream>,
        mut sink: WriteHalf<DuplexStream>,
    ) {
        let mut buffer = vec![0; BUFFER_BYTES];
        let (mut lost, mut greeted) = (false, false);
        loop {
            let read = tokio::select! {
                biased;
                () = self.until_reset(&from, &to) => break,
                read = source.read(&mut buffer) => read,
            };
            let Ok(count @ 1..) = read else { break };
            if self.is_cut(&from, &to) || (greeted && self.is_muted(&from, &to)) {
                lost = true;
            } else if lost || sink.write_all(&buffer[..count]).await.is_err() {
                break;
            }
            greeted = true;
        }
        let _ = sink.shutdown().await;
    }

    /// Both ends of a new connection.
    fn wire(&self, from: &str, to: &str) -> (Stream, Stream) {
        let (near, near_inside) = duplex(BUFFER_BYTES);
        let (far, far_inside) = duplex(BUFFER_BYTES);
        let (near_reads, near_writes) = split(near_inside);
        let (far_reads, far_writes) = split(far_inside);
        tokio::spawn(self.clone().carry(from.to_owned(), to.to_owned(), near_reads, far_writes));
        tokio::spawn(self.clone().carry(to.to_owned(), from.to_owned(), far_reads, near_writes));
        (Box::new(near), Box::new(far))
    }
}

struct Port {
    switch: Switch,
    address: String,
}

impl Network for Port {
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream> {
        Box::pin(async move {
            if self.switch.is_cut(&self.address, address) || self.switch.is_cut(address, &self.address) {
                *self.switch.wires().vain.entry(self.address.clone()).or_default() += 1;
                return std::future::pending().await;
            }
            if self.switch.is_reset(&self.address, address) {
                *self.switch.wires().vain.entry(self.address.clone()).or_default() += 1;
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            while self.switch.is_to_wait(address) {
                tokio::time::sleep(LISTENER_LOOKED_FOR_EVERY).await;
            }
            let listener = self.switch.wires().listeners.get(address).cloned();
            let listener = listener.ok_or(io::ErrorKind::ConnectionRefused)?;
            let (near, far) = self.switch.wire(&self.address, address);
            let refused = |_| io::Error::from(io::ErrorKind::ConnectionRefused);
            listener.send((far, self.address.clone())).await.map_err(refused)?;
            Ok(near)
        })
    }

    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let (connections, accepted) = mpsc::channel(WAITING_CONNECTIONS);
            self.switch.wires().listeners.insert(address.to_owned(), connections);
            Ok(Box::new(Accepting { accepted, address: address.to_owned() }) as Box<dyn Listener>)
        })
    }
}

struct Accepting {
    accepted: mpsc::Receiver<(Stream, String)>,
    address: String,
}

impl Listener for Accepting {
    fn accept(&mut self) -> Pending<'_, (Stream, String)> {
        Box::pin(async { self.accepted.recv().await.ok_or(io::ErrorKind::BrokenPipe.into()) })
    }

    fn local_address(&self) -> String {
        self.address.clone()
    }
}
