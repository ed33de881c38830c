//! Who has a free slot, or room to keep something until a slot is free, for which tool, in registry order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{CostClass, ForagerNo, ToolNo};

use crate::forager::{Forager, ForagerState};
use crate::standing::ToolStanding;

const CLASSES: usize = CostClass::ALL.len();

/// What is asked of a forager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A slot that is free now.
    Slot,
    /// A slot, or room to keep an attempt until one is free.
    Room,
}

impl Wanted {
    const ALL: [Self; 2] = [Self::Slot, Self::Room];

    /// How much of it there is at a forager, where so many more attempts than it has are counted as open, or fewer.
    pub(crate) fn at(self, forager: &Forager, class: CostClass, more: &[i64; CLASSES]) -> u32 {
        match self {
            Self::Slot => forager.free(class, more),
            Self::Room => forager.room(class, more),
        }
    }
}

/// For everything that can be wanted, every class and tool: the foragers that take work, have the tool and have that.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FreeSlots {
    with: [[BTreeMap<ToolNo, BTreeSet<ForagerNo>>; CLASSES]; Wanted::ALL.len()],
    /// What `with` says of a forager, so that only changes cost.
    entered: BTreeMap<ForagerNo, Entered>,
}

/// A forager as it was entered.
#[derive(Debug, PartialEq)]
struct Entered {
    tools: Arc<BTreeSet<ToolNo>>,
    /// Tools that are quarantined there, so that they were not entered.
    quarantined: Vec<ToolNo>,
    free: [[bool; CLASSES]; Wanted::ALL.len()],
}

impl Entered {
    fn new(forager: &Forager) -> Self {
        let takes_work = forager.state() == ForagerState::Ready;
        let is_quarantined = |(tool, standing): (ToolNo, &ToolStanding)| standing.quarantined_until.map(|_| tool);
        Self {
            tools: Arc::clone(&forager.tools),
            quarantined: forager.standing.tools().filter_map(is_quarantined).collect(),
            free: Wanted::ALL
                .map(|wanted| CostClass::ALL.map(|class| takes_work && wanted.at(forager, class, &[0; CLASSES]) > 0)),
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.free == other.free && self.quarantined == other.quarantined && Arc::ptr_eq(&self.tools, &other.tools)
    }

    /// Where it stands: by what can be wanted, class and tool.
    fn places(&self) -> impl Iterator<Item = (usize, usize, ToolNo)> {
        let tools = || self.tools.iter().filter(|tool| !self.quarantined.contains(tool));
        let all = (0..Wanted::ALL.len()).flat_map(|wanted| (0..CLASSES).map(move |class| (wanted, class)));
        all.filter(|(wanted, class)| self.free[*wanted][*class])
            .flat_map(move |(wanted, class)| tools().map(move |tool| (wanted, class, *tool)))
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
        for (wanted, class, tool) in entered.places() {
            self.with[wanted][class].entry(tool).or_default().insert(forager.no);
        }
        self.entered.insert(forager.no, entered);
    }

    /// Forgets a forager.
    pub(crate) fn remove(&mut self, forager: ForagerNo) {
        let Some(before) = self.entered.remove(&forager) else { return };
        for (wanted, class, tool) in before.places() {
            leave(&mut self.with[wanted][class], tool, forager);
        }
    }

    /// The foragers from `first` on that have what is wanted for `class`, and have `tool`, in registry order.
    pub(crate) fn with(
        &self,
        wanted: Wanted,
        class: CostClass,
        tool: ToolNo,
        first: ForagerNo,
    ) -> impl Iterator<Item = ForagerNo> + use<'_> {
        let of_class = &self.with[wanted as usize][class.index()];
        of_class.get(&tool).into_iter().flat_map(move |foragers| foragers.range(first..)).copied()
    }
}

fn leave(with: &mut BTreeMap<ToolNo, BTreeSet<ForagerNo>>, tool: ToolNo, forager: ForagerNo) {
    if let Some(foragers) = with.get_mut(&tool) {
        foragers.remove(&forager);
        if foragers.is_empty() {
            with.remove(&tool);
        }
    }
}
