//! `PutTool`: declares a tool, or changes its manifest for later submissions.

use std::sync::Arc;

use antfarm_model::Manifest;

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::outcome::Reply;

impl Step<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "every command answers alike")]
    pub(super) fn put_tool(&mut self, manifest: &Manifest) -> Answer {
        let no = self.tool_no(&manifest.name);
        if let Some(record) = self.state.core.tools.get_mut(&no)
            && record.manifest.as_deref() != Some(manifest)
        {
            record.manifest = Some(Arc::new(manifest.clone()));
            self.tell(Event::Tool { name: manifest.name.clone() });
        }
        Ok(Reply::Done)
    }
}
