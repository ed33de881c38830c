//! A network in memory between members, each direction of which can be cut, quietly: what is sent is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use antfarm_env::{Listener, Net, Network, Stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::mpsc;

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

const BUFFER_BYTES: usize = 64 << 10;
const WAITING_CONNECTIONS: usize = 16;

/// The network. Clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Switch(Arc<Mutex<Wires>>);

#[derive(Default)]
struct Wires {
    listeners: BTreeMap<String, mpsc::Sender<(Stream, String)>>,
    cut: BTreeSet<(String, String)>,
    muted: BTreeSet<(String, String)>,
    /// Connections that were tried over a cut, by who tried.
    vain: BTreeMap<String, u32>,
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

    /// Mends everything. A connection that has lost something breaks when it is next used.
    pub(crate) fn heal(&self) {
        let mut wires = self.wires();
        wires.cut.clear();
        wires.muted.clear();
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
        while let Ok(count @ 1..) = source.read(&mut buffer).await {
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
