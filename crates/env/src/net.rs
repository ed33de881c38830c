//! Connections to other processes, as byte streams.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// A connection that carries bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> ByteStream for T {}

/// A boxed [`ByteStream`].
pub type Stream = Box<dyn ByteStream>;

/// What a [`Net`] is made of. The system's own is [`TcpNetwork`](crate::TcpNetwork).
pub trait Network: Send + Sync + 'static {
    /// Opens a connection to `address` (`host:port`).
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream>;

    /// Takes connections at `address` (`host:port`; port 0 picks a free one).
    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>>;
}

/// Takes connections at one address.
pub trait Listener: Send + 'static {
    /// Waits for the next connection; also tells the address it came from.
    fn accept(&mut self) -> Pending<'_, (Stream, String)>;

    /// The address that is listened at, with the real port.
    fn local_address(&self) -> String;
}

/// A cheap handle to the [`Network`] of a process.
#[derive(Clone)]
pub struct Net(Arc<dyn Network>);

impl Net {
    /// Wraps a network.
    pub fn new(network: impl Network) -> Self {
        Self(Arc::new(network))
    }

    /// Opens a connection to `address` (`host:port`). The caller bounds the wait.
    pub async fn connect(&self, address: &str) -> io::Result<Stream> {
        self.0.connect(address).await
    }

    /// Takes connections at `address` (`host:port`; port 0 picks a free one).
    pub async fn listen(&self, address: &str) -> io::Result<Box<dyn Listener>> {
        self.0.listen(address).await
    }
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Net")
    }
}
