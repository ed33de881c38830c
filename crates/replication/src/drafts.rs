//! Graphs are read before their submission is applied, and never while the state is locked.
//!
//! A large graph comes in parts. Each replica begins to read it when the last part is applied, beside the log, on a thread
//! that may be held up; the leader submits it when it has read it itself. What was read follows from the bytes alone, so
//! it matters to nobody who has read them, and when.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antfarm_env::Env;
use antfarm_scheduler::{Command, Draft, Drafts, Entry, GraphSource};
use tokio::sync::watch;

use crate::feed::Feed;

/// Graphs with more bytes in the command itself are read on a thread that may be held up, too.
const MAX_AT_ONCE_BYTES: usize = 64 << 10;

/// The graphs that this replica reads ahead: no more than the state has uploads. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Drafting {
    env: Env,
    feed: Feed,
    /// By upload.
    begun: Arc<Mutex<BTreeMap<u64, Reading>>>,
}

/// A graph that is being read.
#[derive(Clone)]
struct Reading {
    /// Closed when it is over.
    over: watch::Receiver<()>,
    /// What was read, until it is taken.
    draft: Arc<Mutex<Option<Draft>>>,
}

impl Drafting {
    pub(crate) fn new(env: Env, feed: Feed) -> Self {
        Self { env, feed, begun: Arc::default() }
    }

    /// What was read of the graphs that an entry submits, which is about to be applied. Waits for what is being read.
    pub(crate) async fn drafts_for(&self, entry: &Entry) -> Drafts {
        let mut drafts = Drafts::default();
        for command in &entry.commands {
            let Command::Submit(source) = command else { continue };
            if let Some(draft) = self.draft_of(source).await {
                drafts.add(draft);
            }
        }
        drafts
    }

    async fn draft_of(&self, source: &GraphSource) -> Option<Draft> {
        let parts = match source {
            GraphSource::Inline(bytes) if bytes.len() <= MAX_AT_ONCE_BYTES => {
                return Some(Draft::read(vec![Arc::clone(bytes)]));
            }
            GraphSource::Inline(bytes) => vec![Arc::clone(bytes)],
            GraphSource::Uploaded { upload, parts } => {
                let begun = self.begun().remove(upload);
                if let Some(mut reading) = begun {
                    let _ = reading.over.changed().await; // it is closed, and never changes
                    return reading.draft.lock().unwrap_or_else(PoisonError::into_inner).take();
                }
                // It was not begun: the parts are from a snapshot. If some are missing, apply says so.
                self.feed.read(|state| state.uploaded(*upload, *parts))?
            }
        };
        Some(self.env.blocking(move || Draft::read(parts)).await)
    }

    /// An entry was applied: begins to read the graphs whose last part it brought, and forgets those that are gone.
    pub(crate) fn follow(&self, entry: &Entry) {
        let mut begun = self.begun();
        if !begun.is_empty() {
            self.feed.read(|state| begun.retain(|upload, _| state.is_uploading(*upload)));
        }
        drop(begun);
        for command in &entry.commands {
            let Command::Upload { upload, parts, .. } = command else { continue };
            let complete = self.feed.read(|state| state.uploaded(*upload, *parts));
            if let Some(parts) = complete {
                self.begin(*upload, parts);
            }
        }
    }

    fn begin(&self, upload: u64, parts: Vec<Arc<[u8]>>) {
        let (ends, over) = watch::channel(());
        let reading = Reading { over, draft: Arc::default() };
        let (env, draft) = (self.env.clone(), Arc::clone(&reading.draft));
        self.begun().insert(upload, reading);
        self.env.spawn(async move {
            let read = env.blocking(move || Draft::read(parts)).await;
            *draft.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
            drop(ends);
        });
    }

    /// Waits until an upload that is complete was read here, or is gone.
    pub(crate) async fn drafted(&self, upload: u64) {
        let begun = self.begun().get(&upload).cloned();
        if let Some(mut reading) = begun {
            let _ = reading.over.changed().await; // it is closed, and never changes
        }
    }

    /// Another state has taken the place of the one whose uploads were read.
    pub(crate) fn clear(&self) {
        self.begun().clear();
    }

    fn begun(&self) -> MutexGuard<'_, BTreeMap<u64, Reading>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
