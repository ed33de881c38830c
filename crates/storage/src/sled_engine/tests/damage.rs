//! What is not as it was written is refused.

use std::path::Path;

use tempfile::TempDir;

use super::{folder, open, record, records, tamper, wait};
use crate::engine::{Fact, LogEngine};
use crate::error::{Damage, Item, StorageError};
use crate::sled_engine::SledEngine;
use crate::sled_engine::value::{START_KEY, VOTE_KEY, fact_key, piece_key};

#[test]
fn a_changed_bit_in_any_value_is_refused() {
    for (key, item) in [
        (piece_key(3, 0).to_vec(), Item::Record(3)),
        (VOTE_KEY.to_vec(), Item::Vote),
        (fact_key(Fact::Committed).to_vec(), Item::Fact),
        (START_KEY.to_vec(), Item::Bookkeeping),
    ] {
        let folder = written();
        tamper(&folder, |db| {
            let mut value = db.get(&key).unwrap().unwrap().to_vec();
            *value.last_mut().unwrap() ^= 1;
            db.insert(&key, value).unwrap();
        });
        let error = SledEngine::open(folder.path()).unwrap_err();
        assert!(
            matches!(&error, StorageError::Damaged { what: Damage::Checksum { item: found }, .. } if *found == item)
        );
        let text = error.to_string();
        assert!(text.contains(&folder.path().display().to_string()), "{text}");
        assert!(text.contains("join again under a new member id"), "{text}");
    }
}

#[test]
fn swapped_records_are_refused() {
    let folder = written();
    tamper(&folder, |db| {
        let [third, fourth] = [3, 4].map(|index| db.get(piece_key(index, 0)).unwrap().unwrap());
        db.insert(piece_key(3, 0), fourth).unwrap();
        db.insert(piece_key(4, 0), third).unwrap();
    });
    assert_eq!(refusal(&folder), Damage::Checksum { item: Item::Record(3) });
}

#[test]
fn a_missing_record_is_refused() {
    let folder = written();
    tamper(&folder, |db| drop(db.remove(piece_key(3, 0)).unwrap()));
    assert_eq!(refusal(&folder), Damage::Hole { expected: 3, found: 4 });
    let folder = written();
    tamper(&folder, |db| drop(db.remove(piece_key(0, 0)).unwrap()));
    assert_eq!(refusal(&folder), Damage::Hole { expected: 0, found: 1 });
    let folder = written();
    tamper(&folder, |db| drop(db.remove(piece_key(9, 0)).unwrap()));
    assert_eq!(refusal(&folder), Damage::Hole { expected: 9, found: 10 });
}

#[test]
fn a_missing_piece_is_refused() {
    for piece in 0..3 {
        let folder = folder();
        let engine = open(&folder);
        wait(|done| engine.append(vec![record(0, &[1; 10_000]), record(1, b"small")], done)).unwrap();
        drop(engine);
        tamper(&folder, |db| drop(db.remove(piece_key(0, piece)).unwrap()));
        assert_eq!(refusal(&folder), Damage::Malformed { item: Item::Record(0) });
    }
}

#[test]
fn a_format_of_the_future_is_refused() {
    let folder = written();
    tamper(&folder, |db| {
        let mut value = db.get(VOTE_KEY).unwrap().unwrap().to_vec();
        value[0] = 9;
        db.insert(VOTE_KEY, value).unwrap();
    });
    assert_eq!(refusal(&folder), Damage::Version { item: Item::Vote, found: 9, known: 1 });
}

#[test]
fn acknowledged_writes_that_sled_lost_are_noticed() {
    let folder = folder();
    let engine = open(&folder);
    wait(|done| engine.append(records(0..5), done)).unwrap();
    drop(engine);
    let old = copy_of(&folder);
    let engine = open(&folder);
    wait(|done| engine.append(records(5..9), done)).unwrap();
    wait(|done| engine.save_vote(b"vote".to_vec(), done)).unwrap();
    drop(engine);
    std::fs::copy(folder.path().join("acknowledged"), old.path().join("acknowledged")).unwrap();
    assert_eq!(refusal(&old), Damage::Lost { acknowledged: 3, found: 1 });
}

#[test]
fn a_missing_or_damaged_note_of_what_was_acknowledged_is_refused() {
    let folder = written();
    let note = folder.path().join("acknowledged");
    std::fs::write(&note, [1; 16]).unwrap();
    assert_eq!(refusal(&folder), Damage::Checksum { item: Item::Bookkeeping });
    std::fs::write(&note, []).unwrap();
    assert_eq!(refusal(&folder), Damage::Malformed { item: Item::Bookkeeping });
    std::fs::remove_file(&note).unwrap();
    assert_eq!(refusal(&folder), Damage::Malformed { item: Item::Bookkeeping });
}

#[test]
fn sleds_own_file_changed_anywhere_is_refused_or_makes_no_difference() {
    let original = seasoned();
    let whole = contents(original.path()).unwrap();
    let bytes = std::fs::read(original.path().join("db")).unwrap();
    let (mut refused, mut harmless) = (0, 0);
    for round in 0..160 {
        let place = round * (bytes.len() / 160) + round * 7 % 97;
        let mut changed = bytes.clone();
        match round % 4 {
            0 => changed.truncate(place),
            bit => changed[place] ^= 1 << bit,
        }
        let copy = copy_of(&original);
        std::fs::write(copy.path().join("db"), changed).unwrap();
        match contents(copy.path()) {
            Ok(found) => {
                assert_eq!(found, whole, "byte {place}, round {round}");
                harmless += 1;
            }
            Err(StorageError::Damaged { .. }) => refused += 1,
            Err(other) => panic!("byte {place}, round {round}: {other}"),
        }
    }
    assert!(refused > 20 && harmless > 20, "{refused} refused, {harmless} harmless: the log does not exercise both");
}

fn refusal(folder: &TempDir) -> Damage {
    match SledEngine::open(folder.path()) {
        Err(StorageError::Damaged { what, .. }) => what,
        other => panic!("expected damage, got {other:?}"),
    }
}

/// A closed log with ten records, a vote and a fact.
fn written() -> TempDir {
    let folder = folder();
    let engine = open(&folder);
    wait(|done| engine.append(records(0..10), done)).unwrap();
    wait(|done| engine.save_vote(b"vote".to_vec(), done)).unwrap();
    wait(|done| engine.save_fact(Fact::Committed, b"9".to_vec(), done)).unwrap();
    folder
}

fn copy_of(original: &TempDir) -> TempDir {
    let copy = folder();
    for entry in std::fs::read_dir(original.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    copy
}

/// A log that has grown, been purged and been voted in, so that sled's file has live, dead and rewritten pages.
fn seasoned() -> TempDir {
    let folder = folder();
    let engine = open(&folder);
    for index in 0..120_u8 {
        let payload = vec![index; 50 + usize::from(index) * 61];
        wait(|done| engine.append(vec![record(u64::from(index), &payload)], done)).unwrap();
        if index % 10 == 0 {
            wait(|done| engine.save_vote(vec![index], done)).unwrap();
            wait(|done| engine.purge_to(u64::from(index / 3), done)).unwrap();
        }
    }
    folder
}

/// Everything that a closed log says when it is opened.
fn contents(folder: &Path) -> Result<impl PartialEq + std::fmt::Debug + use<>, StorageError> {
    let engine = SledEngine::open(folder)?;
    Ok((engine.bounds(), engine.read(0, u64::MAX, usize::MAX)?, engine.vote()))
}
