//! Ports of loopback that no other test has.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::Context;

use crate::lock::Lock;
use crate::{Dice, wait_until};

/// Blocks lie below the ports that the kernel gives to outgoing connections, which could take one while its daemon is down.
const FIRST: u16 = 20_000;
/// A block is eight ports and the same eight a hundred further on. 100 is 4 modulo 8, and of each eight only numbers 1
/// to 4 are used: so blocks never meet.
const STRIDE: u16 = 8;
const BLOCKS: usize = 1_200;
const RAFT_OFFSET: u16 = 100;

/// A free block is found within this time.
const WITHIN: Duration = Duration::from_mins(1);

/// Queens that a cluster begins with.
pub(crate) const MAX_QUEENS: u16 = 3;

/// The number of a queen that is added later; a block has ports for one.
pub(crate) const LATE_QUEEN: u16 = MAX_QUEENS + 1;

/// Ports for three queens, and a fourth, as `antfarm dev --base-port` wants them, held until it is dropped.
#[derive(Debug)]
pub struct Ports {
    base: u16,
    _lock: Lock,
}

impl Ports {
    /// Takes a block of which all ports are free.
    pub fn take() -> Self {
        let mut dice = Dice::silent();
        wait_until("a free block of ports", WITHIN, || {
            let block = dice.in_range(0..BLOCKS);
            let base = FIRST + STRIDE * u16::try_from(block)?;
            let lock = Lock::try_take(&format!("ports-{base}")).context("another test has the block")?;
            let ports = Self { base, _lock: lock };
            for queen in 1..=LATE_QUEEN {
                TcpListener::bind(ports.http(queen))?;
                TcpListener::bind(ports.raft(queen))?;
            }
            Ok(ports)
        })
    }

    /// What `antfarm dev --base-port` is told.
    pub fn base(&self) -> u16 {
        self.base
    }

    /// Where a queen, counted from 1, listens for clients and foragers.
    pub fn http(&self, queen: u16) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.base + queen).into()
    }

    /// Where it listens for its peers.
    pub fn raft(&self, queen: u16) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.base + RAFT_OFFSET + queen).into()
    }
}
