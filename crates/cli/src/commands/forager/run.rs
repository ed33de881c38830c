//! `antfarm forager run`: the daemon that runs attempts.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use antfarm_forager::{ForagerConfig, Host, KeeperCommand, Status};
use antfarm_storage::{Disk, SystemDisk};
use anyhow::Context;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::daemon::{self, ConfigText, DaemonArgs, Orphaned};
use crate::exit::Exit;
use crate::interrupts::Interrupts;

/// Run a forager until it is told to stop
///
/// SIGTERM and SIGINT drain it: it takes no more work, finishes what runs, and stops. A second one stops at once, and ends
/// what runs. SIGHUP hands over: running programs go on under the forager's keeper, this process ends at once, and the next
/// one with the same data folder takes them over, such as a newer version. The log goes to standard error; RUST_LOG says how
/// much of it (`info` by default, and only errors of openraft).
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
        let keeper = KeeperCommand { exit_with: self.daemon.parent(), ..KeeperCommand::this_program() };
        let orphaned = self.daemon.orphaned();
        daemon::block_on(serve(config, keeper, orphaned))
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

/// How a forager is to end.
enum Ending {
    Itself,
    Drain,
    HandOver,
    Orphaned,
}

async fn serve(config: ForagerConfig, keeper: KeeperCommand, mut orphaned: Orphaned) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::listen()?;
    let mut hangup = signal(SignalKind::hangup()).context("the signal SIGHUP cannot be handled")?;
    let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    let host = Host::this(keeper).context("the boot id of this machine cannot be read")?;
    let forager =
        antfarm_forager::Forager::start(env, disk, net, host, config).await.context("the forager does not start")?;
    tracing::info!("the forager runs");
    let status = forager.watch();
    let mut ended = pin!(ended(status.clone()));
    let ending = tokio::select! {
        () = &mut ended => Ending::Itself,
        () = interrupts.reach(1) => Ending::Drain,
        _ = hangup.recv() => Ending::HandOver,
        () = orphaned.wait() => Ending::Orphaned,
    };
    match ending {
        Ending::Itself | Ending::Orphaned => forager.stop(),
        Ending::HandOver => {
            tracing::info!("handing over: programs go on under the keeper");
            forager.hand_over();
        }
        Ending::Drain => {
            tracing::info!("draining; another signal does not wait for what runs");
            forager.drain();
            tokio::select! {
                () = &mut ended => {}
                _ = hangup.recv() => forager.hand_over(),
                () = interrupts.reach(2) => forager.stop(),
                () = orphaned.wait() => forager.stop(),
            }
        }
    }
    forager.wait().await?;
    let calls = status.borrow().calls;
    tracing::info!(calls = calls.number, digest = calls.digest, "stopped");
    Ok(Exit::Done)
}

/// Waits until the forager has ended, and says nothing more.
async fn ended(mut status: watch::Receiver<Status>) {
    while status.changed().await.is_ok() {}
}
