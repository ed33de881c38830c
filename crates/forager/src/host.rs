//! The machine that a forager runs on, as far as a test may want another.

use std::io;
use std::sync::Arc;

use crate::keeper::{KeeperCommand, Keeping};
use crate::process::boot_id;

/// What a forager takes from its machine besides clocks, disk and network.
#[derive(Debug, Clone)]
pub struct Host {
    /// The identity of this boot: what an earlier one left running is certainly gone.
    pub boot_id: Arc<str>,
    /// Who keeps its programs.
    pub keeper: Keeping,
}

impl Host {
    /// This machine.
    pub fn this(keeper: KeeperCommand) -> io::Result<Self> {
        Ok(Self { boot_id: boot_id()?.into(), keeper: keeper.into() })
    }
}
