//! Writes a history down while it happens.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;

use super::record::{Record, What};

/// The file that all who see something write into.
#[derive(Debug)]
pub(crate) struct Recorder {
    began: Instant,
    file: Mutex<(BufWriter<File>, Option<std::io::Error>)>,
}

/// The pen of one who sees something.
#[derive(Debug)]
pub(crate) struct Scribe<'a> {
    recorder: &'a Recorder,
    by: String,
    seq: u64,
}

impl Recorder {
    /// Begins a history in a folder.
    pub(crate) fn create(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("history.jsonl");
        let file = File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self { began: Instant::now(), file: Mutex::new((BufWriter::new(file), None)) })
    }

    /// A pen for somebody.
    pub(crate) fn scribe(&self, by: impl Into<String>) -> Scribe<'_> {
        Scribe { recorder: self, by: by.into(), seq: 0 }
    }

    /// Ends the history; an error if something could not be written, which makes it worthless.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let (mut file, error) = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.flush()?;
        error.map_or(Ok(()), |error| Err(error).context("the history could not be written"))
    }
}

impl Scribe<'_> {
    /// Writes something down. The clock is read under the lock, so times rise from line to line.
    pub(crate) fn write(&mut self, what: What) {
        let mut file = self.recorder.file.lock().unwrap_or_else(PoisonError::into_inner);
        let at_us = u64::try_from(self.recorder.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let record = Record { at_us, by: self.by.clone(), seq: self.seq, what };
        let line = serde_json::to_string(&record).expect("a record is plain JSON");
        if let Err(error) = writeln!(file.0, "{line}") {
            file.1.get_or_insert(error);
        }
        self.seq += 1;
    }
}
