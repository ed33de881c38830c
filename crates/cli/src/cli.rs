//! The command line as a whole: what every command has, and which command runs.

use antfarm_model::Span;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::bench::Bench;
use crate::commands::{
    check::Check, cluster::Cluster, completions::Completions, config::Config, events::Events, fence::Fence,
    forager::Forager, graph::Graph, keeper::Keeper, keeper::Sentry, node::Node, queen::Queen, submit::Submit,
    tool::Tool, version::Version,
};
use crate::console::Console;
use crate::dev::Dev;
use crate::exit::Exit;
use crate::help;

/// A replicated, highly available scheduler for task graphs
///
/// Queens decide, together and without a moment of doubt about who leads, which forager runs which node of which graph.
/// Submit graphs with `antfarm submit`; try everything on one machine with `antfarm dev`.
///
/// Results go to standard output, progress and messages to standard error.
#[derive(Debug, Parser)]
#[command(name = "antfarm", version, max_term_width = 120)]
#[command(after_long_help = include_str!("help/antfarm.txt"))]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Where the help lists what every command takes.
const EVERYWHERE: &str = "Options of every command";

/// What every command that talks to a cluster needs to know.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Queens of the cluster; any of them will do, and more are better
    #[arg(long, global = true, help_heading = EVERYWHERE, env = "ANTFARM_SERVER", value_name = "URL[,URL…]", value_delimiter = ',')]
    #[arg(default_value = "http://127.0.0.1:7101,http://127.0.0.1:7102,http://127.0.0.1:7103")]
    pub(crate) server: Vec<String>,
    /// A token that says who asks
    #[arg(long, global = true, help_heading = EVERYWHERE, env = "ANTFARM_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Write results as JSON: one document, or one per line for streams
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// Give up if no leader answered for this long
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "TIME", default_value = "10s")]
    pub(crate) timeout: Span,
}

#[derive(Debug, Subcommand)]
enum Command {
    Dev(Dev),
    Check(Check),
    Submit(Submit),
    Graph(Graph),
    Node(Node),
    Events(Events),
    Tool(Tool),
    Fence(Fence),
    Queen(Queen),
    Forager(Forager),
    Cluster(Cluster),
    Config(Config),
    Bench(Bench),
    Completions(Completions),
    Version(Version),
    #[command(hide = true)]
    Keeper(Keeper),
    #[command(hide = true)]
    Sentry(Sentry),
}

impl Cli {
    /// The command line of this process. One that makes no sense, or asks for help, ends the process.
    pub(crate) fn read() -> Self {
        let matches = help::grouped(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Where it writes.
    pub(crate) fn console(&self) -> Console {
        Console::new(self.global.json, self.global.quiet)
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        let global = &self.global;
        match &self.command {
            Command::Dev(dev) => dev.run(global, console),
            Command::Queen(queen) => queen.run(),
            Command::Check(check) => check.run(console),
            Command::Submit(submit) => submit.run(global, console),
            Command::Graph(graph) => graph.run(global, console),
            Command::Node(node) => node.run(global, console),
            Command::Forager(forager) => forager.run(global, console),
            Command::Tool(tool) => tool.run(global, console),
            Command::Cluster(cluster) => cluster.run(global, console),
            Command::Fence(fence) => fence.run(console),
            Command::Events(events) => events.run(global, console),
            Command::Config(config) => config.run(console),
            Command::Bench(bench) => bench.run(console),
            Command::Completions(completions) => completions.run(console),
            Command::Version(version) => version.run(console),
            Command::Keeper(keeper) => keeper.run(),
            Command::Sentry(_) => Ok(Sentry::run()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn servers_are_separated_by_commas() {
        let cli =
            Cli::try_parse_from(["antfarm", "version", "--server", "http://a:1,http://b:2"]).expect("a command line");
        assert_eq!(cli.global.server, ["http://a:1", "http://b:2"]);
    }
}
