//! The two streams: results on standard output, all else on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;

/// A line of progress is written over at most this often.
const OVERWRITTEN_EVERY: Duration = Duration::from_millis(100);

/// Plain lines of progress come at most this often.
const PLAIN_EVERY: Duration = Duration::from_secs(2);

/// Where a command writes. A clone writes to the same place.
#[derive(Clone)]
pub(crate) struct Console(Arc<Settings>);

struct Settings {
    json: bool,
    quiet: bool,
    /// Whether standard error is a terminal, on which a line can be written over.
    is_terminal: bool,
    /// The line of progress that was written last.
    progress: Mutex<String>,
}

impl Console {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self(Arc::new(Settings { json, quiet, is_terminal, progress: Mutex::default() }))
    }

    /// Whether results are JSON.
    pub(crate) fn json(&self) -> bool {
        self.0.json
    }

    /// Whether progress is written over itself.
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal
    }

    /// Writes a result: one JSON document on one line, or text for people.
    pub(crate) fn result<T: Serialize>(&self, value: &T, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        if !self.0.json {
            return self.print(&text());
        }
        let json = serde_json::to_string(value).context("the result cannot be written as JSON")?;
        self.print(&format!("{json}\n"))
    }

    /// Writes to standard output. A reader that went away ends the process without a word, as it does for other programs.
    pub(crate) fn print(&self, text: &str) -> anyhow::Result<()> {
        let progress = self.lock_progress();
        let stands = self.0.is_terminal && !progress.is_empty();
        if stands {
            let _ = write!(io::stderr().lock(), "\r\x1b[K"); // both streams may be the same terminal
        }
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => return Err(error).context("standard output cannot be written"),
        }
        if stands {
            let _ = write!(io::stderr().lock(), "{progress}");
        }
        Ok(())
    }

    /// Tells what happens, unless the user wants quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.0.quiet {
            self.tell(text);
        }
    }

    /// Says what to do next, in lines, to people: nothing, where results are JSON.
    pub(crate) fn hint(&self, lines: &str) {
        if !lines.is_empty() && !self.0.json {
            self.say(lines.trim_end());
        }
    }

    /// Tells what the user must know.
    pub(crate) fn tell(&self, text: &str) {
        let mut progress = self.lock_progress();
        let mut err = io::stderr().lock();
        // Nobody can be told that standard error is gone.
        let _ = if self.0.is_terminal && !progress.is_empty() {
            write!(err, "\r\x1b[K{text}\n{progress}")
        } else {
            writeln!(err, "{text}")
        };
        let _ = err.flush();
        if !self.0.is_terminal {
            progress.clear();
        }
    }

    /// How often progress may be shown.
    pub(crate) fn progress_every(&self) -> Duration {
        if self.0.is_terminal { OVERWRITTEN_EVERY } else { PLAIN_EVERY }
    }

    /// Shows how far something is: in place on a terminal, else as a line.
    pub(crate) fn progress(&self, line: &str) {
        let mut progress = self.lock_progress();
        if self.0.quiet || *progress == line {
            return;
        }
        let mut err = io::stderr().lock();
        // Nobody can be told that standard error is gone.
        let _ = if self.0.is_terminal { write!(err, "\r\x1b[K{line}") } else { writeln!(err, "{line}") };
        let _ = err.flush();
        line.clone_into(&mut progress);
    }

    /// Takes the line of progress away.
    pub(crate) fn end_progress(&self) {
        let mut progress = self.lock_progress();
        if self.0.is_terminal && !progress.is_empty() {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        progress.clear();
    }

    fn lock_progress(&self) -> MutexGuard<'_, String> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
