//! What the sled engine promises of its own: refusal of damage, in a file that every later version reads.

use std::path::Path;

use tempfile::TempDir;

use crate::QueuedEngine;
use crate::engine_tests::{folder, record, records, wait};
use crate::sled_engine::SledEngine;
use crate::sled_engine::store::Closing;

mod damage;
mod golden;
mod survival;

/// Changes the stored bytes behind the engine's back.
fn tamper(folder: &TempDir, change: impl FnOnce(&sled::Db)) {
    let _closing = Closing::of(folder.path()).unwrap();
    let db = sled::Config::new().path(folder.path()).flush_every_ms(None).open().unwrap();
    change(&db);
    db.flush().unwrap();
}

fn open(folder: impl AsRef<Path>) -> QueuedEngine {
    SledEngine::open(folder.as_ref()).unwrap()
}
