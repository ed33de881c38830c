//! `DeleteTool`: withdraws a manifest that no graph uses.

use antfarm_model::Name;

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn delete_tool(&mut self, name: &Name) -> Answer {
        let no = *self.state.index.tools.get(name).ok_or_else(|| Refusal::UnknownTool(name.clone()))?;
        let record = self.state.core.tools.get_mut(&no).filter(|record| record.manifest.is_some());
        let record = record.ok_or_else(|| Refusal::UnknownTool(name.clone()))?;
        if record.users > 0 {
            return Err(Refusal::ToolInUse(name.clone()));
        }
        record.manifest = None;
        self.drop_tool_without_reason(no);
        self.tell(Event::Tool { name: name.clone() });
        Ok(Reply::Done)
    }
}
