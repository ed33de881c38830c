//! `antfarm dev`: a whole cluster as child processes on loopback.
//!
//! ```text
//!  antfarm dev ──┬── antfarm queen run   × 3   each with a folder, a log and a pipe to us on its standard input:
//!                └── antfarm forager run × 3   when we end, however we end, the pipe closes, and they end
//! ```

mod announcement;
pub(crate) mod child;
mod exec;
pub(crate) mod layout;
mod leader;
mod supervise;

use std::path::{Path, PathBuf};

use antfarm_env::{Env, SystemEnvironment};
use antfarm_forager::DEFAULT_PREFETCH;
use anyhow::Context;
use clap::Args;
use tempfile::TempDir;

use crate::cli::Global;
use crate::console::Console;
use crate::conversion_args::ConversionArgs;
use crate::daemon;
use crate::exit::{Exit, Stop};
use crate::graph_file::Submission;
use crate::interrupts::Interrupts;
use crate::programs;
use crate::tools_file::{self, Tool};

use announcement::Cluster;
use layout::Layout;
use supervise::{Group, Pids, Surroundings};

/// Run a whole cluster on this machine, to try things
///
/// Queens and foragers run as child processes, each with its own folder; queen N is member N and takes requests at port
/// base+N. A child that dies is announced and started again after 2 s. Ctrl-C stops all; no child outlives this process.
///
/// With --exec, graphs are submitted, waited for and summed up; then everything is stopped.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/dev.txt"))]
pub(crate) struct Dev {
    /// Number of queens
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=9))]
    queens: u16,
    /// Number of foragers
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=99))]
    foragers: u16,
    /// Attempts that each forager runs at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    slots: u32,
    /// Attempts that each forager takes beyond its slots, to begin each as soon as a slot is free
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PREFETCH)]
    prefetch: u32,
    /// Folder of everything; it stays, and the cluster goes on from it next time [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Queen N listens at this port + N, and at this port + 100 + N for the other queens
    #[arg(long, value_name = "PORT", default_value_t = 7100, value_parser = clap::value_parser!(u16).range(1..=65_000))]
    base_port: u16,
    /// A file of tools (TOML): their manifests go to the cluster, their commands to all foragers
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Leave a child that died where it is
    #[arg(long)]
    no_restart: bool,
    /// Submit these graphs, wait for them, sum them up, and stop
    #[arg(long, value_name = "FILE", num_args = 1..)]
    exec: Vec<PathBuf>,
    #[command(flatten)]
    conversion: ConversionArgs,
}

impl Dev {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        // Files first: whoever made a mistake in one should not have to wait for a cluster.
        let tools = self.tools.as_deref().map(tools_file::read).transpose()?.unwrap_or_default();
        if let Some(file) = &self.tools {
            programs::can_be_run(&file.display().to_string(), &tools)?;
        }
        let conversion = self.conversion.conversion(None)?;
        let read = |file: &PathBuf| Submission::read(file, self.conversion.format, &conversion);
        let submissions = self.exec.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let folder = Folder::open(self.dir.as_deref())?;
        let layout = Layout {
            dir: folder.path().canonicalize().context("the folder of the cluster has no path")?,
            queens: self.queens,
            foragers: self.foragers,
            slots: self.slots,
            prefetch: self.prefetch,
            base_port: self.base_port,
            relayed: false,
        };
        layout.check()?;
        daemon::block_on(self.run_cluster(&layout, &tools, submissions, global, console))
    }

    async fn run_cluster(
        &self,
        layout: &Layout,
        tools: &[Tool],
        submissions: Vec<Submission>,
        global: &Global,
        console: &Console,
    ) -> anyhow::Result<Exit> {
        let env = Env::new(SystemEnvironment::current());
        let interrupts = Interrupts::listen()?;
        let around = Surroundings { pids: Pids::default(), console: console.clone(), interrupts: interrupts.clone() };
        let (queen_specs, forager_specs) = (layout.write_queens(&env)?, layout.write_foragers(tools)?);
        let queens = Group::start(queen_specs.clone(), !self.no_restart, &around)?;
        let foragers = Group::start(forager_specs.clone(), !self.no_restart, &around)?;
        let cluster = Cluster { layout, queens: &queen_specs, foragers: &forager_specs, pids: &around.pids };
        cluster.announce(console, self.exec.is_empty())?;
        console.say("Ctrl-C stops all of it");
        let client = layout.client(global)?;
        let leaders = tokio::spawn(leader::announce(client.clone(), around.clone()));
        let work = async {
            exec::apply_tools(&client, tools, &queen_specs, console).await?;
            if submissions.is_empty() {
                console.hint("ready; in another terminal: antfarm submit --wait FILE");
                std::future::pending().await
            } else {
                exec::run(&client, submissions, console).await
            }
        };
        let fate = tokio::select! {
            fate = work => fate,
            () = interrupts.reach(1) => {
                console.end_progress();
                console.say("stopping; Ctrl-C again does not wait for what runs");
                Ok(if self.exec.is_empty() { Exit::Done } else { Exit::Failed })
            }
        };
        leaders.abort();
        foragers.stop().await;
        queens.stop().await;
        fate
    }
}

/// The folder of a cluster: the user's, or one that is removed at the end.
enum Folder {
    Kept(PathBuf),
    Temporary(TempDir),
}

impl Folder {
    fn open(dir: Option<&Path>) -> anyhow::Result<Self> {
        let Some(dir) = dir else {
            let temporary = tempfile::Builder::new().prefix("antfarm-dev-").tempdir();
            return Ok(Self::Temporary(temporary.context("a temporary folder cannot be made; name one with --dir")?));
        };
        let unusable = |why| Stop::usage(format!("--dir: the folder {} cannot be made: {why}", dir.display()));
        std::fs::create_dir_all(dir).map_err(unusable)?;
        Ok(Self::Kept(dir.to_owned()))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }
}
