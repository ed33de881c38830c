//! The names of tools: known while they have a manifest, a graph uses them, or a forager has them.

use std::collections::BTreeSet;
use std::sync::Arc;

use antfarm_model::{ForagerNo, Name, ToolNo};

use super::step::Step;
use crate::state::ToolRecord;

impl Step<'_> {
    /// The number of a tool's name; a new one for a new name.
    pub(super) fn tool_no(&mut self, name: &Name) -> ToolNo {
        if let Some(no) = self.state.index.tools.get(name) {
            return *no;
        }
        let core = &mut self.state.core;
        let no = core.next_tool;
        core.next_tool = ToolNo(no.0.checked_add(1).expect("there are fewer tools than log entries of a year"));
        core.tools.insert(no, ToolRecord { name: name.clone(), manifest: None, users: 0 });
        self.state.index.tools.insert(name.clone(), no);
        no
    }

    /// Sets the tools that a forager has, and forgets those that nobody knows any more.
    pub(super) fn set_tools(&mut self, forager: ForagerNo, tools: BTreeSet<ToolNo>) {
        let Some(before) = self.state.forager(forager).map(|record| Arc::clone(&record.tools)) else { return };
        for tool in tools.difference(&before) {
            *self.state.index.holders.entry(*tool).or_default() += 1;
        }
        let lost: Vec<ToolNo> = before.difference(&tools).copied().collect();
        for tool in &lost {
            self.forgive_tool(forager, *tool);
        }
        self.change_forager(forager, |record| record.tools = Arc::new(tools));
        for tool in lost {
            if let Some(holders) = self.state.index.holders.get_mut(&tool) {
                *holders -= 1;
                if *holders == 0 {
                    self.state.index.holders.remove(&tool);
                }
            }
            self.drop_tool_without_reason(tool);
        }
    }

    /// Forgets the name of a tool without a manifest that no graph uses and no forager has.
    pub(super) fn drop_tool_without_reason(&mut self, tool: ToolNo) {
        let Some(record) = self.state.core.tools.get(&tool) else { return };
        let reason = record.manifest.is_some() || record.users > 0 || self.state.index.holders.contains_key(&tool);
        if !reason {
            self.state.index.tools.remove(&record.name);
            self.state.core.tools.remove(&tool);
        }
    }
}
