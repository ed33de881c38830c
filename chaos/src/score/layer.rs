//! Where mistakes are looked for: the layers, each of which runs the history of a seed and says what is violated.

use crate::checkers::Violation;
use crate::core;
use crate::scenes::Scene;

/// A way to find violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// The pure scheduler over an abstract log.
    Core,
    /// A directed scene.
    Scene(Scene),
}

impl Layer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Scene(scene) => scene.name(),
        }
    }

    /// The layer with that name.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let all = [Self::Core].into_iter().chain(Scene::ALL.map(Self::Scene));
        all.into_iter().find(|layer| layer.name() == name).ok_or_else(|| format!("there is no layer {name}"))
    }

    /// Runs the history of a seed.
    pub(super) fn run(self, seed: u64) -> Result<(), Violation> {
        match self {
            Self::Core => core::run(seed).map(|_| ()),
            Self::Scene(scene) => scene.play(seed),
        }
    }
}
