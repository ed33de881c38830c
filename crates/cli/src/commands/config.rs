//! `antfarm config`: what the daemons can be told, and whether a file tells it right.

use std::path::{Path, PathBuf};

use antfarm_queen::QueenConfig;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::forager::parse_config;
use crate::console::Console;
use crate::daemon::{ConfigText, key_and_value};
use crate::exit::Exit;

/// Print or check the configuration of a daemon
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/config.txt"))]
pub(crate) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Print(Print),
    Check(Check),
}

/// Print a configuration with every key, what it means, its default and its bounds
///
/// Without a file, one to begin with. With a file, the values that hold.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/config-print.txt"))]
struct Print {
    /// Which daemon's
    #[arg(value_enum)]
    of: Role,
    /// A configuration whose values are printed
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another value for a key, such as `slots=4`; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value, requires = "config")]
    set: Vec<(String, String)>,
}

/// Check a configuration: keys, types, bounds and relations
///
/// As the daemon does when it starts, but nothing is started.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/config-check.txt"))]
struct Check {
    /// Which daemon's
    #[arg(value_enum)]
    of: Role,
    /// The configuration (TOML)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Another value for a key, such as `slots=4`; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    set: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    /// `antfarm queen run`
    Queen,
    /// `antfarm forager run`
    Forager,
}

/// A forager's configuration to begin with.
const FORAGER: &str = r#"# The name; no two foragers of a cluster have the same.
name = "forager-1"
# The cluster that it belongs to; any, if it is left out.
# cluster_id = "antfarm"
# Queens to begin with; the others are learned from them.
queens = ["http://127.0.0.1:7101", "http://127.0.0.1:7102", "http://127.0.0.1:7103"]
# Its journal, the epoch that it saw and the working folders; a relative path is relative to this file.
data_dir = "forager-1"
# How many attempts it runs at once. (default 8; from 1 to 16384)
slots = 8
# How many attempts it takes beyond its slots, to begin each as soon as a slot is free: for programs that take less time
# than the way to the leader and back. (default 0; with slots up to 16384)
prefetch = 0
# How long a program has between SIGTERM and SIGKILL. (default "2s"; from 1ms to 10m)
kill_grace = "2s"
# Whether it has the built-in tools: noop, echo, sleep, fail, spin, append. (default true)
builtin_tools = true

# How many attempts of one cost class it runs at once: cpu, io, model. (default: all slots)
[class_slots]
# model = 2

# For people; they have no effect.
[labels]
# rack = "b4"

# Its programs: an absolute path, one relative to this file, or a name that PATH knows; then arguments.
# [tools.clean]
# command = ["/usr/local/bin/clean", "--json"]
"#;

impl Config {
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Print(print) => {
                let text = print.of.print(print.config.as_deref(), &print.set)?;
                console.result(&json!({"toml": text}), || text.clone())?;
            }
            Command::Check(check) => {
                check.of.print(Some(&check.file), &check.set)?;
                let text = format!("{}: can be used\n", check.file.display());
                console.result(&json!({"file": check.file, "valid": true}), || text)?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Role {
    /// A configuration as text: of a file, once it was found to be sound, or one to begin with.
    fn print(self, file: Option<&Path>, overrides: &[(String, String)]) -> anyhow::Result<String> {
        let text = file.map(|file| ConfigText::read(file, overrides)).transpose()?;
        match (self, text) {
            (Self::Queen, None) => Ok(QueenConfig::example().print()),
            (Self::Queen, Some(text)) => {
                let config = QueenConfig::parse(&text.text, &text.overrides).map_err(|why| text.faulty(&why))?;
                Ok(config.print())
            }
            (Self::Forager, None) => Ok(FORAGER.to_owned()),
            (Self::Forager, Some(text)) => Ok(toml::to_string(&parse_config(&text)?)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use antfarm_forager::ForagerConfig;

    use super::*;

    #[test]
    fn what_is_printed_to_begin_with_can_be_used() {
        let queen = Role::Queen.print(None, &[]).expect("a text");
        assert_eq!(QueenConfig::parse(&queen, &[]), Ok(QueenConfig::example()));
        let printed = ForagerConfig::parse(FORAGER).expect("a sound text");
        let default = ForagerConfig::new(printed.name.clone(), printed.queens.clone(), "forager-1");
        assert_eq!(printed, default);
        assert_eq!(printed.check(), Ok(()));
    }
}
