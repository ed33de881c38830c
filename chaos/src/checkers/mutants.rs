//! Proof that checkers can fail: random sound histories, one thing in each made wrong, and who must find that.

mod answers;
mod inside;
mod outside;

use proptest::prelude::*;

use super::sound::History;
use super::{check_evidence, compare_linearizability};
use crate::history::{Line, Record, What};
use crate::random::Random;

/// Histories that are made wrong; each of the mutants has its turn many times.
const CASES: u32 = 2_500;

/// A history is drawn again when there is nothing in it that could be made wrong in this way.
const TRIES: u64 = 200;

/// A way to make a history wrong.
struct Mutant {
    /// What is done to it.
    what: &'static str,
    /// The property whose checker must find it.
    property: &'static str,
    /// False if there is nothing to do it to.
    act: fn(&mut History, &mut Random) -> bool,
}

const fn mutant(property: &'static str, what: &'static str, act: fn(&mut History, &mut Random) -> bool) -> Mutant {
    Mutant { what, property, act }
}

fn all() -> Vec<&'static Mutant> {
    answers::MUTANTS.iter().chain(inside::MUTANTS).chain(outside::MUTANTS).collect()
}

impl History {
    /// The place of a random record of some kind.
    fn any(&self, random: &mut Random, wanted: impl Fn(&What) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..self.records.len()).filter(|place| wanted(&self.records[*place].what)).collect();
        random.pick(places.len()).map(|place| places[place])
    }

    /// Changes a random record of some kind.
    fn change(&mut self, random: &mut Random, change: impl Fn(&mut What) -> bool) -> bool {
        let would = |what: &What| change(&mut what.clone());
        let Some(place) = self.any(random, would) else { return false };
        change(&mut self.records[place].what)
    }

    /// Adds a record after another one; what comes behind keeps its time.
    fn insert(&mut self, place: usize, what: What) {
        let former = &self.records[place];
        let record = Record { at_us: former.at_us, by: "mutant".into(), seq: 0, what };
        self.records.insert(place + 1, record);
    }

    fn push(&mut self, what: What) {
        self.insert(self.records.len() - 1, what);
    }

    /// The place of a random line of the ledger.
    fn any_line(&self, random: &mut Random, wanted: impl Fn(&Line) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..self.ledger.len()).filter(|place| wanted(&self.ledger[*place])).collect();
        random.pick(places.len()).map(|place| places[place])
    }
}

/// A sound history that a mutant can do something to, made wrong.
fn wrong_history(mutant: &Mutant, seed: u64) -> Option<History> {
    (0..TRIES).find_map(|again| {
        let mut history = History::of(seed.wrapping_add(again));
        (mutant.act)(&mut history, &mut Random::new(seed ^ again)).then_some(history)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_made_wrong_is_found(seed: u64, which in 0..all().len()) {
        let mutant = all()[which];
        let history = wrong_history(mutant, seed);
        prop_assert!(history.is_some(), "no history has anything for it: {}", mutant.what);
        let violations = check_evidence(&history.unwrap_or_default().evidence());
        let found = violations.iter().any(|violation| violation.property.split(' ').next() == Some(mutant.property));
        prop_assert!(found, "{} is to be found by {}; found: {violations:?}", mutant.what, mutant.property);
    }

    /// Whatever is answered, the log never explains what the search finds no order for.
    #[test]
    fn both_checks_of_linearizability_agree_on_wrong_answers(seed: u64, changes in 1_usize..4) {
        let (mut history, mut random) = (History::of(seed), Random::new(seed));
        for _ in 0..changes {
            answers::distort(&mut history, &mut random);
        }
        let compared = compare_linearizability(&history.evidence());
        prop_assert!(compared.is_ok(), "{compared:?}");
    }
}

#[test]
fn every_property_has_a_mutant() {
    let all = all();
    for property in (1..=28).map(|number| format!("S{number}")).chain((1..=9).map(|number| format!("L{number}"))) {
        assert!(all.iter().any(|mutant| mutant.property == property), "nothing is made wrong for {property}");
    }
}
