//! What both daemons have in common: their options, their log, their threads, and the end of their parent.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use antfarm_env::{Env, SystemClocks, SystemEnvironment};
use antfarm_forager::ProcessMark;
use anyhow::Context;
use clap::Args;
use rustix::process::{Resource, Rlimit, getppid, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use toml::{Table, Value};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::exit::{Exit, Stop};
use crate::source::Source;

/// For this long a daemon may tidy up after its parent is gone; then the process ends, whatever it does.
const ORPHAN_GRACE: Duration = Duration::from_secs(6);

/// The options of a daemon.
#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    /// The configuration (TOML)
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Another value for a key of the configuration, such as `slots=4`; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    set: Vec<(String, String)>,
    /// End when standard input is closed, as it is when the parent ends
    #[arg(long, hide = true)]
    exit_with_parent: bool,
}

/// The text of a configuration, with what wins over it.
pub(crate) struct ConfigText {
    /// Where it stands, for messages.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) overrides: Vec<(String, String)>,
}

impl DaemonArgs {
    pub(crate) fn read_config(&self) -> anyhow::Result<ConfigText> {
        ConfigText::read(&self.config, &self.set)
    }

    /// The parent, if this process ends with it.
    pub(crate) fn parent(&self) -> Option<ProcessMark> {
        let parent = getppid().filter(|_| self.exit_with_parent)?;
        ProcessMark::of(parent.as_raw_nonzero().get().cast_unsigned())
    }

    /// Done when the parent is gone, if that is to be watched.
    pub(crate) fn orphaned(&self) -> Orphaned {
        if !self.exit_with_parent {
            return Orphaned(None);
        }
        let (sender, receiver) = oneshot::channel();
        // A thread of its own: the process must end even if its runtime hangs.
        std::thread::spawn(move || {
            let mut byte = [0];
            while matches!(std::io::stdin().read(&mut byte), Ok(1)) {}
            let _ = sender.send(()); // nobody waits when the daemon stops already
            std::thread::sleep(ORPHAN_GRACE);
            std::process::exit(Exit::Failed.code().into());
        });
        Orphaned(Some(receiver))
    }
}

impl ConfigText {
    pub(crate) fn read(path: &Path, overrides: &[(String, String)]) -> anyhow::Result<Self> {
        let (name, text) = Source::read_text(path)?;
        Ok(Self { name, text, overrides: overrides.to_vec() })
    }

    /// The text with the overrides in it.
    pub(crate) fn overridden(&self) -> anyhow::Result<String> {
        if self.overrides.is_empty() {
            return Ok(self.text.clone());
        }
        let mut table: Table = self.text.parse().map_err(|why: toml::de::Error| self.faulty(&why))?;
        for (key, value) in &self.overrides {
            set(&mut table, key, value).map_err(|why| Stop::usage(format!("--set {key}={value}: {why}")))?;
        }
        Ok(table.to_string())
    }

    /// The error of a text that is no configuration.
    pub(crate) fn faulty(&self, why: &dyn std::fmt::Display) -> anyhow::Error {
        Stop::usage(format!("{}: {why}", self.name))
    }
}

/// Puts a value at a key (`class_slots.model`). What is no TOML value is taken as text.
fn set(table: &mut Table, key: &str, value: &str) -> Result<(), String> {
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut one| one.remove("value"));
    let (tables, last) = key.rsplit_once('.').map_or((None, key), |(tables, last)| (Some(tables), last));
    let mut place = table;
    for name in tables.into_iter().flat_map(|tables| tables.split('.')) {
        let next = place.entry(name).or_insert_with(|| Value::Table(Table::new()));
        place = next.as_table_mut().ok_or_else(|| format!("{name} is a value, not a table"))?;
    }
    place.insert(last.to_owned(), parsed.unwrap_or_else(|| Value::String(value.to_owned())));
    Ok(())
}

