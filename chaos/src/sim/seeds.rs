//! Seeds that are run by several threads, each seed by one of them and by itself.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::plan::Plan;
use super::report::Report;
use super::verdict::{Verdict, Violated, judge};

/// Between two signs of life.
const SAY_EVERY: Duration = Duration::from_secs(15);

/// Seeds that are run.
pub(super) struct Seeds {
    first: u64,
    next: AtomicU64,
    end: u64,
    /// So many are run in any case; more only within this time.
    least: u64,
    within: Duration,
    began: Instant,
    done: Mutex<Done>,
}

struct Done {
    report: Report,
    violated: Option<Violated>,
    said: Instant,
}

impl Seeds {
    pub(super) fn new(seeds: Range<u64>) -> Self {
        Self::within(seeds, u64::MAX, Duration::MAX)
    }

    /// Those of these that can be run within some time, and so many in any case.
    pub(super) fn within(seeds: Range<u64>, least: u64, within: Duration) -> Self {
        let began = Instant::now();
        let done = Done { report: Report::default(), violated: None, said: began };
        let (first, end, next) = (seeds.start, seeds.end, AtomicU64::new(seeds.start));
        Self { first, next, end, least, within, began, done: Mutex::new(done) }
    }

    /// Runs one seed after the other, until there is none left or something is violated.
    pub(super) fn work(&self) {
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            let enough = seed - self.first >= self.least && self.began.elapsed() >= self.within;
            if seed >= self.end || enough {
                return;
            }
            let verdict = judge(&Plan::of(seed));
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            match verdict {
                Verdict::Sound(report) => done.report.add(&report),
                Verdict::Violated(violated) => {
                    self.next.store(self.end, Ordering::Relaxed);
                    let is_first = done.violated.as_ref().is_none_or(|other| violated.plan.seed < other.plan.seed);
                    if is_first {
                        done.violated = Some(*violated);
                    }
                }
            }
            if done.said.elapsed() >= SAY_EVERY {
                done.said = Instant::now();
                let ratio = done.report.ratio(self.began.elapsed());
                eprintln!("{} seeds, {ratio:.0} times real time", done.report.seeds);
            }
        }
    }

    /// What all seeds contained, how long they took, and what the first of them violates.
    pub(super) fn end(&self) -> (Report, Duration, Option<Violated>) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut done.report), self.began.elapsed(), done.violated.take())
    }
}
