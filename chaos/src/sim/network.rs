//! The simulated network: streams between hosts over links that can be cut, slow or lossy in one direction or both.
//!
//! Streams are what TCP gives: bytes in order, late, or none at all. What is sent over a link that is cut waits as if it
//! were sent again and again; when the link heals it arrives, or the connection has been given up meanwhile.

mod fabric;
mod link;
mod pipe;
mod stream;

use std::future::Future;
use std::io;
use std::pin::Pin;

use antfarm_env::{Listener, Net, Network, Stream};
use tokio::sync::mpsc;

pub(super) use fabric::{Counts, Fabric};
pub(super) use link::Weather;

/// A machine on the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Host(pub(super) u16);

impl Host {
    /// The address of a port.
    pub(super) fn address(self, port: u16) -> String {
        format!("10.0.0.{}:{port}", self.0)
    }

    /// Whose address that is.
    fn of(address: &str) -> Option<Self> {
        let (host, _) = address.split_once(':')?;
        host.strip_prefix("10.0.0.")?.parse().ok().map(Self)
    }
}

/// Connections that wait to be taken; more are refused.
const BACKLOG: usize = 256;

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// The network as a host sees it.
pub(super) fn net(fabric: &Fabric, host: Host) -> Net {
    Net::new(View { fabric: fabric.clone(), host })
}

struct View {
    fabric: Fabric,
    host: Host,
}

impl Network for View {
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream> {
        Box::pin(async move {
            let to = Host::of(address).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
            while !self.fabric.reaches(self.host, to) {
                tokio::time::sleep(fabric::SYN_AGAIN).await;
            }
            tokio::time::sleep(self.fabric.round_trip(self.host, to)).await;
            self.fabric.connect(self.host, to, address).map(|stream| Box::new(stream) as Stream)
        })
    }

    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            let (sender, incoming) = mpsc::channel(BACKLOG);
            self.fabric.listen(address, sender);
            Ok(Box::new(Accepting { address: address.to_owned(), incoming }) as Box<dyn Listener>)
        })
    }
}

struct Accepting {
    address: String,
    incoming: mpsc::Receiver<(Stream, String)>,
}

impl Listener for Accepting {
    fn accept(&mut self) -> Pending<'_, (Stream, String)> {
        Box::pin(async move { self.incoming.recv().await.ok_or_else(|| io::ErrorKind::BrokenPipe.into()) })
    }

    fn local_address(&self) -> String {
        self.address.clone()
    }
}
