//! A network on which one visitor comes to one address, and nobody else is there.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use antfarm_env::{Listener, Net, Network, Stream};
use tokio::io::DuplexStream;

type Pending<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Bytes on their way between the visitor and who is visited.
const PIPE_BYTES: usize = 64 << 10;

/// The network, and the visitor's end of the connection.
pub(super) fn visited(address: &'static str) -> (Net, DuplexStream) {
    let (visitor, door) = tokio::io::duplex(PIPE_BYTES);
    (Net::new(OneVisitor { address, visitor: Mutex::new(Some(door)) }), visitor)
}

struct OneVisitor {
    address: &'static str,
    visitor: Mutex<Option<DuplexStream>>,
}

struct Door {
    address: String,
    visitor: Option<DuplexStream>,
}

impl Network for OneVisitor {
    fn connect<'a>(&'a self, _: &'a str) -> Pending<'a, Stream> {
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    }

    fn listen<'a>(&'a self, address: &'a str) -> Pending<'a, Box<dyn Listener>> {
        let mut waiting = self.visitor.lock().unwrap_or_else(PoisonError::into_inner);
        let visitor = if address == self.address { waiting.take() } else { None };
        let door = Door { address: address.to_owned(), visitor };
        Box::pin(async move { Ok(Box::new(door) as Box<dyn Listener>) })
    }
}

impl Listener for Door {
    fn accept(&mut self) -> Pending<'_, (Stream, String)> {
        let visitor = self.visitor.take();
        Box::pin(async move {
            match visitor {
                Some(stream) => Ok((Box::new(stream) as Stream, "a visitor".to_owned())),
                None => pending().await,
            }
        })
    }

    fn local_address(&self) -> String {
        self.address.clone()
    }
}
