//! Hostile bytes for what a forager keeps on its disk and is given by hand.

use antfarm_fuzzing::Target;
use antfarm_model::{CostClass, EffectClass, Fence, GraphNo, Incarnation, NodeNo};
use antfarm_protocol::{AttemptRef, FailureKind, ForagerMessage, JsonText, MAX_ATTEMPTS, Outcome, RejectReason};

use crate::config::{ForagerConfig, QueenAddress};
use crate::epoch_file;
use crate::journal::{Record, Remembered, decode, encode};
use crate::process::ProcessMark;
use crate::report::Report;

pub(crate) const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
pub(crate) const GROWTH: usize = 3;

/// What a shared text takes beside its bytes.
const TEXT_BYTES: usize = 16;

/// What TOML's reader takes for each byte: its tokens, its tree and the texts in it.
const TOML_FACTOR: usize = 400;

fn attempt(fence: u64) -> AttemptRef {
    AttemptRef { graph: GraphNo(300), node: NodeNo(2), index: 3, fence: Fence(fence) }
}

fn records() -> Vec<Record> {
    let succeeded = Outcome::Succeeded { result: JsonText::new("[1, {}]").expect("it is JSON") };
    let failed = Outcome::Failed { kind: FailureKind::Exit, message: "exit code 1".into() };
    vec![
        Record::Registered { incarnation: Incarnation(4), boot_id: "0000-aaaa".into() },
        Record::Started { attempt: attempt(1), mark: 1 << 60, class: CostClass::Io, effects: EffectClass::Guarded },
        Record::Process { attempt: attempt(1), process: ProcessMark { id: 7, started_ticks: 9 } },
        Record::Ended(vec![Report::result(attempt(1), succeeded)]),
        Record::Ended(vec![Report::result(attempt(2), failed)]),
        Record::Ended(vec![Report::cancelled(attempt(3), true)]),
        Record::Ended(vec![Report::rejected(attempt(4), RejectReason::NoSlot)]),
        Record::Ended(vec![Report::returned(attempt(5))]),
        Record::Forgotten(vec![attempt(1), attempt(3)]),
    ]
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut batch = Vec::new();
    for record in records {
        encode(record, &mut batch);
    }
    batch
}

#[test]
fn records_of_the_journal() {
    let registered = |_| Record::Registered { incarnation: Incarnation(0), boot_id: "".into() };
    Target::new(FOLDER, "records_of_the_journal")
        .samples(records().iter().map(|record| written(std::slice::from_ref(record))))
        .sample(written(&records()))
        // Three bytes for each, and the counts of a shared text beside the record.
        .takes((GROWTH * size_of::<Record>() + 2 * TEXT_BYTES) / 3)
        // A range is short, however many ends it stands for.
        .beside(2 * GROWTH * MAX_ATTEMPTS * (size_of::<Report>() + size_of::<ForagerMessage>()))
        .dense(move |elements| written(&(0..elements).map(registered).collect::<Vec<_>>()))
        .run(decode, |_, records| {
            let bytes = written(&records);
            assert_eq!(decode(&bytes).unwrap_or_default(), records);
            let mut remembered = Remembered::default();
            let _ = records.into_iter().try_for_each(|record| remembered.take(record));
        });
}

#[test]
fn epoch_files() {
    Target::new(FOLDER, "epoch_files")
        .sample([1, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0xca, 0x8e, 0xd2, 0xd2])
        .run(epoch_file::decode, |bytes, epoch| assert_eq!(epoch_file::encode(epoch), bytes));
}

#[test]
fn process_marks_and_queen_addresses() {
    Target::new(FOLDER, "process_marks_and_queen_addresses")
        .samples(["4711:987654", "127.0.0.1:7070", "[::1]:7070", "http://ants.example:7070"])
        .tokens(&[":", "[", "]", "http://", "0", "65536"])
        .takes(GROWTH + 1)
        .run(
            |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                let mark = text.parse::<ProcessMark>().inspect_err(|why| drop(why.to_string())).ok();
                let address = text.parse::<QueenAddress>().inspect_err(|why| drop(why.to_string())).ok();
                (mark.is_some() || address.is_some()).then_some(mark)
            },
            |_, mark| assert_eq!(mark.map(|mark| mark.to_string().parse::<ProcessMark>()), mark.map(Ok)),
        );
}

#[test]
fn configurations_of_foragers() {
    Target::new(FOLDER, "configurations_of_foragers")
        .sample("name = \"f\"\nqueens = [\"127.0.0.1:7070\"]\ndata_dir = \"d\"\n[tools.count]\ncommand = [\"wc\", \"-w\"]\n")
        .tokens(&["[", "]", "[[", "=", "\"", "\'\'\'", "\n", "{", "}", ".", "slots = 3", "[tools.x]", "\\u0000", "#"])
        .takes(TOML_FACTOR)
        .dense(|elements| format!("a = [{}]", "1,".repeat(elements)).into())
        .dense(|elements| "[".repeat(elements).into())
        .run(|bytes| ForagerConfig::parse(std::str::from_utf8(bytes).ok()?).ok(), |_, config| drop(config));
}
