//! What a journal remembers after the end of a process, and after a power cut.

use antfarm_model::{CostClass, EffectClass, Fence, GraphNo, Incarnation, NodeNo};
use antfarm_protocol::{AttemptRef, JsonText, Outcome, RejectReason};
use antfarm_storage::MemoryDisk;

use super::*;
use crate::process::ProcessMark;
use crate::report::Report;

const PATH: &str = "/f/journal";

fn attempt(fence: u64) -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 3, fence: Fence(fence) }
}

fn disk() -> MemoryDisk {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/f")).expect("memory takes everything");
    disk
}

fn open(disk: &MemoryDisk) -> (Journal, Remembered) {
    Journal::open(Arc::new(disk.clone()), Path::new(PATH)).expect("it is whole")
}

fn started(fence: u64, mark: u64) -> Record {
    Record::Started { attempt: attempt(fence), mark, class: CostClass::Model, effects: EffectClass::Irrevocable }
}

fn all() -> Vec<Record> {
    vec![
        Record::Registered { incarnation: Incarnation(5), boot_id: "boot".into() },
        started(1, 9),
        Record::Process { attempt: attempt(1), process: ProcessMark { id: 300, started_ticks: 70_000 } },
        started(2, 10),
        Record::Ended(vec![Report::result(attempt(2), Outcome::Interrupted)]),
        Record::Ended(vec![Report::rejected(attempt(3), RejectReason::NoSlot)]),
        Record::Forgotten(vec![attempt(3)]),
    ]
}

#[test]
fn what_was_started_ended_and_not_confirmed_is_remembered() {
    let disk = disk();
    let (mut journal, nothing) = open(&disk);
    assert_eq!(nothing, Remembered::default());
    all().iter().try_for_each(|record| journal.note(record)).expect("memory takes everything");
    journal.commit().expect("memory takes everything");
    let (_, remembered) = open(&disk);
    assert_eq!(remembered.registered.map(|registered| registered.incarnation), Some(Incarnation(5)));
    let process = Some(ProcessMark { id: 300, started_ticks: 70_000 });
    let open = Open { mark: 9, class: CostClass::Model, effects: EffectClass::Irrevocable, process };
    assert_eq!(remembered.open.into_iter().collect::<Vec<_>>(), [(attempt(1), open)]);
    assert_eq!(remembered.reports.into_keys().collect::<Vec<_>>(), [attempt(2)]);
}

#[test]
fn only_what_was_noted_durably_must_survive_a_power_cut() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    journal.note(&started(1, 0)).and_then(|()| journal.commit()).expect("memory takes everything");
    disk.crash();
    let (mut journal, remembered) = open(&disk);
    assert!(remembered.open.is_empty());
    journal.note_durably(&started(2, 0)).and_then(|()| journal.commit()).expect("memory takes everything");
    disk.crash();
    assert_eq!(open(&disk).1.open.into_keys().collect::<Vec<_>>(), [attempt(2)]);
}

#[test]
fn compaction_keeps_what_it_is_given_and_nothing_else() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    all().iter().try_for_each(|record| journal.note(record)).expect("memory takes everything");
    journal.commit().expect("memory takes everything");
    let kept = Record::Ended(vec![Report::cancelled(attempt(8), true)]);
    journal.compact(std::iter::once(kept)).expect("memory takes everything");
    journal.note(&started(9, 0)).expect("memory takes everything");
    journal.commit().expect("memory takes everything");
    let (_, remembered) = open(&disk);
    assert_eq!(remembered.reports.into_keys().collect::<Vec<_>>(), [attempt(8)]);
    assert_eq!(remembered.open.into_keys().collect::<Vec<_>>(), [attempt(9)]);
}

#[test]
fn a_journal_that_is_mostly_forgotten_wants_to_be_compacted() {
    let (mut journal, _) = open(&disk());
    let result = JsonText::new(format!("\"{}\"", "x".repeat(1 << 20))).expect("a string is JSON");
    let large = Record::Ended(vec![Report::result(attempt(1), Outcome::Succeeded { result })]);
    for _ in 0..16 {
        assert!(!journal.wants_compaction());
        journal.note(&large).and_then(|()| journal.commit()).expect("memory takes everything");
    }
    assert!(journal.wants_compaction());
    journal.compact(std::iter::once(large)).expect("memory takes everything");
    assert!(!journal.wants_compaction());
}

#[test]
fn a_record_of_a_newer_program_stops_an_older_one() {
    let disk = disk();
    let (mut file, _) = JournalFile::open(Arc::new(disk.clone()), Path::new(PATH)).expect("it is empty");
    file.append(&[2, 0, 7]).expect("memory takes everything");
    let error = Journal::open(Arc::new(disk), Path::new(PATH)).err().expect("version 2 is not known");
    assert!(matches!(error, StartError::JournalVersion));
}

#[test]
fn records_keep_their_golden_bytes() {
    let mut batch = Vec::new();
    for record in all() {
        record::encode(&record, &mut batch);
    }
    let hex = batch.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    assert_eq!(hex, GOLDEN);
    assert_eq!(record::decode(&batch), Some(all()));
}

const GOLDEN: &str = "0100000504626f6f7401010203010902030201020301fb2c01fc7011010001010203020a0203030a010100040102030201020309010100030102030300040101020303";
