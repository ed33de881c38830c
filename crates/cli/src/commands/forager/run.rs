//! `antfarm forager run`: the daemon that runs attempts.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use antfarm_forager::{ForagerConfig, Status};
use antfarm_storage::{Disk, SystemDisk};
use anyhow::Context;
use clap::Args;
use tokio::sync::watch;

use crate::daemon::{self, ConfigText, DaemonArgs, Orphaned};
use crate::exit::Exit;
use crate::interrupts::Interrupts;

/// Run a forager until it is told to stop
///
/// SIGTERM and SIGINT drain it: it takes no more work, finishes what runs, and stops. A second one stops at once, and ends
/// what runs. The log goes to standard error; RUST_LOG says how much of it (`info` by default, and only errors of openraft).
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager-run.txt"))]
pub(super) struct Run {
    #[command(flatten)]
    daemon: DaemonArgs,
}

impl Run {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let config = parse(&self.daemon.read_config()?)?;
        daemon::start_log();
        let orphaned = self.daemon.orphaned();
        daemon::block_on(serve(config, orphaned))
    }
}

/// Reads a configuration; its relative paths are relative to the file.
pub(crate) fn parse(text: &ConfigText) -> anyhow::Result<ForagerConfig> {
    let config = ForagerConfig::parse(&text.overridden()?).map_err(|why| text.faulty(&why))?;
    let folder = Path::new(&text.name).parent().unwrap_or(Path::new(""));
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()); // fails only without a current folder
    let config = config.resolved_in(&folder);
    config.check().map_err(|why| text.faulty(&why))?;
    Ok(config)
}

async fn serve(config: ForagerConfig, mut orphaned: Orphaned) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::listen()?;
    let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    let forager =
        antfarm_forager::Forager::start(env, disk, net, config).await.context("the forager does not start")?;
    tracing::info!("the forager runs");
    let mut ended = pin!(ended(forager.watch()));
    let is_orphaned = tokio::select! {
        () = &mut ended => false,
        () = interrupts.reach(1) => false,
        () = orphaned.wait() => true,
    };
    if !is_orphaned {
        tracing::info!("draining; another signal does not wait for what runs");
        forager.drain();
        tokio::select! {
            () = &mut ended => {}
            () = interrupts.reach(2) => {}
            () = orphaned.wait() => {}
        }
    }
    forager.stop();
    forager.wait().await?;
    tracing::info!("stopped");
    Ok(Exit::Done)
}

/// Waits until the forager has ended, and says nothing more.
async fn ended(mut status: watch::Receiver<Status>) {
    while status.changed().await.is_ok() {}
}
