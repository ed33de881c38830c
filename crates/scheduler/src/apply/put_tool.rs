//! `PutTool`: declares a tool, or changes its manifest for later submissions.

use std::sync::Arc;

use antfarm_model::{Manifest, Name, ToolNo};

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::outcome::Reply;
use crate::state::ToolRecord;

impl Step<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "every command answers alike")]
    pub(super) fn put_tool(&mut self, manifest: &Manifest) -> Answer {
        let no = self.tool_no(&manifest.name);
        let record = &mut self.state.core.tools[no.0 as usize];
        if record.manifest.as_deref() != Some(manifest) {
            record.manifest = Some(Arc::new(manifest.clone()));
            self.tell(Event::Tool { name: manifest.name.clone() });
        }
        Ok(Reply::Done)
    }

    /// The number of a tool's name; a new one for a new name.
    pub(super) fn tool_no(&mut self, name: &Name) -> ToolNo {
        if let Some(no) = self.state.index.tools.get(name) {
            return *no;
        }
        let tools = &mut self.state.core.tools;
        let no = ToolNo(u32::try_from(tools.len()).expect("there are fewer tools than log entries of a year"));
        tools.push(ToolRecord { name: name.clone(), manifest: None, users: 0 });
        self.state.index.tools.insert(name.clone(), no);
        no
    }
}
