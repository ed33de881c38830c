//! The attempts that a forager holds: running, unstarted, ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass};
use antfarm_protocol::{Assign, AttemptRef, MAX_ATTEMPTS, RunningDigest};
use tokio::sync::oneshot;

use crate::executor::{Log, Run, Stop};
use crate::journal::{ProcessMark, Record, Remembered};
use crate::report::Report;

/// Reports that no queen has confirmed take at most about this much memory; nothing new is begun beyond, in bytes.
const UNCONFIRMED_BYTES: usize = 64 << 20;

/// Confirmed attempts that are still recognised, should a message about them have been on its way.
const RECENT: usize = 4_096;

/// Every attempt that must not be forgotten. In all never more than [`MAX_ATTEMPTS`], so that a hello can name them.
#[derive(Default)]
pub(crate) struct Holdings {
    running: BTreeMap<AttemptRef, Running>,
    unstarted: BTreeMap<AttemptRef, Assign>,
    ended: BTreeMap<AttemptRef, Report>,
    ended_bytes: usize,
    recent: BTreeSet<AttemptRef>,
    recent_order: VecDeque<AttemptRef>,
    taken: [u32; CostClass::ALL.len()],
    guarded: usize,
    digest: RunningDigest,
}

/// An attempt that runs, or is started at the end of this turn.
pub(super) struct Running {
    pub(super) assign: Arc<Assign>,
    pub(super) mark: u64,
    process: Option<ProcessMark>,
    launched: Option<Launched>,
    pub(super) stopping: Option<StopCause>,
}

struct Launched {
    stop: Option<oneshot::Sender<Stop>>,
    log: Arc<Log>,
}

/// An attempt that ran.
pub(super) struct Finished {
    pub(super) assign: Arc<Assign>,
    /// Why it was stopped, if it was.
    pub(super) cause: Option<StopCause>,
    pub(super) log: Option<Arc<Log>>,
}

/// Why a run is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// The leader cancelled it.
    Cancelled,
    /// The lease is over, or the forager ends.
    Interrupted,
}

