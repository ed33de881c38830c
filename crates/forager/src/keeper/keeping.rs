//! Who keeps the programs of a machine: a process, or a simulation.

use std::io;
use std::path::Path;

use crate::keeper::line::Connection;
use crate::keeper::{KeeperCommand, SimulatedKeeper, spare_mark};
use crate::process::{Leftover, Unkillable, end_leftovers, load_average_percent};
use crate::take_over::tidy;

/// Who keeps the programs of a machine.
#[derive(Debug, Clone)]
pub enum Keeping {
    /// A process of its own, started so. Programs are processes below it.
    Process(KeeperCommand),
    /// A simulation, in which nothing of the operating system is touched.
    Simulated(SimulatedKeeper),
}

impl Keeping {
    /// Ends what a former keeper left running, or one that has lost some of what it kept. One that is simulated leaves nothing.
    ///
    /// A keeper that is gone wants none of its sentries to guard anything, so they are named by its data folder.
    pub(crate) async fn end_leftovers(&self, left: &[Leftover], gone: Option<&Path>) -> Result<usize, Unkillable> {
        match self {
            Self::Process(_) if left.is_empty() => Ok(0),
            Self::Process(_) => {
                let sentries = gone.map(|data| Leftover { mark: spare_mark(data), program: None });
                end_leftovers(&left.iter().copied().chain(sentries).collect::<Vec<_>>()).await
            }
            Self::Simulated(_) => Ok(0),
        }
    }

    /// Makes the folder for programs, with nothing in it but what the keeper that was found uses.
    pub(crate) async fn tidy(&self, folder: &Path, found: Option<&Connection>) -> io::Result<()> {
        match self {
            Self::Process(_) => tidy(folder, found).await,
            Self::Simulated(_) => Ok(()),
        }
    }

    /// The load average of the last minute, in percent of one processor.
    pub(crate) fn load_average_percent(&self) -> u32 {
        match self {
            Self::Process(_) => load_average_percent(),
            Self::Simulated(_) => 0,
        }
    }
}

impl From<KeeperCommand> for Keeping {
    fn from(command: KeeperCommand) -> Self {
        Self::Process(command)
    }
}
