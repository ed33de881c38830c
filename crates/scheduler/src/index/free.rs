//! Who has a free slot for which tool, in registry order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{CostClass, ForagerNo, ToolNo};

use crate::forager::{Forager, ForagerState};
use crate::standing::ToolStanding;

const CLASSES: usize = CostClass::ALL.len();

/// For every class and tool the foragers that take work, have the tool and have a free slot of the class.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FreeSlots {
    with: [BTreeMap<ToolNo, BTreeSet<ForagerNo>>; CLASSES],
    /// What `with` says of a forager, so that only changes cost.
    entered: BTreeMap<ForagerNo, Entered>,
}

/// A forager as it was entered.
#[derive(Debug, PartialEq)]
struct Entered {
    tools: Arc<BTreeSet<ToolNo>>,
    /// Tools that are quarantined there, so that they were not entered.
    quarantined: Vec<ToolNo>,
    free: [bool; CLASSES],
}

impl Entered {
    fn new(forager: &Forager) -> Self {
        let takes_work = forager.state() == ForagerState::Ready;
        let is_quarantined = |(tool, standing): (ToolNo, &ToolStanding)| standing.quarantined_until.map(|_| tool);
        Self {
            tools: Arc::clone(&forager.tools),
            quarantined: forager.standing.tools().filter_map(is_quarantined).collect(),
            free: CostClass::ALL.map(|class| takes_work && forager.free(class, &[0; CLASSES]) > 0),
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.free == other.free && self.quarantined == other.quarantined && Arc::ptr_eq(&self.tools, &other.tools)
    }

    /// Where it stands: by class and tool.
    fn places(&self) -> impl Iterator<Item = (usize, ToolNo)> {
        let tools = || self.tools.iter().filter(|tool| !self.quarantined.contains(tool));
        (0..CLASSES).filter(|class| self.free[*class]).flat_map(move |class| tools().map(move |tool| (class, *tool)))
    }
}

impl FreeSlots {
    /// Brings what is said of a forager up to date. O(1) unless a class became full or free, or the tools changed.
    pub(crate) fn refresh(&mut self, forager: &Forager) {
        let entered = Entered::new(forager);
        if self.entered.get(&forager.no).is_some_and(|before| before.says_the_same(&entered)) {
            return;
        }
        self.remove(forager.no);
        for (class, tool) in entered.places() {
            self.with[class].entry(tool).or_default().insert(forager.no);
        }
        self.entered.insert(forager.no, entered);
    }

    /// Forgets a forager.
    pub(crate) fn remove(&mut self, forager: ForagerNo) {
        let Some(before) = self.entered.remove(&forager) else { return };
        for (class, tool) in before.places() {
            self.leave(class, tool, forager);
        }
    }

    /// The foragers from `first` on with a free slot of `class` and with `tool`, in registry order.
    pub(crate) fn with(
        &self,
        class: CostClass,
        tool: ToolNo,
        first: ForagerNo,
    ) -> impl Iterator<Item = ForagerNo> + use<'_> {
        self.with[class.index()].get(&tool).into_iter().flat_map(move |foragers| foragers.range(first..)).copied()
    }

    fn leave(&mut self, class: usize, tool: ToolNo, forager: ForagerNo) {
        if let Some(foragers) = self.with[class].get_mut(&tool) {
            foragers.remove(&forager);
            if foragers.is_empty() {
                self.with[class].remove(&tool);
            }
        }
    }
}
