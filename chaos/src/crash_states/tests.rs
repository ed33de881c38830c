//! The enumeration finds what is planted, and nothing in what is sound.

use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{Disk, JournalFile};

use crate::crash_states::contents::Contents;
use crate::crash_states::examination::examine;
use crate::crash_states::operation::Operation;
use crate::crash_states::recorder::{Recorder, Recording};
use crate::crash_states::recording_disk::RecordingDisk;
use crate::crash_states::sled::{self, Recoverer};
use crate::crash_states::subject::{FOLDER, Refusal, Story, Subject};
use crate::crash_states::subjects::{self, journal, log, small_file, snapshots};
use crate::crash_states::tally::Tally;
use crate::crash_states::{QUICK, Scope};

const SCOPE: Scope = Scope { most_states: 400, most_damaged: 400, ..QUICK };

#[test]
fn every_store_on_a_disk_survives_its_crash_states() {
    for subject in subjects::ON_DISK {
        let tally = tally_of(subject, &subject.story().unwrap());
        assert_eq!(tally.violated(), 0, "{}: {tally}{:#?}", subject.name, tally.words().collect::<Vec<_>>());
        assert!(tally.examined() > 50, "{}: {tally}", subject.name);
    }
}

#[test]
fn a_store_that_does_not_sync_its_file_before_it_promises_is_found() {
    for subject in subjects::ON_DISK {
        finds(subject, |operation| matches!(operation, Operation::SyncFile { .. }));
    }
}

#[test]
fn a_store_that_does_not_sync_the_folder_after_a_rename_is_found() {
    for subject in [snapshots::SNAPSHOTS, small_file::SMALL_FILE] {
        finds(subject, |operation| matches!(operation, Operation::SyncFolder { .. }));
    }
}

#[test]
fn a_journal_that_ends_at_the_first_wrong_checksum_even_in_its_middle_is_found() {
    let careless = Subject { open: open_carelessly, ..journal::JOURNAL };
    let tally = tally_of(careless, &careless.story().unwrap());
    let words: Vec<_> = tally.words().filter(|words| words.contains("promised")).collect();
    assert!(words.iter().any(|words| words.contains("bit")), "{tally}{words:#?}");
}

#[test]
fn sled_without_the_sync_of_its_file_is_found() {
    let story = match sled::story(log::varied()) {
        Ok(story) => story,
        Err(error) => {
            assert!(std::env::var_os("ANTFARM_NO_SKIP").is_none(), "{error:#}, and ANTFARM_NO_SKIP is set");
            eprintln!("left out: {error:#}");
            return;
        }
    };
    let files = story.recording.files();
    let synced = files.names[&Path::new(FOLDER).join("log/db")];
    let sloppy = without(&story, |operation| matches!(operation, Operation::SyncFile { file } if *file == synced));
    let judged = |story: &Story| {
        examine(story, Scope { most_states: 60, most_damaged: 0, ..SCOPE }, &[], &|| {
            Box::new(Recoverer::here().unwrap())
        })
    };
    let tally = judged(&story);
    assert_eq!(tally.violated(), 0, "{tally}{:#?}", tally.words().collect::<Vec<_>>());
    let tally = judged(&sloppy);
    assert!(tally.words().any(|words| words.contains("promised")), "{tally}");
}

fn finds(subject: Subject, lost: fn(&Operation) -> bool) {
    let tally = tally_of(subject, &without(&subject.story().unwrap(), lost));
    assert!(tally.violated() > 0, "{}: {tally}", subject.name);
}

/// The same story of a program that forgot some operations.
fn without(story: &Story, forgotten: impl Fn(&Operation) -> bool) -> Story {
    let Recording { base, operations } = &story.recording;
    let operations = operations.iter().filter(|operation| !forgotten(operation)).cloned().collect();
    Story { recording: Recording { base: base.clone(), operations }, history: story.history.clone() }
}

fn tally_of(subject: Subject, story: &Story) -> Tally {
    examine(story, SCOPE, subject.notices, &|| Box::new(subject))
}

/// Takes everything for what was never synced, and so whatever does not fit for the end of it.
fn open_carelessly(disk: &Arc<dyn Disk>) -> Result<Contents, Refusal> {
    let other: Arc<dyn Disk> = Arc::new(RecordingDisk::new(Recorder::default()));
    other.create_folders(Path::new(FOLDER))?;
    drop(JournalFile::open(Arc::clone(&other), &journal::path())?);
    let mark = other.read(&journal::path())?;
    if disk.exists(&journal::path())? {
        disk.open_file(&journal::path())?.write_at(0, &mark)?;
    }
    (journal::JOURNAL.open)(disk)
}
