//! Writes a history down while it is simulated, and what daemons say in their logs.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock::Time;
use super::life::Life;
use crate::history::{Record, What};

/// What happened. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Chronicle {
    time: Time,
    book: Arc<Mutex<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    records: Vec<Record>,
    /// Everything in the order in which it happened, records by their places.
    lines: Vec<Line>,
    /// How many records the logs of daemons have led to.
    from_logs: u64,
}

#[derive(Debug)]
enum Line {
    Record(usize),
    Text(String),
}

/// The pen of one who sees something.
#[derive(Debug)]
pub(super) struct Pen {
    chronicle: Chronicle,
    by: String,
    seq: u64,
}

impl Chronicle {
    pub(super) fn new(time: Time) -> Self {
        Self { time, book: Arc::default() }
    }

    /// A pen for somebody.
    pub(super) fn pen(&self, by: impl Into<String>) -> Pen {
        Pen { chronicle: self.clone(), by: by.into(), seq: 0 }
    }

    /// What the clock of records shows.
    pub(super) fn now_us(&self) -> u64 {
        u64::try_from(self.time.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// A process says something.
    pub(super) fn say(&self, life: &Life, text: &str) {
        let at_ms = self.time.elapsed().as_millis();
        let line = format!("{at_ms:>7} {}.{} {text}", life.process(), life.number());
        self.book().lines.push(Line::Text(line));
    }

    /// What follows from something that a process said.
    pub(super) fn note(&self, what: What) {
        let mut book = self.book();
        let seq = book.from_logs;
        book.from_logs += 1;
        drop(book);
        self.write("logs", seq, what);
    }

    pub(super) fn records(&self) -> Vec<Record> {
        self.book().records.clone()
    }

    /// Everything in the order in which it happened, one line each.
    pub(super) fn text(&self) -> String {
        let book = self.book();
        let mut text = String::new();
        for line in &book.lines {
            let _ = match line {
                Line::Record(place) => {
                    writeln!(text, "{}", serde_json::to_string(&book.records[*place]).expect("a record is plain JSON"))
                }
                Line::Text(line) => writeln!(text, "{line}"),
            }; // a String takes all
        }
        text
    }

    fn write(&self, by: &str, seq: u64, what: What) {
        let at_us = self.now_us();
        let mut book = self.book();
        let place = book.records.len();
        book.records.push(Record { at_us, by: by.to_owned(), seq, what });
        book.lines.push(Line::Record(place));
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pen {
    /// Writes something down.
    pub(super) fn write(&mut self, what: What) {
        self.chronicle.write(&self.by, self.seq, what);
        self.seq += 1;
    }
}
