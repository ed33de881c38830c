//! Which layer has to find which mistake, and within how many seeds.

use antfarm_planted::Bug;

use super::layer::Layer;
use crate::crash_states::Examined;
use crate::scenes::Scene;

/// A mistake and who has to find it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) bug: Bug,
    pub(super) layer: Layer,
    /// Within how many seeds, from 0.
    pub(super) seeds: u64,
}

const fn core(bug: Bug, seeds: u64) -> Case {
    Case { bug, layer: Layer::Core, seeds }
}

const fn scene(bug: Bug, scene: Scene, seeds: u64) -> Case {
    Case { bug, layer: Layer::Scene(scene), seeds }
}

const fn sim(bug: Bug, seeds: u64) -> Case {
    Case { bug, layer: Layer::Sim, seeds }
}

/// All mistakes.
pub(super) const CASES: [Case; 32] = [
    sim(Bug::AckBeforeSync, 100),
    sim(Bug::VoteBeforeSync, 100),
    sim(Bug::SentBeforeCommit, 100),
    scene(Bug::EpochInMemory, Scene::FormerLeader, 32),
    scene(Bug::LowerEpochHeard, Scene::FormerLeader, 32),
    sim(Bug::OfficeResumed, 100),
    core(Bug::FenceNotCompared, 500),
    core(Bug::TombstonesNotKept, 500),
    sim(Bug::AnotherId, 100),
    core(Bug::OpenAttemptsNotKept, 500),
    core(Bug::ClockInApply, 500),
    sim(Bug::LocalReads, 100),
    sim(Bug::OfficeBeforeBarrier, 100),
    sim(Bug::WallClockLease, 100),
    sim(Bug::FailedSyncIgnored, 100),
    scene(Bug::DamageTakenForTail, Scene::DamagedJournal, 2),
    scene(Bug::FolderNotSynced, Scene::PowerCut, 2),
    scene(Bug::NamedUnsynced, Scene::PowerCut, 2),
    sim(Bug::SilenceSurvivesOffice, 100),
    core(Bug::WorkTakenBack, 500),
    core(Bug::NoGrace, 500),
    scene(Bug::NoJitter, Scene::ComingBack, 2),
    scene(Bug::UnboundedOutbox, Scene::DeafForager, 2),
    sim(Bug::OfficeWithoutDisk, 100),
    core(Bug::LateResultTaken, 2_000),
    core(Bug::FollowerReaps, 500),
    sim(Bug::QuorumNotAsked, 100),
    sim(Bug::PurgedAtOnce, 100),
    sim(Bug::NoDeadline, 100),
    sim(Bug::NeverSilent, 100),
    core(Bug::CancelNotChecked, 500),
    scene(Bug::LengthBelieved, Scene::AnnouncedLength, 2),
];

/// Some of them have to be found by another layer, too.
pub(super) const ALSO: [Case; 4] = [
    Case { bug: Bug::DamageTakenForTail, layer: Layer::Crash(Examined::Journal), seeds: 2 },
    Case { bug: Bug::FolderNotSynced, layer: Layer::Crash(Examined::Snapshots), seeds: 2 },
    Case { bug: Bug::NamedUnsynced, layer: Layer::Crash(Examined::Snapshots), seeds: 2 },
    Case { bug: Bug::LateResultTaken, layer: Layer::Model, seeds: 1 },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The page that shows the catalogue to people.
    const PAGE: &str = include_str!("../../PLANTED.md");

    #[test]
    fn the_page_shows_the_catalogue_as_it_is() {
        for Case { bug, layer, seeds } in CASES {
            let row = format!("| {bug} | {} | {} | {} | {seeds} |", bug.wrong(), bug.breaks(), layer.name());
            assert!(PAGE.contains(&row), "PLANTED.md lacks this row:\n{row}");
        }
        for Case { bug, layer, seeds } in ALSO {
            let row = format!("| {bug} | {} | {seeds} |", layer.name());
            assert!(PAGE.contains(&row), "PLANTED.md lacks this row:\n{row}");
        }
        assert_eq!(PAGE.matches("\n| M").count(), CASES.len() + ALSO.len(), "PLANTED.md has no other row");
    }

    #[test]
    fn every_mistake_has_one_who_finds_it() {
        assert_eq!(CASES.map(|case| case.bug), Bug::ALL);
        assert!((1..=32).all(|number| Bug::of_number(number).is_some()));
    }
}