/// What is known of an attempt.
pub(super) enum Known<'a> {
    /// Nothing.
    New,
    /// It is held, unstarted.
    Unstarted,
    /// It runs, or is about to.
    Running(&'a mut Running),
    /// It has ended.
    Ended(&'a Report),
    /// It had ended, and that was confirmed.
    Confirmed,
}

impl Running {
    /// Whether its tool was called.
    pub(super) fn is_launched(&self) -> bool {
        self.launched.is_some()
    }

    /// Stops it, once. The first cause counts.
    pub(super) fn stop(&mut self, cause: StopCause, stop: Stop) {
        if self.stopping.is_none() {
            self.stopping = Some(cause);
        }
        let sender = self.launched.as_mut().and_then(|launched| launched.stop.take());
        if let Some(sender) = sender {
            // It may have ended by itself in this moment.
            let _ = sender.send(stop);
        }
    }
}

impl Holdings {
    /// What a former process left; what it had started is reported as interrupted.
    pub(crate) fn of(remembered: Remembered) -> Self {
        let mut holdings = Self::default();
        remembered.reports.into_values().for_each(|report| holdings.end(report));
        holdings
    }

    pub(super) fn know(&mut self, attempt: &AttemptRef) -> Known<'_> {
        if let Some(running) = self.running.get_mut(attempt) {
            Known::Running(running)
        } else if let Some(report) = self.ended.get(attempt) {
            Known::Ended(report)
        } else if self.unstarted.contains_key(attempt) {
            Known::Unstarted
        } else if self.recent.contains(attempt) {
            Known::Confirmed
        } else {
            Known::New
        }
    }

    /// Whether one more attempt can be remembered to its end.
    pub(super) fn has_memory(&self) -> bool {
        let held = self.running.len() + self.unstarted.len() + self.ended.len();
        held < MAX_ATTEMPTS && self.ended_bytes < UNCONFIRMED_BYTES
    }

    /// Slots that are taken, in all and of one class.
    pub(super) fn taken(&self, class: CostClass) -> (u32, u32) {
        (self.taken.iter().sum(), self.taken[class.index()])
    }

    /// Keeps an attempt for later; it takes a slot.
    pub(super) fn hold(&mut self, assign: Assign) {
        let class = assign.class.index();
        if self.unstarted.insert(assign.attempt, assign).is_none() {
            self.taken[class] += 1;
        }
    }

    /// Gives up an attempt that was kept for later.
    pub(super) fn release(&mut self, attempt: &AttemptRef) -> Option<Assign> {
        let assign = self.unstarted.remove(attempt)?;
        self.taken[assign.class.index()] -= 1;
        Some(assign)
    }

    /// An attempt is about to be started.
    pub(super) fn begin(&mut self, assign: Assign, mark: u64) {
        let attempt = assign.attempt;
        self.taken[assign.class.index()] += 1;
        self.guarded += usize::from(assign.effects == EffectClass::Guarded);
        self.digest.toggle(&attempt);
        let running = Running { assign: Arc::new(assign), mark, process: None, launched: None, stopping: None };
        let before = self.running.insert(attempt, running);
        assert!(before.is_none(), "an attempt is started once");
    }

    pub(super) fn running_mut(&mut self, attempt: &AttemptRef) -> Option<&mut Running> {
        self.running.get_mut(attempt)
    }

    /// The tool of an attempt was called.
    pub(super) fn launched(&mut self, attempt: &AttemptRef, run: Run) {
        if let Some(running) = self.running.get_mut(attempt) {
            running.launched = Some(Launched { stop: Some(run.stop), log: run.log });
        }
    }

    /// Notes an attempt's process, and says whether the attempt runs.
    pub(super) fn note_process(&mut self, attempt: &AttemptRef, process: ProcessMark) -> bool {
        let running = self.running.get_mut(attempt);
        running.map(|running| running.process = Some(process)).is_some()
    }

    /// An attempt runs no more.
    pub(super) fn finish(&mut self, attempt: &AttemptRef) -> Option<Finished> {
        let running = self.running.remove(attempt)?;
        self.taken[running.assign.class.index()] -= 1;
        self.guarded -= usize::from(running.assign.effects == EffectClass::Guarded);
        self.digest.toggle(attempt);
        let log = running.launched.map(|launched| launched.log);
        Some(Finished { assign: running.assign, cause: running.stopping, log })
    }

    /// Keeps the end of an attempt until it is confirmed.
    pub(super) fn end(&mut self, report: Report) {
        self.ended_bytes += report.size();
        let before = self.ended.insert(report.attempt(), report);
        assert!(before.is_none(), "an attempt ends once");
    }

    /// Forgets an end, and says whether there was one.
    pub(super) fn forget(&mut self, attempt: &AttemptRef) -> bool {
        let Some(report) = self.ended.remove(attempt) else { return false };
        self.ended_bytes -= report.size();
        self.recent.insert(*attempt);
        self.recent_order.push_back(*attempt);
        if self.recent_order.len() > RECENT
            && let Some(oldest) = self.recent_order.pop_front()
        {
            self.recent.remove(&oldest);
        }
        true
    }

    pub(super) fn log(&self, attempt: &AttemptRef) -> Option<&Arc<Log>> {
        self.running.get(attempt)?.launched.as_ref().map(|launched| &launched.log)
    }

    pub(super) fn running(&self) -> impl Iterator<Item = &AttemptRef> {
        self.running.keys()
    }

    pub(super) fn all_running_mut(&mut self) -> impl Iterator<Item = (&AttemptRef, &mut Running)> {
        self.running.iter_mut()
    }

    pub(super) fn unstarted(&self) -> impl Iterator<Item = (&AttemptRef, &Assign)> {
        self.unstarted.iter()
    }

    pub(super) fn ended(&self) -> impl Iterator<Item = &Report> {
        self.ended.values()
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest.value()
    }

    pub(super) fn running_count(&self) -> usize {
        self.running.len()
    }

    pub(super) fn unstarted_count(&self) -> usize {
        self.unstarted.len()
    }

    pub(super) fn ended_count(&self) -> usize {
        self.ended.len()
    }

    pub(super) fn runs_guarded(&self) -> bool {
        self.guarded > 0
    }

    /// All that a journal must know of it.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        let started = self.running.iter().flat_map(|(attempt, running)| {
            let started = Record::Started { attempt: *attempt, mark: running.mark };
            let process = running.process.map(|process| Record::Process { attempt: *attempt, process });
            std::iter::once(started).chain(process)
        });
        started.chain(self.ended.values().cloned().map(Record::Ended))
    }
}

#[cfg(test)]
mod tests;
