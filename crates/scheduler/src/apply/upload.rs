//! `Upload`: keeps a part of a graph that is too large for one entry.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_model::Span;

use super::Answer;
use super::step::Step;
use crate::index::Timer;
use crate::outcome::{Refusal, Reply};
use crate::state::Upload;

/// Uploads that may be unfinished at the same time.
const MAX_UPLOADS: usize = 16;

/// How long an upload may take.
const UPLOAD_TIME: Span = Span::from_secs(60);

impl Step<'_> {
    pub(super) fn upload(&mut self, upload: u64, part: u32, bytes: &Arc<[u8]>) -> Answer {
        let dropped_at = self.elapsed().plus(UPLOAD_TIME);
        if !self.state.core.uploads.contains_key(&upload) {
            if self.state.core.uploads.len() >= MAX_UPLOADS {
                return Err(Refusal::TooManyUploads);
            }
            self.state.core.uploads.insert(upload, Upload { parts: BTreeMap::new(), dropped_at });
            self.state.index.timers.at_elapsed(dropped_at, Timer::Upload(upload));
        }
        let kept = self.state.core.uploads.entry(upload);
        kept.and_modify(|kept| {
            kept.parts.insert(part, Arc::clone(bytes));
        });
        Ok(Reply::Done)
    }
}
