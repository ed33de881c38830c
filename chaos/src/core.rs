//! The core simulator: the pure scheduler over an abstract log, with leaders that overlap and a network that lies.
//!
//! One seed decides everything. Three replicas apply a committed log at their own pace. Several leaderships may believe
//! in themselves at once; only the newest appends, and what an older one had under way is kept or lost at random, as in
//! Raft. Foragers keep the rules of the contract: they fence epochs, deduplicate attempts, and kill guarded ones when
//! their lease ends.

mod applied;
mod forager;
mod leader;
mod log;
mod world;

use std::fmt;
use std::time::Duration;

use anyhow::ensure;

use crate::checkers::Violation;
use forager::Rules;
use world::World;

/// How many things happen in a history.
const STEPS: usize = 1_500;

/// What a run, or many, contained.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) simulated: Duration,
    pub(crate) elections: u64,
    pub(crate) entries: u64,
    pub(crate) refused_appends: u64,
    pub(crate) starts: u64,
    pub(crate) stale_messages: u64,
    pub(crate) losses: u64,
    pub(crate) restarts: u64,
    pub(crate) graphs_finished: u64,
}

impl Summary {
    pub(crate) fn add(&mut self, other: &Self) {
        self.simulated += other.simulated;
        self.elections += other.elections;
        self.entries += other.entries;
        self.refused_appends += other.refused_appends;
        self.starts += other.starts;
        self.stale_messages += other.stale_messages;
        self.losses += other.losses;
        self.restarts += other.restarts;
        self.graphs_finished += other.graphs_finished;
    }

    /// A fault that never happened was not survived.
    pub(crate) fn check_coverage(&self) -> anyhow::Result<()> {
        let kinds = [
            ("elections", self.elections),
            ("appends of former leaders", self.refused_appends),
            ("stale messages", self.stale_messages),
            ("lost foragers", self.losses),
            ("restarted foragers", self.restarts),
            ("finished graphs", self.graphs_finished),
        ];
        for (kind, count) in kinds {
            ensure!(count > 0, "no {kind} in all these seeds: the simulation does not show what it should");
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} elections, {} entries, {} appends of former leaders refused, {} starts, {} stale messages, {} lost and {} restarted foragers, {} graphs finished",
            self.elections,
            self.entries,
            self.refused_appends,
            self.starts,
            self.stale_messages,
            self.losses,
            self.restarts,
            self.graphs_finished
        )
    }
}

/// Runs the history of a seed.
pub(crate) fn run(seed: u64) -> Result<Summary, Violation> {
    run_with(seed, Rules::default())
}

fn run_with(seed: u64, rules: Rules) -> Result<Summary, Violation> {
    let mut world = World::new(seed, rules);
    for _ in 0..STEPS {
        world.step();
    }
    world.check()?;
    Ok(world.into_summary())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds within which a broken rule must be found.
    const BUDGET: u64 = 3_000;

    fn is_found(rules: Rules, property: &str) {
        let violation = (0..BUDGET).find_map(|seed| run_with(seed, rules).err());
        let text = violation.map(|violation| violation.to_string()).unwrap_or_default();
        assert!(text.starts_with(property), "without one rule of {rules:?}: {text:?}");
    }

    #[test]
    fn without_fencing_a_violation_is_found() {
        is_found(Rules { fencing: false, ..Rules::default() }, "S4");
    }

    #[test]
    fn without_the_lease_a_violation_is_found() {
        is_found(Rules { lease: false, ..Rules::default() }, "S6");
    }

    #[test]
    fn without_the_journal_a_violation_is_found() {
        is_found(Rules { journal: false, ..Rules::default() }, "S5");
    }

    #[test]
    fn with_leases_and_work_for_a_forager_that_is_being_lost_a_violation_is_found() {
        is_found(Rules { withholding: false, ..Rules::default() }, "S6");
    }

    #[test]
    fn a_seed_gives_the_same_history_twice() {
        let history = |seed| {
            let mut world = World::new(seed, Rules::default());
            (0..STEPS).for_each(|_| world.step());
            world.facts().to_vec()
        };
        assert!(!history(7).is_empty());
        assert_eq!(history(7), history(7));
        assert_ne!(history(7), history(8));
    }
}
