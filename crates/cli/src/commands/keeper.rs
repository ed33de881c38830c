//! `antfarm keeper` and `antfarm sentry`: the processes between a forager and its programs. People do not call them.

use std::path::PathBuf;

use antfarm_env::{Env, SystemEnvironment};
use antfarm_forager::{ProcessMark, SENTRY_VARIABLE, run_keeper, run_sentry};
use anyhow::Context;
use clap::Args;
use tokio::runtime::Builder;

use crate::daemon;
use crate::exit::Exit;

/// Keep the programs of a forager (the forager starts this)
///
/// It outlives its forager, so that one can be restarted or upgraded under running work, and ends guarded programs when the
/// lease is over. Whoever ends it ends all that it keeps.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Example:
  antfarm keeper --data /var/lib/antfarm/forager-1")]
pub(crate) struct Keeper {
    /// The forager's data folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// End, with all that is kept, when this process has ended
    #[arg(long, value_name = "PID:TICKS")]
    exit_with: Option<ProcessMark>,
}

/// Guard one program (the keeper starts this)
///
/// Everything that the program starts descends from this process, which ends when nothing of it is left.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Example:
  antfarm sentry /var/lib/antfarm/forager-1")]
pub(crate) struct Sentry {
    /// The program's working folder, for who looks at a list of processes
    #[arg(value_name = "DIR")]
    _folder: PathBuf,
}

/// Whether a keeper has started this process. There is one for each run of a program, so it spares itself the reading of a
/// command line.
pub(crate) fn is_sentry() -> bool {
    std::env::args_os().nth(1).is_some_and(|name| name == "sentry") && std::env::var_os(SENTRY_VARIABLE).is_some()
}

impl Keeper {
    pub(crate) fn run(&self) -> anyhow::Result<Exit> {
        daemon::start_log();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the keeper's thread cannot be started")?;
        let ended = runtime.block_on(async {
            let env = Env::new(SystemEnvironment::current());
            run_keeper(env, self.data.clone(), self.exit_with).await
        });
        // What is still under way ends with the process.
        runtime.shutdown_background();
        ended?;
        Ok(Exit::Done)
    }
}

impl Sentry {
    pub(crate) fn run() -> Exit {
        if run_sentry().is_ok() { Exit::Done } else { Exit::Failed }
    }
}
