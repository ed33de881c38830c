//! Directed scenes: small situations in which one property could break that no random history brings about often.

mod announced_length;
mod coming_back;
mod surroundings;

use crate::checkers::Violation;

/// A scene, with what of it a seed decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scene {
    /// A peer announces a frame that is longer than any may be.
    AnnouncedLength,
    /// Foragers try to come back to a queen that is away.
    ComingBack,
}

impl Scene {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::AnnouncedLength, Self::ComingBack];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AnnouncedLength => "announced-length",
            Self::ComingBack => "coming-back",
        }
    }

    /// Plays it.
    pub(crate) fn play(self, seed: u64) -> Result<(), Violation> {
        match self {
            Self::AnnouncedLength => announced_length::play(seed),
            Self::ComingBack => coming_back::play(seed),
        }
    }
}
