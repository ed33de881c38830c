//! What was acknowledged is there after a restart.

use super::{Home, callback, for_each_home, record, records, wait};
use crate::engine::{Bounds, Fact, LogEngine};
use crate::error::StorageError;

for_each_home! {
    everything_survives_a_restart,
    what_is_queued_is_written_when_the_engine_is_dropped,
    an_empty_log_remembers_where_it_begins,
    a_second_engine_on_the_same_folder_is_refused,
    a_group_of_many_records_is_written_whole,
    records_of_any_size_survive,
}

fn everything_survives_a_restart(home: &impl Home) {
    let engine = home.open().unwrap();
    wait(|done| engine.append(records(0..20), done)).unwrap();
    wait(|done| engine.purge_to(4, done)).unwrap();
    wait(|done| engine.truncate_after(Some(15), done)).unwrap();
    wait(|done| engine.save_vote(b"vote".to_vec(), done)).unwrap();
    wait(|done| engine.save_fact(Fact::Identity, b"me".to_vec(), done)).unwrap();
    wait(|done| engine.save_fact(Fact::PeerDisk(7), b"seven".to_vec(), done)).unwrap();
    drop(engine);

    let engine = home.open().unwrap();
    assert_eq!(engine.bounds(), Bounds { first: 5, last: Some(15) });
    assert_eq!(engine.read(0, 99, usize::MAX).unwrap(), records(5..16));
    assert_eq!(engine.vote(), Some(b"vote".to_vec()));
    assert_eq!(engine.fact(Fact::Identity), Some(b"me".to_vec()));
    assert_eq!(engine.fact(Fact::PeerDisk(7)), Some(b"seven".to_vec()));
    assert_eq!(engine.fact(Fact::Committed), None);
    assert_eq!(engine.log_bytes(), records(5..16).iter().map(|record| record.payload.len() as u64).sum::<u64>());
}

fn what_is_queued_is_written_when_the_engine_is_dropped(home: &impl Home) {
    let engine = home.open().unwrap();
    let answers: Vec<_> = (0..100)
        .map(|index| {
            let (done, answer) = callback();
            engine.append(records(index..index + 1), done);
            answer
        })
        .collect();
    drop(engine);
    assert!(answers.iter().all(|answer| matches!(answer.try_recv(), Ok(Ok(())))));
    assert_eq!(home.open().unwrap().read(0, 100, usize::MAX).unwrap(), records(0..100));
}

fn an_empty_log_remembers_where_it_begins(home: &impl Home) {
    let engine = home.open().unwrap();
    wait(|done| engine.append(records(0..5), done)).unwrap();
    wait(|done| engine.purge_to(99, done)).unwrap();
    drop(engine);
    assert_eq!(home.open().unwrap().bounds(), Bounds { first: 100, last: None });
}

fn a_second_engine_on_the_same_folder_is_refused(home: &impl Home) {
    let engine = home.open().unwrap();
    assert!(matches!(home.open(), Err(StorageError::Locked { .. })));
    drop(engine);
    home.open().unwrap();
}

fn a_group_of_many_records_is_written_whole(home: &impl Home) {
    let engine = home.open().unwrap();
    let many: Vec<_> = (0..40_000).map(|index| record(index, &[3; 300])).collect();
    wait(|done| engine.append(many.clone(), done)).unwrap();
    wait(|done| engine.purge_to(29_999, done)).unwrap();
    drop(engine);
    assert_eq!(home.open().unwrap().read(0, u64::MAX, usize::MAX).unwrap(), many[30_000..]);
}

fn records_of_any_size_survive(home: &impl Home) {
    let size = |index: u64| usize::try_from(index * index * 4001 % 700_001).unwrap();
    let sized = |index: u64| record(index, &vec![index.to_le_bytes()[0]; size(index)]);
    for round in 0..3 {
        let engine = home.open().unwrap();
        for index in round * 20..round * 20 + 20 {
            wait(|done| engine.append(vec![sized(index)], done)).unwrap();
        }
        wait(|done| engine.truncate_after(Some(round * 20 + 15), done)).unwrap();
        wait(|done| engine.purge_to(round * 10, done)).unwrap();
        wait(|done| engine.append((round * 20 + 16..round * 20 + 20).map(sized).collect(), done)).unwrap();
    }
    let engine = home.open().unwrap();
    for index in 21..60 {
        assert_eq!(engine.read(index, index + 1, 0).unwrap(), [sized(index)]);
    }
}
