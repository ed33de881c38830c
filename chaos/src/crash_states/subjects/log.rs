//! A workload for log engines: appends, votes, facts, truncations and purges, alone and in groups, and processes that end.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use antfarm_storage::{Fact, LogEngine, MemoryEngine, OnDurable, Record, StorageError};
use bytes::Bytes;

use crate::crash_states::contents::{self, Contents};
use crate::crash_states::operation::Operation;
use crate::crash_states::recorder::Recorder;
use crate::crash_states::subjects::payload;

/// Far longer than any disk takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// One call of an engine.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// Records of these sizes.
    Append(Vec<usize>),
    /// Removes so many of the last records.
    Cut(u64),
    /// Purges so many of the first records.
    Purge(u64),
    Vote,
    Fact(Fact),
}

/// Calls that are made without waiting, then waited for.
type Group = Vec<Call>;

/// What a log goes through: each inner list is one process.
pub(crate) type Lives = Vec<Vec<Group>>;

/// Everything that an engine can be asked, with records within a sector, over several pages, and of several pieces.
pub(crate) fn varied() -> Lives {
    use Call::{Append, Cut, Fact as Keep, Purge, Vote};
    let single = |sizes: &[usize]| vec![Append(sizes.to_vec())];
    vec![
        vec![
            vec![Keep(Fact::Identity)],
            vec![Vote],
            single(&[40]),
            single(&[0, 700, 5000]),
            vec![Vote, Append(vec![120]), Append(vec![30, 30])],
            vec![Keep(Fact::Committed)],
            vec![Cut(2), Append(vec![333])],
            vec![Vote],
        ],
        vec![
            single(&[1000, 9000]),
            vec![Keep(Fact::Purged), Purge(3)],
            vec![Append(vec![1]), Append(vec![2]), Append(vec![3]), Keep(Fact::Committed), Vote, Append(vec![600; 3])],
            vec![Keep(Fact::PeerDisk(7))],
            vec![Cut(4)],
            single(&[200]),
        ],
        vec![
            vec![Vote, Append(vec![64; 6]), Purge(5), Append(vec![4090])],
            vec![Cut(100)],
            single(&[77, 78]),
            vec![Purge(4)],
            vec![Vote],
            single(&[500]),
        ],
    ]
}

/// Enough large records, purged again, that files grow full and their places are used again.
pub(crate) fn long() -> Lives {
    const LARGE: usize = 30_000;
    let life = |number: usize| {
        let group = |turn: usize| match turn % 5 {
            0 => vec![Call::Append(vec![LARGE, 100, LARGE])],
            1 => vec![Call::Append(vec![2 * LARGE]), Call::Vote],
            2 => vec![Call::Append(vec![LARGE]), Call::Cut(2), Call::Append(vec![5, 5])],
            3 => vec![Call::Append(vec![LARGE + turn * 777])],
            _ => vec![Call::Fact(Fact::Committed), Call::Purge(4)],
        };
        (0..10 + number).map(group).collect()
    };
    (0..3).map(life).collect()
}

/// Uses an engine as it is written above, and says what it must hold after each step.
///
/// A step is what a crash may not divide: a vote, a fact, a purge, one record appended, one record cut off.
pub(crate) fn work<E: LogEngine>(
    recorder: &Recorder,
    lives: Lives,
    open: impl Fn() -> Result<E, StorageError>,
) -> Result<Vec<Contents>, StorageError> {
    let model = MemoryEngine::new();
    let mut history = vec![contents::of_engine(&model)?];
    let mut number = 0;
    for life in lives {
        let engine = open()?;
        for group in life {
            let mut answers = Vec::new();
            for call in &group {
                number += 1;
                for step in steps(call, number, &model) {
                    make(&step, &model, Box::new(drop));
                    history.push(contents::of_engine(&model)?);
                }
                let steps = history.len() - 1;
                let whole = whole(call, number, &engine);
                recorder.mark(Operation::Began(steps));
                let (done, answer) = acknowledging(recorder.clone(), steps);
                make(&whole, &engine, done);
                answers.push(answer);
            }
            for answer in answers {
                answer.recv_timeout(PATIENCE).expect("a disk is not that slow")?;
            }
        }
    }
    Ok(history)
}

/// A change of an engine with all that it takes.
enum Change {
    Append(Vec<Record>),
    TruncateAfter(Option<u64>),
    PurgeTo(u64),
    Vote(Vec<u8>),
    Fact(Fact, Vec<u8>),
}

fn make(change: &Change, engine: &dyn LogEngine, done: OnDurable) {
    match change {
        Change::Append(records) => engine.append(records.clone(), done),
        Change::TruncateAfter(index) => engine.truncate_after(*index, done),
        Change::PurgeTo(index) => engine.purge_to(*index, done),
        Change::Vote(vote) => engine.save_vote(vote.clone(), done),
        Change::Fact(fact, value) => engine.save_fact(*fact, value.clone(), done),
    }
}

/// A call as the engine under test gets it.
fn whole(call: &Call, number: usize, engine: &dyn LogEngine) -> Change {
    let bounds = engine.bounds();
    match call {
        Call::Append(sizes) => {
            let records = (bounds.next()..).zip(sizes);
            Change::Append(records.map(|(index, size)| record(index, number, *size)).collect())
        }
        Call::Cut(count) => Change::TruncateAfter(bounds.next().checked_sub(1 + count)),
        Call::Purge(count) => Change::PurgeTo(bounds.first + count - 1),
        Call::Vote => Change::Vote(format!("vote {number}").into_bytes()),
        Call::Fact(fact) => Change::Fact(*fact, format!("{fact:?} {number}").into_bytes()),
    }
}

/// The same in steps that no crash divides.
fn steps(call: &Call, number: usize, model: &dyn LogEngine) -> Vec<Change> {
    let bounds = model.bounds();
    match call {
        Call::Append(sizes) => {
            let records = (bounds.next()..).zip(sizes);
            records.map(|(index, size)| Change::Append(vec![record(index, number, *size)])).collect()
        }
        Call::Cut(count) => {
            let length = bounds.next() - bounds.first;
            let kept = (1..=*count.min(&length)).map(|cut| bounds.next().checked_sub(1 + cut));
            kept.map(Change::TruncateAfter).collect()
        }
        Call::Purge(_) | Call::Vote | Call::Fact(_) => vec![whole(call, number, model)],
    }
}

fn record(index: u64, number: usize, size: usize) -> Record {
    Record { index, payload: Bytes::from(payload(number, size)) }
}

fn acknowledging(recorder: Recorder, steps: usize) -> (OnDurable, Receiver<Result<(), StorageError>>) {
    let (sender, receiver) = channel();
    let done = move |answer: Result<(), StorageError>| {
        if answer.is_ok() {
            recorder.mark(Operation::Acknowledged(steps));
        }
        // The workload may have given up.
        let _ = sender.send(answer);
    };
    (Box::new(done), receiver)
}
