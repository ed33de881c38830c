//! Where mistakes are looked for: the layers, each of which runs the history of a seed and says what is violated.

use crate::checkers::Violation;
use crate::core;
use crate::crash_states::{self, Examined};
use crate::model;
use crate::scenes::Scene;
use crate::sim;

/// A way to find violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// The pure scheduler over an abstract log.
    Core,
    /// The whole cluster in one process.
    Sim,
    /// Every interleaving within the bounds of the model, whatever the seed.
    Model,
    /// What a crash may leave of a store.
    Crash(Examined),
    /// A directed scene.
    Scene(Scene),
}

impl Layer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Sim => "sim",
            Self::Model => "model",
            Self::Crash(Examined::Snapshots) => "crash-snapshots",
            Self::Crash(Examined::Journal) => "crash-journal",
            Self::Scene(scene) => scene.name(),
        }
    }

    /// The layer with that name.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let crash = [Examined::Snapshots, Examined::Journal].map(Self::Crash);
        let all = [Self::Core, Self::Sim, Self::Model].into_iter().chain(crash).chain(Scene::ALL.map(Self::Scene));
        all.into_iter().find(|layer| layer.name() == name).ok_or_else(|| format!("there is no layer {name}"))
    }

    /// Runs the history of a seed, and says what is violated.
    pub(super) fn run(self, seed: u64) -> anyhow::Result<Vec<Violation>> {
        let first = |checked: Result<(), Violation>| Ok(checked.err().into_iter().collect());
        match self {
            Self::Core => first(core::run(seed).map(|_| ())),
            Self::Sim => sim::check(seed),
            Self::Model => Ok(model::violations()),
            Self::Crash(store) => crash_states::violations(store, seed),
            Self::Scene(scene) => first(scene.play(seed)),
        }
    }
}
