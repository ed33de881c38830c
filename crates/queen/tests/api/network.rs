//! A network in memory, in which addresses can fall silent or vanish.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_env::{Listener, Network, Stream};
use tokio::sync::mpsc;

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

const BUFFER_BYTES: usize = 64 << 10;
const BACKLOG: usize = 1_024;

/// All addresses of one network. A clone is the same network.
#[derive(Clone, Default)]
pub(crate) struct MemoryNetwork(Arc<Mutex<Addresses>>);

#[derive(Default)]
struct Addresses {
    listeners: BTreeMap<String, mpsc::Sender<Stream>>,
    /// Where connections are taken and nothing is ever answered: what a stopped process looks like.
    silent: BTreeSet<String>,
    /// The far ends of connections to silent addresses.
    held: Vec<Stream>,
}

impl MemoryNetwork {
    /// From now on, new connections to that address are taken and nothing is answered.
    pub(crate) fn silence(&self, address: &str) {
        self.with(|addresses| addresses.silent.insert(address.to_owned()));
    }

    fn with<T>(&self, f: impl FnOnce(&mut Addresses) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Network for MemoryNetwork {
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream> {
        Box::pin(async move {
            let (near, far) = tokio::io::duplex(BUFFER_BYTES);
            let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
            let listener = self.with(|addresses| {
                if addresses.silent.contains(address) {
                    addresses.held.push(Box::new(far));
                    return Ok(None);
                }
                let listener = addresses.listeners.get(address).cloned().ok_or_else(refused)?;
                Ok::<_, io::Error>(Some((listener, far)))
            })?;
            if let Some((listener, far)) = listener {
                listener.send(Box::new(far)).await.map_err(|_| refused())?;
            }
            Ok(Box::new(near) as Stream)
        })
    }

    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let (sender, incoming) = mpsc::channel(BACKLOG);
            self.with(|addresses| addresses.listeners.insert(address.to_owned(), sender));
            Ok(Box::new(MemoryListener { address: address.to_owned(), incoming }) as Box<dyn Listener>)
        })
    }
}

struct MemoryListener {
    address: String,
    incoming: mpsc::Receiver<Stream>,
}

impl Listener for MemoryListener {
    fn accept(&mut self) -> Pending<'_, (Stream, String)> {
        Box::pin(async move {
            let stream = self.incoming.recv().await;
            stream.map(|stream| (stream, "memory".to_owned())).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
        })
    }

    fn local_address(&self) -> String {
        self.address.clone()
    }
}
