//! What is known of one forager, and what it should run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{
    CostClass, Elapsed, Epoch, Fence, ForagerNo, GraphNo, Incarnation, Name, NodeNo, ToolNo, WallTime,
};
use serde::{Deserialize, Serialize};

use crate::instance::AttemptTimes;
use crate::instances::{AttemptId, InstanceId};
use crate::standing::Standing;

const CLASSES: usize = CostClass::ALL.len();

/// Whether a forager takes work, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForagerState {
    /// It takes work.
    Ready,
    /// It finishes what it has.
    Draining,
    /// It is not heard.
    Suspect,
    /// Its lease is over.
    Lost,
    /// It rejected too much in a row, and gets nothing for a while.
    Quarantined,
}

impl ForagerState {
    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Draining => "draining",
            Self::Suspect => "suspect",
            Self::Lost => "lost",
            Self::Quarantined => "quarantined",
        }
    }
}

/// Why an attempt is to be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// Its graph was cancelled or failed.
    GraphStopped,
    /// Its deadline passed.
    Deadline,
    /// It ran too long.
    Timeout,
    /// Another attempt at the same instance won.
    Superseded,
}

/// An open attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The incarnation that it is addressed to.
    pub incarnation: Incarnation,
    /// The leadership that assigned it.
    pub epoch: Epoch,
    /// When it was assigned.
    pub assigned_at: Elapsed,
    /// When its start was committed, if it was.
    pub started_at: Option<Elapsed>,
    /// Why it is to be cancelled, if it is.
    pub cancel: Option<CancelReason>,
    /// The same moments by the cluster's wall clock, for people.
    pub times: AttemptTimes,
}

impl Attempt {
    /// Notes that it has started; tells whether that is new.
    pub(crate) fn note_start(&mut self, now: Elapsed, wall: WallTime) -> bool {
        let new = self.started_at.is_none();
        self.started_at.get_or_insert(now);
        self.times.started_at.get_or_insert(wall);
        new
    }
}

/// A forager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forager {
    /// The number: its place in the registry order.
    pub no: ForagerNo,
    /// The name.
    pub name: Name,
    /// The registration that counts.
    pub incarnation: Incarnation,
    /// When it was registered.
    pub registered_at: Elapsed,
    /// The number that the registered process drew when it started, if it draws one.
    pub process: Option<u64>,
    /// How many attempts it runs at once.
    pub slots: u32,
    /// How many of one class, by [`CostClass::index`].
    pub class_slots: [Option<u32>; CLASSES],
    /// How many attempts it takes beyond its slots.
    pub prefetch: u32,
    /// The tools that it has.
    pub tools: Arc<BTreeSet<ToolNo>>,
    /// After how many lost foragers in a row an instance fails as poison.
    pub poison_limit: u32,
    /// It finishes what it has and gets no more.
    pub draining: bool,
    /// It is not heard.
    pub suspect: bool,
    /// Its lease is over.
    pub lost: bool,
    /// When it is forgotten, if it is lost.
    pub forget_at: Option<Elapsed>,
    /// What speaks against it.
    pub standing: Standing,
    /// What it should run, by class; free slots follow from it.
    pub open: [BTreeMap<AttemptId, Attempt>; CLASSES],
}

impl Forager {
    /// Whether it takes work, and why not.
    pub fn state(&self) -> ForagerState {
        if self.lost {
            ForagerState::Lost
        } else if self.suspect {
            ForagerState::Suspect
        } else if self.standing.quarantined_until.is_some() {
            ForagerState::Quarantined
        } else if self.draining {
            ForagerState::Draining
        } else {
            ForagerState::Ready
        }
    }

    /// Whether this is the record of the process that drew that number.
    pub fn is_process(&self, number: Option<u64>) -> bool {
        number.is_some() && number == self.process
    }

    /// Whether a process may register under the name: the one that has it, one that holds the journal of the incarnation
    /// that counts, or any when that incarnation's lease is over. Two processes never have one name at the same time.
    pub fn may_be_followed_by(&self, process: Option<u64>, former: Option<Incarnation>) -> bool {
        self.lost || self.is_process(process) || former == Some(self.incarnation)
    }

    /// Whether it has a tool, and is not kept from it.
    pub(crate) fn may_use(&self, tool: ToolNo) -> bool {
        self.tools.contains(&tool) && self.standing.tool_quarantined_until(tool).is_none()
    }

    /// The number of its open attempts.
    pub fn open_count(&self) -> u32 {
        self.open.iter().map(|attempts| u32::try_from(attempts.len()).unwrap_or(u32::MAX)).sum()
    }

    /// How many more attempts of `class` it could run at once, where so many more of each class than it has are counted as
    /// open, or fewer.
    pub fn free(&self, class: CostClass, more: &[i64; CLASSES]) -> u32 {
        self.left(class, more, 0)
    }

    /// How many more attempts of `class` it takes, to run them or to keep them until a slot is free.
    pub fn room(&self, class: CostClass, more: &[i64; CLASSES]) -> u32 {
        self.left(class, more, self.prefetch)
    }

    fn left(&self, class: CostClass, more: &[i64; CLASSES], beyond: u32) -> u32 {
        let open = |class: usize| i64::try_from(self.open[class].len()).unwrap_or(i64::MAX).saturating_add(more[class]);
        let total = (0..CLASSES).map(open).fold(0, i64::saturating_add);
        let of_class = class.index();
        let left = |limit: u32, open: i64| i64::from(limit.saturating_add(beyond)).saturating_sub(open);
        let of_class = self.class_slots[of_class].map_or(i64::MAX, |limit| left(limit, open(of_class)));
        u32::try_from(left(self.slots, total).min(of_class).max(0)).unwrap_or(u32::MAX)
    }

    /// An open attempt of its own.
    pub fn attempt(&self, id: &AttemptId) -> Option<&Attempt> {
        self.open.iter().find_map(|attempts| attempts.get(id))
    }

    pub(crate) fn attempt_mut(&mut self, id: &AttemptId) -> Option<&mut Attempt> {
        self.open.iter_mut().find_map(|attempts| attempts.get_mut(id))
    }

    /// Its open attempts of a graph, class by class.
    pub(crate) fn attempts_of(&self, graph: GraphNo) -> impl Iterator<Item = &AttemptId> {
        let first = |graph| AttemptId { instance: InstanceId { graph, node: NodeNo(0), index: 0 }, fence: Fence(0) };
        let all = first(graph)..first(GraphNo(graph.0.saturating_add(1)));
        self.open.iter().flat_map(move |attempts| attempts.range(all.clone())).map(|(id, _)| id)
    }

    /// All its open attempts, class by class.
    pub fn attempts(&self) -> impl Iterator<Item = (&AttemptId, &Attempt)> {
        self.open.iter().flatten()
    }
}
