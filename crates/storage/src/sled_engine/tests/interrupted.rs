//! What a process that was ended at the wrong moment leaves can be opened, though sled alone would refuse it.

use std::fs;
use std::path::Path;

use super::{folder, open, record, records, wait};
use crate::engine::LogEngine;

#[test]
fn a_process_that_ends_in_its_first_write_leaves_what_the_next_one_can_open() {
    let before = folder();
    let engine = open(&before);
    wait(|done| engine.append(records(0..5), done)).unwrap();
    drop(engine);
    drop(open(&before));
    let after = folder();
    copy(before.path(), after.path());
    let engine = open(&after);
    wait(|done| engine.append(vec![record(5, &[7; 3000]), record(6, &[8; 3000])], done)).unwrap();
    drop(engine);
    let [old, new] = [&before, &after].map(|folder| fs::read(folder.path().join("db")).unwrap());
    let first = old.iter().zip(&new).position(|(old, new)| old != new).unwrap();
    let last = old.iter().zip(&new).rposition(|(old, new)| old != new).unwrap();

    for arrived in (first..last).step_by(8) {
        let torn = folder();
        copy(before.path(), torn.path());
        fs::write(torn.path().join("db"), [&new[..arrived], &old[arrived..]].concat()).unwrap();
        let engine = open(&torn);
        let found = engine.read(0, u64::MAX, usize::MAX).unwrap();
        assert_eq!(found[..5], records(0..5), "{} bytes of the write arrived", arrived - first);
    }
}

#[test]
fn a_power_cut_during_the_very_first_start_leaves_what_the_next_one_can_open() {
    let whole = folder();
    drop(open(&whole));
    let settings = fs::read(whole.path().join("conf")).unwrap();
    for arrived in 0..settings.len() {
        let cut = folder();
        fs::write(cut.path().join("conf"), &settings[..arrived]).unwrap();
        fs::write(cut.path().join("db"), []).unwrap();
        let engine = open(&cut);
        wait(|done| engine.append(records(0..1), done)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
