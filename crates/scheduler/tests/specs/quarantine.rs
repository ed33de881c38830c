//! A forager that keeps rejecting gets nothing for a while, which grows until something goes well, and can be ended.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Span};
use antfarm_scheduler::{Command, ForagerState, RejectReason};

use crate::farm::Farm;

fn farm() -> (Farm, ForagerNo) {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let forager = farm.forager("f", 4, &["work"]);
    farm.submit("{id: g, nodes: {n: {tool: work, array: {count: 1000}}}}").expect("accepted");
    (farm, forager)
}

/// Rejects whatever it gets until it is quarantined; tells of how many decisions.
fn reject_all(farm: &mut Farm, forager: ForagerNo) -> usize {
    for decisions in 0..100 {
        if farm.state.forager(forager).map(antfarm_scheduler::Forager::state) == Some(ForagerState::Quarantined) {
            return decisions;
        }
        farm.hear(forager);
        farm.work();
        for attempt in farm.open(forager) {
            farm.reject(forager, attempt, RejectReason::NoSlot);
        }
        farm.pass(Span::from_secs(10));
    }
    panic!("it was never quarantined");
}

fn is_quarantined_for(farm: &mut Farm, forager: ForagerNo, seconds: u64) {
    farm.pass(Span::from_secs(seconds - 10 - 1));
    farm.hear(forager);
    assert_eq!(farm.work(), Vec::<String>::new(), "{seconds} s are not over");
    farm.pass(Span::from_secs(1));
    assert_eq!(farm.state.forager(forager).map(antfarm_scheduler::Forager::state), Some(ForagerState::Ready));
}

#[test]
fn what_is_rejected_of_one_assignment_counts_once() {
    let (mut farm, forager) = farm();
    farm.work();
    assert_eq!(farm.open(forager).len(), 4);
    for attempt in farm.open(forager) {
        farm.reject(forager, attempt, RejectReason::NoSlot);
    }
    assert_eq!(farm.state.forager(forager).map(|forager| forager.standing.rejects), Some(1));
}

#[test]
fn each_quarantine_in_a_row_comes_sooner_and_lasts_longer() {
    let (mut farm, forager) = farm();
    assert_eq!(reject_all(&mut farm, forager), 8);
    is_quarantined_for(&mut farm, forager, 30);
    assert_eq!(reject_all(&mut farm, forager), 1, "one rejection is enough now");
    is_quarantined_for(&mut farm, forager, 60);
    for _ in 0..10 {
        assert_eq!(reject_all(&mut farm, forager), 1);
        farm.pass(Span::from_secs(600));
    }
    reject_all(&mut farm, forager);
    is_quarantined_for(&mut farm, forager, 600);
}

#[test]
fn a_result_begins_the_count_anew() {
    let (mut farm, forager) = farm();
    reject_all(&mut farm, forager);
    is_quarantined_for(&mut farm, forager, 30);
    farm.hear(forager);
    farm.work();
    for attempt in farm.open(forager) {
        farm.succeed(forager, attempt, "1").expect("open");
    }
    assert_eq!(reject_all(&mut farm, forager), 8);
    is_quarantined_for(&mut farm, forager, 30);
}

#[test]
fn undrain_and_a_new_registration_end_it_by_hand() {
    for by_hand in [true, false] {
        let (mut farm, forager) = farm();
        reject_all(&mut farm, forager);
        if by_hand {
            farm.one(Command::Undrain { forager }).expect("it is there");
        } else {
            farm.forager_again("f", 4, &["work"]);
        }
        farm.hear(forager);
        assert_eq!(farm.work(), ["g/n[0..4] to f"]);
        assert_eq!(farm.state.forager(forager).map(|forager| forager.standing.rejects), Some(0));
    }
}

#[test]
fn the_end_of_a_quarantine_does_not_end_a_later_one() {
    let (mut farm, forager) = farm();
    reject_all(&mut farm, forager);
    farm.one(Command::Undrain { forager }).expect("it is there");
    reject_all(&mut farm, forager);
    let until = farm.state.forager(forager).and_then(|forager| forager.standing.quarantined_until).expect("it is");
    assert_eq!(until.since(farm.now.elapsed), Span::from_secs(20), "the first one would have ended before");
}
