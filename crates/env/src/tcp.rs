//! The network that the operating system gives: TCP.

use std::future::Future;
use std::io;
use std::pin::Pin;

use tokio::net::{TcpListener, TcpStream};

use crate::net::{Listener, Network, Stream};

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// TCP without Nagle's delay.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpNetwork;

impl Network for TcpNetwork {
    fn connect<'a>(&'a self, address: &'a str) -> Pending<'a, Stream> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Stream)
        })
    }

    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move { Ok(Box::new(Tcp(TcpListener::bind(address).await?)) as Box<dyn Listener>) })
    }
}

struct Tcp(TcpListener);

impl Listener for Tcp {
    fn accept(&mut self) -> Pending<'_, (Stream, String)> {
        Box::pin(async move {
            let (stream, peer) = self.0.accept().await?;
            stream.set_nodelay(true)?;
            Ok((Box::new(stream) as Stream, peer.to_string()))
        })
    }

    fn local_address(&self) -> String {
        self.0.local_addr().map_or_else(|error| format!("(unknown: {error})"), |address| address.to_string())
    }
}
