//! What is done to a cluster, by name.

use antfarm_testkit::Hosts;

use super::nemesis::Move;

/// What is done to a cluster.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// A sentence for people.
    pub(super) about: &'static str,
    /// What the nemesis draws from.
    pub(super) moves: &'static [Move],
    /// Whether two moves may stand at the same time.
    pub(super) in_pairs: bool,
}

const fn one(name: &'static str, about: &'static str, moves: &'static [Move]) -> Scenario {
    Scenario { name, about, moves, in_pairs: false }
}

/// All scenarios.
pub(super) const SCENARIOS: &[Scenario] = &[
    one("leader-killed", "the leader is killed, and started again at once or later", &[Move::KillLeader]),
    one("leader-stopped", "the leader stands still, does not know it, and goes on", &[Move::StopLeader]),
    one("majority-killed", "the leader and another queen are killed", &[Move::KillMajority]),
    one("all-killed", "all queens are killed at once", &[Move::KillAll]),
    one("forager-killed", "a forager is killed under work", &[Move::KillForager]),
    one(
        "foragers-killed",
        "all foragers are killed at once, and nothing runs until they are back",
        &[Move::KillForagers],
    ),
    one("forager-stopped", "a forager stands still, often beyond its lease", &[Move::StopForager]),
    one(
        "leader-isolated",
        "the leader hears no other queen and no forager, and they do not hear it",
        &[Move::IsolateLeader],
    ),
    one("follower-isolated", "a follower is cut off and comes back", &[Move::IsolateFollower]),
    one(
        "one-way",
        "the leader is heard and hears nothing, or the other way round",
        &[Move::MuteLeader, Move::DeafenLeader],
    ),
    one("bridge", "two queens are cut from each other, and both hear the third", &[Move::Bridge]),
    one("flapping", "the links of a queen come and go", &[Move::Flap]),
    one("forager-cut-from-leader", "a forager hears every queen but the leader", &[Move::CutForagerFromLeader]),
    Scenario {
        name: "queens",
        about: "everything that can happen to queens, two at a time now and then",
        moves: Move::OF_QUEENS,
        in_pairs: true,
    },
    Scenario {
        name: "random",
        about: "everything above, two at a time now and then",
        moves: Move::ALL,
        in_pairs: true,
    },
];

/// The scenario that draws from all.
pub(super) fn random() -> &'static Scenario {
    &SCENARIOS[SCENARIOS.len() - 1]
}

/// The one that draws from what can happen to queens.
pub(super) fn queens() -> &'static Scenario {
    &SCENARIOS[SCENARIOS.len() - 2]
}

impl Scenario {
    /// What it can draw from on this machine.
    pub(super) fn possible_moves(&self) -> Vec<Move> {
        let hosts = Hosts::available().is_ok();
        self.moves.iter().copied().filter(|one| hosts || !one.needs_hosts()).collect()
    }

    /// Whether it can do anything on this machine.
    pub(super) fn can_run(&self) -> bool {
        !self.possible_moves().is_empty()
    }

    /// Whether programs may find themselves beyond their lease without anybody who could kill them in time, because
    /// their forager stands still: then targets must check fences.
    pub(super) fn needs_guard(&self) -> bool {
        self.moves.contains(&Move::StopForager)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_queens_leaves_foragers_alone() {
        let of_foragers = [Move::CutForagerFromLeader, Move::KillForager, Move::KillForagers, Move::StopForager];
        assert_eq!(queens().name, "queens");
        assert_eq!(queens().moves.len() + of_foragers.len(), random().moves.len());
        assert!(!queens().moves.iter().any(|one| of_foragers.contains(one)));
    }

    #[test]
    fn every_move_has_a_scenario_of_its_own() {
        let alone: Vec<Move> =
            SCENARIOS.iter().filter(|one| !one.in_pairs).flat_map(|one| one.moves).copied().collect();
        assert_eq!(random().name, "random");
        assert!(random().moves.iter().all(|one| alone.contains(one)) && alone.len() == random().moves.len());
    }
}
