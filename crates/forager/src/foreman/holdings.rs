//! The attempts that a forager holds: running, unstarted, ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass};
use antfarm_protocol::{Assign, AttemptRef, MAX_ATTEMPTS, RunningDigest, Work};

use crate::executor::{Run, Stop};
use crate::journal::{Open, Record, Remembered};
use crate::process::ProcessMark;
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
    /// Of those, what is unstarted.
    kept: [u32; CostClass::ALL.len()],
    guarded: usize,
    digest: RunningDigest,
}

/// An attempt that runs, or is started at the end of this turn.
pub(super) struct Running {
    /// What was assigned; not known of what a former process started.
    pub(super) assign: Option<Arc<Assign>>,
    pub(super) effects: EffectClass,
    pub(super) mark: u64,
    class: CostClass,
    process: Option<ProcessMark>,
    run: Option<Run>,
    pub(super) is_stopping: bool,
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
        self.run.is_some()
    }

    /// Whether it goes on when this process ends.
    pub(super) fn is_kept(&self) -> bool {
        self.run.as_ref().is_some_and(Run::is_kept)
    }

    /// Stops it. Stopped again, the earlier end and the first cause count.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.is_stopping = true;
        if let Some(run) = &mut self.run {
            run.stop(stop);
        }
    }
}

impl Holdings {
    /// What a former process left: ends that nobody has confirmed, and attempts that still run.
    pub(crate) fn of(remembered: Remembered, run: impl Fn(AttemptRef) -> Run) -> Self {
        let mut holdings = Self::default();
        remembered.reports.into_values().for_each(|report| holdings.end(report));
        for (attempt, Open { mark, class, effects, process }) in remembered.open {
            let run = Some(run(attempt));
            holdings.add(attempt, Running { assign: None, effects, mark, class, process, run, is_stopping: false });
        }
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

    /// Attempts that run or are kept for later, in all and of one class.
    pub(super) fn taken(&self, class: CostClass) -> (u32, u32) {
        (self.taken.iter().sum(), self.taken[class.index()])
    }

    /// Attempts that run, in all and of one class.
    pub(super) fn slots_taken(&self, class: CostClass) -> (u32, u32) {
        let (taken, of_class) = self.taken(class);
        (taken - self.kept.iter().sum::<u32>(), of_class - self.kept[class.index()])
    }

    /// Keeps an attempt for later.
    pub(super) fn hold(&mut self, assign: Assign) {
        let class = assign.work.class.index();
        if self.unstarted.insert(assign.attempt, assign).is_none() {
            self.taken[class] += 1;
            self.kept[class] += 1;
        }
    }

    /// Gives up an attempt that was kept for later.
    pub(super) fn release(&mut self, attempt: &AttemptRef) -> Option<Assign> {
        let assign = self.unstarted.remove(attempt)?;
        self.taken[assign.work.class.index()] -= 1;
        self.kept[assign.work.class.index()] -= 1;
        Some(assign)
    }

    /// An attempt is about to be started.
    pub(super) fn begin(&mut self, assign: Assign, mark: u64) {
        let attempt = assign.attempt;
        let Work { class, effects, .. } = *assign.work;
        let assign = Some(Arc::new(assign));
        self.add(attempt, Running { assign, effects, mark, class, process: None, run: None, is_stopping: false });
    }

    fn add(&mut self, attempt: AttemptRef, running: Running) {
        self.taken[running.class.index()] += 1;
        self.guarded += usize::from(running.effects == EffectClass::Guarded);
        self.digest.toggle(&attempt);
        let before = self.running.insert(attempt, running);
        assert!(before.is_none(), "an attempt is started once");
    }

    pub(super) fn running_mut(&mut self, attempt: &AttemptRef) -> Option<&mut Running> {
        self.running.get_mut(attempt)
    }

    /// The tool of an attempt was called.
    pub(super) fn launched(&mut self, attempt: &AttemptRef, run: Run) {
        if let Some(running) = self.running.get_mut(attempt) {
            running.run = Some(run);
        }
    }

    /// Notes an attempt's process, and says whether the attempt runs.
    pub(super) fn note_process(&mut self, attempt: &AttemptRef, process: ProcessMark) -> bool {
        let running = self.running.get_mut(attempt);
        running.map(|running| running.process = Some(process)).is_some()
    }

    /// An attempt runs no more.
    pub(super) fn finish(&mut self, attempt: &AttemptRef) -> Option<Running> {
        let running = self.running.remove(attempt)?;
        self.taken[running.class.index()] -= 1;
        self.guarded -= usize::from(running.effects == EffectClass::Guarded);
        self.digest.toggle(attempt);
        Some(running)
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

    /// How many of those that run end with this process.
    pub(super) fn unkept_count(&self) -> usize {
        self.running.values().filter(|running| !running.is_kept()).count()
    }

    pub(super) fn is_kept(&self, attempt: &AttemptRef) -> bool {
        self.running.get(attempt).is_some_and(Running::is_kept)
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
            let Running { mark, class, effects, .. } = *running;
            let started = Record::Started { attempt: *attempt, mark, class, effects };
            let process = running.process.map(|process| Record::Process { attempt: *attempt, process });
            std::iter::once(started).chain(process)
        });
        started.chain(self.ended.values().map(|report| Record::Ended(vec![report.clone()])))
    }
}

#[cfg(test)]
mod tests;