/// Tells when the parent is gone.
pub(crate) struct Orphaned(Option<oneshot::Receiver<()>>);

impl Orphaned {
    /// Waits until the parent is gone; for ever, if nobody watches it.
    pub(crate) async fn wait(&mut self) {
        match &mut self.0 {
            Some(receiver) => {
                let _ = receiver.await; // the watcher only ends by telling
            }
            None => std::future::pending().await,
        }
    }
}

/// What the log has where `RUST_LOG` does not say otherwise. openraft tells much at `info` that only its authors need, and
/// warns of a peer that is away at every heartbeat; that the connection is lost, and is there again, is told once by us.
pub(crate) const LOG: &str = "info,openraft=error";

/// With this variable in the environment, each line of the log begins with the microseconds of `CLOCK_MONOTONIC`, so that the
/// logs of several processes of a machine can be held against each other.
pub(crate) const LOG_MONOTONIC: &str = "ANTFARM_LOG_MONOTONIC";

/// Starts the log on standard error.
pub(crate) fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOG));
    let is_terminal = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(is_terminal).with_writer(std::io::stderr);
    // A log that cannot be written, such as on a full disk, is complained of on standard error, which is where the log goes:
    // that would end the process.
    let log = log.log_internal_errors(false);
    if std::env::var_os(LOG_MONOTONIC).is_some() { log.with_timer(MonotonicMicros).init() } else { log.init() }
}

struct MonotonicMicros;

impl FormatTime for MonotonicMicros {
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        write!(writer, "{}", SystemClocks::monotonic().as_micros())
    }
}

/// Raises the number of files and sockets that this process may have open as far as it may itself, and tells it.
pub(crate) fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let now = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    now.unwrap_or(u64::MAX)
}

/// Runs a process on the threads that it needs. What is still under way at its end is left behind, such as a write to a
/// disk that hangs.
pub(crate) fn block_on<T>(process: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the threads of the process cannot be started")?;
    let end = runtime.block_on(process);
    runtime.shutdown_background();
    end
}

/// The threads of a queen's consensus. The state machine may hold up one, a snapshot another; the others go on.
const CONSENSUS_THREADS: usize = 4;

/// Threads of their own for consensus: nothing else that a queen does delays a heartbeat or a vote.
pub(crate) struct ConsensusThreads(Option<Runtime>);

impl ConsensusThreads {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(CONSENSUS_THREADS).thread_name("consensus").enable_all();
        // A task in that slot waits for the task that woke it, which may be the state machine at work.
        builder.disable_lifo_slot();
        Ok(Self(Some(builder.build().context("the threads of consensus cannot be started")?)))
    }

    /// The environment whose tasks run on them.
    pub(crate) fn env(&self) -> Env {
        let _entered = self.0.as_ref().map(Runtime::enter);
        Env::new(SystemEnvironment::current())
    }
}

impl Drop for ConsensusThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Reads `key=value`.
pub(crate) fn key_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE, such as slots=4".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_contain_what_separates_it_from_its_key() {
        assert_eq!(key_and_value("labels.a=b=c"), Ok(("labels.a".to_owned(), "b=c".to_owned())));
        assert!(key_and_value("=b").is_err());
        assert!(key_and_value("ab").is_err());
    }

    #[test]
    fn what_is_set_wins_over_the_file() {
        let overrides = [("slots", "4"), ("class_slots.model", "1"), ("kill_grace", "5s"), ("labels.a", "\"b\"")];
        let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let text = ConfigText { name: "f.toml".to_owned(), text: "slots = 8\nname = \"f\"\n".to_owned(), overrides };
        let table: Table = text.overridden().expect("sound").parse().expect("TOML");
        let expected = "name = \"f\"\nslots = 4\nkill_grace = \"5s\"\nclass_slots = {model = 1}\nlabels = {a = \"b\"}";
        assert_eq!(table, expected.parse().expect("TOML"));
    }
}
