//! Who has a free slot for which tool, in registry order.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{CostClass, ForagerNo, ToolNo};

use crate::forager::{Forager, ForagerState};

const CLASSES: usize = CostClass::ALL.len();

/// For every class and tool the foragers that take work, have the tool and have a free slot of the class.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FreeSlots {
    with: [BTreeMap<ToolNo, BTreeSet<ForagerNo>>; CLASSES],
    /// What `with` says of a forager, so that only changes cost.
    entered: BTreeMap<ForagerNo, (BTreeSet<ToolNo>, [bool; CLASSES])>,
}

impl FreeSlots {
    /// Brings what is said of a forager up to date. O(1) unless a class became full or free, or the tools changed.
    pub(crate) fn refresh(&mut self, forager: &Forager) {
        let takes_work = forager.state() == ForagerState::Ready;
        let free = CostClass::ALL.map(|class| takes_work && forager.free(class, &[0; CLASSES]) > 0);
        if let Some((tools, flags)) = self.entered.get(&forager.no) {
            if *flags == free && *tools == forager.tools {
                return;
            }
            let (tools, flags) = (tools.clone(), *flags);
            for class in (0..CLASSES).filter(|class| flags[*class]) {
                for tool in &tools {
                    self.leave(class, *tool, forager.no);
                }
            }
        }
        for class in (0..CLASSES).filter(|class| free[*class]) {
            for tool in &forager.tools {
                self.with[class].entry(*tool).or_default().insert(forager.no);
            }
        }
        self.entered.insert(forager.no, (forager.tools.clone(), free));
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
