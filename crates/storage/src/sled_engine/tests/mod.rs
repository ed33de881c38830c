//! What the sled engine promises beyond the trait: survival, honesty about syncs, and refusal of damage.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;

use crate::StorageError;
use crate::engine::{OnDurable, Record};
use crate::sled_engine::SledEngine;
use crate::sled_engine::store::Closing;

mod damage;
mod fuzz;
mod golden;
mod honesty;
mod survival;

/// Far longer than any disk takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// Changes the stored bytes behind the engine's back.
fn tamper(folder: &TempDir, change: impl FnOnce(&sled::Db)) {
    let _closing = Closing::of(folder.path()).unwrap();
    let db = sled::Config::new().path(folder.path()).flush_every_ms(None).open().unwrap();
    change(&db);
    db.flush().unwrap();
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn open(folder: impl AsRef<Path>) -> SledEngine {
    SledEngine::open(folder.as_ref()).unwrap()
}

fn record(index: u64, payload: &[u8]) -> Record {
    Record { index, payload: Bytes::copy_from_slice(payload) }
}

fn records(indices: std::ops::Range<u64>) -> Vec<Record> {
    indices.map(|index| record(index, format!("record {index}").as_bytes())).collect()
}

fn callback() -> (OnDurable, Receiver<Result<(), StorageError>>) {
    let (sender, receiver) = channel();
    (Box::new(move |answer| drop(sender.send(answer))), receiver)
}

fn wait(change: impl FnOnce(OnDurable)) -> Result<(), StorageError> {
    let (done, durable) = callback();
    change(done);
    durable.recv_timeout(PATIENCE).unwrap()
}
