//! A forager process that keeps the contract's rules, without a process or a disk.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{Epoch, Incarnation};
use antfarm_scheduler::AttemptId;

/// A message of a leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToForager {
    Assign { attempt: AttemptId, may_overlap: bool },
    Cancel { attempt: AttemptId },
    Lease { until: u64 },
}

/// The rules that foragers and leaders keep; a simulation without one of them must find a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own, switched off alone")]
pub(super) struct Rules {
    /// A forager ignores lower epochs than it has seen.
    pub(super) fencing: bool,
    /// A forager kills guarded attempts when its lease ends.
    pub(super) lease: bool,
    /// A forager remembers what it started, cancelled or ended.
    pub(super) journal: bool,
    /// A leader gives nothing to an incarnation whose loss or successor it has proposed.
    pub(super) withholding: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { fencing: true, lease: true, journal: true, withholding: true }
    }
}

#[derive(Debug, Default)]
pub(super) struct Forager {
    pub(super) rules: Rules,
    /// Which name it has; two processes have each.
    pub(super) name: usize,
    /// The number that it drew when it started.
    pub(super) process: u64,
    /// The incarnation of the process before it, whose journal it holds.
    pub(super) former: Option<Incarnation>,
    pub(super) incarnation: Option<Incarnation>,
    pub(super) epoch_seen: Epoch,
    pub(super) lease_until: u64,
    /// Whether each attempt may overlap.
    pub(super) running: BTreeMap<AttemptId, bool>,
    /// Started, cancelled or ended before: never started again. Stands for the journal.
    pub(super) known: BTreeSet<AttemptId>,
    /// Ends that no leader has confirmed: whether the attempt succeeded, or was interrupted.
    pub(super) ended: BTreeMap<AttemptId, bool>,
    /// It hears and says nothing until then.
    pub(super) cut_until: u64,
    /// The same, as far as the leader of that term is concerned.
    pub(super) cut_from: Option<u64>,
}

impl Forager {
    /// Whether it is cut off from the leader of a term.
    pub(super) fn is_cut_from(&self, term: u64, now: u64) -> bool {
        now < self.cut_until && self.cut_from.is_none_or(|from| from == term)
    }

    /// The process ends, and another one begins with its journal.
    pub(super) fn restart(&mut self, process: u64) {
        self.former = self.incarnation.or(self.former);
        self.incarnation = None;
        self.process = process;
        self.lease_until = 0;
    }

    /// Whether a message of that epoch counts; the highest one is remembered.
    pub(super) fn accepts(&mut self, epoch: Epoch) -> bool {
        let fresh = epoch >= self.epoch_seen || !self.rules.fencing;
        self.epoch_seen = self.epoch_seen.max(epoch);
        fresh
    }

    /// Whether an assigned attempt starts now.
    pub(super) fn starts(&mut self, attempt: AttemptId, may_overlap: bool, now: u64) -> bool {
        let unleased = self.rules.lease && !may_overlap && now >= self.lease_until;
        if unleased || (!self.known.insert(attempt) && self.rules.journal) {
            return false;
        }
        self.running.insert(attempt, may_overlap);
        true
    }

    /// Ends an attempt; tells whether it ran.
    pub(super) fn ends(&mut self, attempt: AttemptId, succeeded: bool) -> bool {
        let ran = self.running.remove(&attempt).is_some();
        self.known.insert(attempt);
        if ran {
            self.ended.insert(attempt, succeeded);
        }
        ran
    }

    /// What must be killed because the lease is over.
    pub(super) fn unleased(&self, now: u64) -> Vec<AttemptId> {
        let over = self.rules.lease && now >= self.lease_until;
        self.running.iter().filter(|(_, may_overlap)| over && !**may_overlap).map(|(id, _)| *id).collect()
    }
}
