//! Locks that all test processes of this machine share, and that end with the process that holds them.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// A name that is taken until this is dropped: an address in the kernel's abstract namespace, so no file is left behind.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "that it listens is the lock")] UnixListener);

impl Lock {
    /// Takes a name, unless somebody has it.
    pub(crate) fn try_take(name: &str) -> Option<Self> {
        let address = SocketAddr::from_abstract_name(format!("antfarm-testkit/{name}")).expect("the name is short");
        UnixListener::bind_addr(&address).ok().map(Self)
    }
}
