//! `antfarm fence`: keeps late attempts from having an effect.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use antfarm_model::{Fence as Token, Span};
use anyhow::Context;
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::{Exit, Stop};
use crate::fence::{Entry, FenceError, Fences, Key, KeyLock};

/// Refuse the effects of late attempts
///
/// Called by a tool before it has an effect. It compares the fence of this attempt with the highest that anybody came
/// with for the same key, and keeps the higher one on disk. A lower one is stale: a newer attempt was started, and this
/// one must have no effect any more. The same one again is admitted, since it is the same attempt.
///
/// With a COMMAND it does more: it keeps the key locked while the command runs, and becomes the command. So nothing gets
/// between check and effect: once a newer attempt was admitted, an older command with that key never starts; and one that
/// has started ends, with all processes that it left its open files to, before a newer one is admitted. Without a
/// COMMAND only the check is made, and an attempt may become stale between the check and what it does next.
///
/// It protects what all attempts reach through the same folder, and nothing else: the folder stands on the disk, or on
/// the network file system, that the effect goes to. docs/fencing.md says what it can't do, and has recipes for
/// databases and object stores, which check fences better by themselves.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/fence.txt"))]
pub(crate) struct Fence {
    /// The folder of fences
    #[arg(long, value_name = "DIR", env = "ANTFARM_FENCE_DIR")]
    dir: PathBuf,
    /// What the effect belongs to [default: graph, node and index of this attempt]
    ///
    /// Any bytes. Fences of different nodes mean nothing to each other: use a key of your own only where all attempts
    /// that share it are to shut out each other by the order of their assignments.
    #[arg(long = "fence-key", id = "fence_key", value_name = "KEY", allow_hyphen_values = true)]
    key: Option<OsString>,
    /// The fence of this attempt
    #[arg(long = "fence", value_name = "N", env = "ANTFARM_FENCE", required_unless_present = "init")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    own: Option<u64>,
    /// Wait so long for another attempt with this key to end
    #[arg(long, value_name = "TIME", default_value = "10s")]
    wait: Span,
    /// Make the folder; one that is there stays as it is
    #[arg(long, conflicts_with_all = ["fence_key", "command"])]
    init: bool,
    /// What has the effect, behind `--`; it runs in this process's place
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Fence {
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        let Some(fence) = self.own.filter(|_| !self.init) else { return self.make_folder(console) };
        let key = self.key()?;
        let entry = Fences::open(&self.dir).and_then(|fences| fences.enter(&key, Token(fence), self.wait));
        match entry.map_err(stop)? {
            Entry::Stale(highest) => {
                if console.json() && self.command.is_empty() {
                    let answer =
                        json!({"key": key.to_string(), "fence": fence, "admitted": false, "highest": highest.0});
                    console.result(&answer, String::new)?;
                }
                Err(Stop::fenced(format!(
                    "refused by the fence: an attempt with fence {highest} has been here for {key}, and this one has \
                     {fence}. A newer attempt was started, so this one must have no effect any more; end with this exit \
                     status (76)"
                )))
            }
            Entry::Admitted(lock) if !self.command.is_empty() => Err(self.become_command(&lock)),
            Entry::Admitted(_) => {
                let answer = json!({"key": key.to_string(), "fence": fence, "admitted": true, "highest": fence});
                console.result(&answer, String::new)?;
                Ok(Exit::Done)
            }
        }
    }

    fn make_folder(&self, console: &Console) -> anyhow::Result<Exit> {
        Fences::init(&self.dir).map_err(stop)?;
        console.say(&format!("{} is a folder of fences", self.dir.display()));
        Ok(Exit::Done)
    }

    fn key(&self) -> anyhow::Result<Key> {
        let bytes = match &self.key {
            Some(key) => key.as_bytes().to_vec(),
            None => own_key(|name| env::var_os(name)).ok_or_else(|| {
                Stop::usage("there is no key: give --fence-key, or run it in a tool, where ANTFARM_GRAPH and ANTFARM_NODE are set")
            })?,
        };
        Key::new(&bytes).map_err(|why| Stop::usage(why.to_string()))
    }

    /// Returns only if it fails. A process that lets go of the lock without having run anything is harmless.
    fn become_command(&self, lock: &KeyLock) -> anyhow::Error {
        let Some((program, arguments)) = self.command.split_first() else {
            return Stop::usage("there is no command");
        };
        if let Err(error) = lock.hand_down().context("the lock cannot be left to the command") {
            return error;
        }
        let error = Command::new(program).args(arguments).exec();
        Stop::usage(format!("{} could not be started: {error}", Path::new(program).display()))
    }
}

/// `graph/node` or `graph/node/index`, of the attempt that this process belongs to.
fn own_key(variable: impl Fn(&str) -> Option<OsString>) -> Option<Vec<u8>> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let (graph, node) = (set("ANTFARM_GRAPH")?, set("ANTFARM_NODE")?);
    let parts: Vec<OsString> = [graph, node].into_iter().chain(set("ANTFARM_ARRAY_INDEX")).collect();
    Some(parts.join(OsStr::new("/")).as_bytes().to_vec())
}

fn stop(error: FenceError) -> anyhow::Error {
    if matches!(error, FenceError::Locked { .. }) { Stop::temporary(error.to_string()) } else { error.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(variables: &[(&str, &str)]) -> Option<String> {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        own_key(find).map(|key| String::from_utf8(key).expect("UTF-8"))
    }

    #[test]
    fn the_key_of_an_attempt_is_its_instance() {
        let node = [("ANTFARM_GRAPH", "nightly"), ("ANTFARM_NODE", "clean")];
        assert_eq!(own(&node).as_deref(), Some("nightly/clean"));
        let instance = [node[0], node[1], ("ANTFARM_ARRAY_INDEX", "3")];
        assert_eq!(own(&instance).as_deref(), Some("nightly/clean/3"));
    }

    #[test]
    fn half_a_name_is_no_key() {
        assert_eq!(own(&[]), None);
        assert_eq!(own(&[("ANTFARM_GRAPH", "nightly")]), None);
        assert_eq!(own(&[("ANTFARM_GRAPH", "nightly"), ("ANTFARM_NODE", "")]), None);
    }
}
