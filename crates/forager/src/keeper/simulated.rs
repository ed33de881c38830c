//! A keeper without processes: the keeper's own logic over programs that a simulation makes up.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_env::{Env, Stream};
use tokio::sync::{mpsc, watch};

use crate::keeper::house::pretend_keeper;

/// Bytes on their way between forager and keeper.
const PIPE_BYTES: usize = 64 << 10;

/// Foragers that knock at the same time.
const KNOCKS: usize = 4;

/// What a simulation takes for the programs of a machine.
pub trait Workshop: Send + Sync + 'static {
    /// What surrounds the keeper and all programs. Its tasks go on when the forager's end.
    fn env(&self) -> Env;

    /// Runs a program to its end. Dropped, it is killed.
    fn run(&self, call: ProgramCall) -> Pin<Box<dyn Future<Output = ProgramEnd> + Send>>;
}

/// What a program is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCall {
    /// The program and its arguments, as they are configured.
    pub command: Vec<String>,
    /// What the attempt adds to its environment.
    pub environment: BTreeMap<String, String>,
    /// Its standard input.
    pub input: String,
}

/// How a program ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramEnd {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub output: String,
}

/// The keeper of one machine. Clones are the same; it outlives the foragers that use it.
#[derive(Clone)]
pub struct SimulatedKeeper {
    workshop: Arc<dyn Workshop>,
    running: Arc<Mutex<Option<Running>>>,
}

struct Running {
    comes: mpsc::Sender<Stream>,
    /// Dropped, it is killed.
    _life: watch::Sender<()>,
}

impl SimulatedKeeper {
    /// One that does not run yet.
    pub fn new(workshop: Arc<dyn Workshop>) -> Self {
        Self { workshop, running: Arc::default() }
    }

    /// Comes in at the door of the keeper that runs; none if there is none.
    pub(super) fn knock(&self) -> Option<Stream> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        running.as_ref()?.comes.try_send(Box::new(theirs)).ok()?;
        Some(Box::new(ours))
    }

    /// Starts it, in place of one that has ended.
    pub(super) fn start(&self) {
        let env = self.workshop.env();
        let (comes, coming) = mpsc::channel(KNOCKS);
        let (life, mut killed) = watch::channel(());
        let (workshop, keeper_env) = (Arc::clone(&self.workshop), env.clone());
        env.spawn(async move {
            tokio::select! {
                biased;
                _ = killed.changed() => {}
                () = pretend_keeper(keeper_env, workshop, coming) => {}
            }
        });
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Running { comes, _life: life });
    }

    /// Kills it with all that it keeps.
    pub(super) fn kill(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl fmt::Debug for SimulatedKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimulatedKeeper")
    }
}
