//! Who has a free slot for which tool, in registry order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{CostClass, ForagerNo, ToolNo};

use crate::forager::{Forager, ForagerState};

const CLASSES: usize = CostClass::ALL.len();

/// For every class and tool the foragers that take work, have the tool and have a free slot of the class.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FreeSlots {
    with: [BTreeMap<ToolNo, BTreeSet<ForagerNo>>; CLASSES],
    /// What `with` says of a forager, so that only changes cost.
    entered: BTreeMap<ForagerNo, (Arc<BTreeSet<ToolNo>>, [bool; CLASSES])>,
}

impl FreeSlots {
    /// Brings what is said of a forager up to date. O(1) unless a class became full or free, or the tools changed.
    pub(crate) fn refresh(&mut self, forager: &Forager) {
        let takes_work = forager.state() == ForagerState::Ready;
        let free = CostClass::ALL.map(|class| takes_work && forager.free(class, &[0; CLASSES]) > 0);
        if let Some((tools, flags)) = self.entered.get(&forager.no) {
            if *flags == free && Arc::ptr_eq(tools, &forager.tools) {
                return;
            }
            let (tools, flags) = (Arc::clone(tools), *flags);
            for class in (0..CLASSES).filter(|class| flags[*class]) {
                for tool in tools.iter() {
                    self.leave(class, *tool, forager.no);
                }
            }
        }
        for class in (0..CLASSES).filter(|class| free[*class]) {
            for tool in forager.tools.iter() {
                self.with[class].entry(*tool).or_default().insert(forager.no);
            }
        }
        self.entered.insert(forager.no, (Arc::clone(&forager.tools), free));
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
