//! `antfarm queen run`: the daemon that decides.

use std::sync::Arc;

use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use antfarm_queen::{EngineKind, QueenConfig};

use antfarm_replication::{Failure, SystemRuntime};
use antfarm_storage::{DataFolderLock, Disk, LogEngine, SegmentEngine, SledEngine, SystemDisk};
use anyhow::Context;
use clap::{Args, Subcommand};

use crate::daemon::{self, ConsensusThreads, DaemonArgs, Orphaned};
use crate::exit::Exit;
use crate::huge_pages;
use crate::interrupts::Interrupts;

/// Files and sockets that a queen has beside the connections of clients and foragers: her log, snapshots, peers.
const OTHER_FILES: u64 = 256;

/// A request may be passed on to the leader over a connection of its own.
const FILES_PER_CONNECTION: u64 = 2;

/// Connections that are taken however few files may be open.
const FEWEST_CONNECTIONS: u32 = 64;

/// Run a queen: a replica of the control plane
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/queen.txt"))]
pub(crate) struct Queen {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Run),
}

/// Run a queen until it is told to stop
///
/// SIGTERM and SIGINT hand the leadership to another queen and stop; a second one stops at once, which is safe, too.
/// The log goes to standard error; RUST_LOG says how much of it (`info` by default, and only errors of openraft).
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/queen-run.txt"))]
struct Run {
    #[command(flatten)]
    daemon: DaemonArgs,
    /// Listen at other addresses than loopback without TLS: whoever reaches them rules the cluster
    #[arg(long)]
    insecure: bool,
}

impl Queen {
    pub(crate) fn run(&self) -> anyhow::Result<Exit> {
        let Command::Run(run) = &self.command;
        huge_pages::use_them();
        let mut text = run.daemon.read_config()?;
        if run.insecure {
            text.overrides.push(("insecure".to_owned(), "true".to_owned()));
        }
        let mut config = QueenConfig::parse(&text.text, &text.overrides).map_err(|why| text.faulty(&why))?;
        daemon::start_log();
        config.limits.connections = affordable(config.limits.connections);
        let orphaned = run.daemon.orphaned();
        daemon::block_on(serve(config, orphaned))
    }
}

/// So many connections that enough files can be opened beside them: strangers must not keep a queen from her own disk.
fn affordable(connections: u32) -> u32 {
    let files = daemon::raise_open_files();
    let most = files.saturating_sub(OTHER_FILES) / FILES_PER_CONNECTION;
    let most = u32::try_from(most).unwrap_or(u32::MAX).max(FEWEST_CONNECTIONS);
    if most < connections {
        tracing::warn!(
            "this process may have {files} files open, so it takes {most} connections at the same time instead of \
             {connections}: raise that limit (ulimit -n, LimitNOFILE), or lower limits.connections"
        );
    }
    connections.min(most)
}

async fn serve(config: QueenConfig, mut orphaned: Orphaned) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::listen()?;
    let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
    let _lock = DataFolderLock::acquire(disk.as_ref(), &config.data_dir)
        .context("the queen does not start without its data folder")?;
    let log = config.data_dir.join("log");
    let engine = match config.storage.engine {
        EngineKind::Segments => SegmentEngine::open(disk.clone(), &log),
        EngineKind::Sled => SledEngine::open(&log),
    };
    let engine: Arc<dyn LogEngine> = Arc::new(engine.context("the log cannot be opened")?);
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    let consensus = ConsensusThreads::start()?;
    let started = antfarm_queen::Queen::start::<SystemRuntime>(env, consensus.env(), engine, disk, net, config);
    let queen = started.await.context("the queen does not start")?;
    tracing::info!(http = queen.http_address(), "the queen runs");
    tokio::select! {
        failure = queen.failed() => {
            // That was wanted: whoever starts queens again need not start this one.
            anyhow::ensure!(failure == Failure::Removed, "the queen stopped: {failure}");
            tracing::warn!("{failure}");
            return Ok(Exit::Done);
        }
        () = interrupts.reach(1) => {}
        () = orphaned.wait() => {
            tracing::info!("the parent is gone");
            return Ok(Exit::Done);
        }
    }
    tracing::info!("stopping; another signal does not wait");
    tokio::select! {
        () = queen.stop() => tracing::info!("stopped"),
        () = interrupts.reach(2) => tracing::info!("stopped at once"),
        () = orphaned.wait() => {}
    }
    Ok(Exit::Done)
}
