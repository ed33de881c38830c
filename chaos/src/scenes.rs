//! Directed scenes: small situations in which one property could break that no random history brings about often.

mod announced_length;
mod coming_back;
mod damaged_journal;
mod deaf_forager;
mod former_leader;
mod network;
mod power_cut;
mod surroundings;

use crate::checkers::Violation;

/// A scene, with what of it a seed decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scene {
    /// A peer announces a frame that is longer than any may be.
    AnnouncedLength,
    /// Foragers try to come back to a queen that is away.
    ComingBack,
    /// A byte of a journal is not what was written.
    DamagedJournal,
    /// A forager does not read what it is sent.
    DeafForager,
    /// A leader that was deposed goes on giving orders.
    FormerLeader,
    /// The power fails after a snapshot was promised.
    PowerCut,
}

impl Scene {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::AnnouncedLength,
        Self::ComingBack,
        Self::DamagedJournal,
        Self::DeafForager,
        Self::FormerLeader,
        Self::PowerCut,
    ];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AnnouncedLength => "announced-length",
            Self::ComingBack => "coming-back",
            Self::DamagedJournal => "damaged-journal",
            Self::DeafForager => "deaf-forager",
            Self::FormerLeader => "former-leader",
            Self::PowerCut => "power-cut",
        }
    }

    /// Plays it.
    pub(crate) fn play(self, seed: u64) -> Result<(), Violation> {
        match self {
            Self::AnnouncedLength => announced_length::play(seed),
            Self::ComingBack => coming_back::play(seed),
            Self::DamagedJournal => damaged_journal::play(seed),
            Self::DeafForager => deaf_forager::play(seed),
            Self::FormerLeader => former_leader::play(seed),
            Self::PowerCut => power_cut::play(seed),
        }
    }
}
