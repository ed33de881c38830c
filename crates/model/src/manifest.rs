//! What a tool's manifest says: how dear it is, and what its repetition does.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Name, Span};

/// How dear a tool is; each class has a queue of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostClass {
    /// Computation on the forager.
    Cpu,
    /// Waiting for disks and networks.
    Io,
    /// A slow, expensive model call.
    Model,
}

impl CostClass {
    /// All classes, in the order of the round robin.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Io, Self::Model];

    /// The position in [`CostClass::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Io => "io",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for CostClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What running a tool twice would do; decides what happens when an attempt's fate is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// A computation: reissued when its forager is suspect; two may run, the first result wins.
    Pure,
    /// A call that deduplicates itself by the idempotency key: reissued when its forager is suspect.
    Idempotent,
    /// A write whose target can check the fence: reissued only when its forager is lost.
    #[default]
    Guarded,
    /// A payment, a mail: never reissued by itself.
    Irrevocable,
}

impl EffectClass {
    /// Whether two attempts of one instance may be open at the same time.
    pub const fn may_overlap(self) -> bool {
        matches!(self, Self::Pure | Self::Idempotent)
    }

    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Idempotent => "idempotent",
            Self::Guarded => "guarded",
            Self::Irrevocable => "irrevocable",
        }
    }
}

impl fmt::Display for EffectClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How long a failed instance waits before its next attempt: `initial`, multiplied by `factor_percent` each time, up to `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backoff {
    /// The wait after the first failure.
    pub initial: Span,
    /// By how much each further wait is longer, in percent; 200 doubles it.
    pub factor_percent: u32,
    /// The longest wait.
    pub max: Span,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { initial: Span::from_secs(1), factor_percent: 200, max: Span::from_secs(60) }
    }
}

impl Backoff {
    /// The wait after the `failures`-th failure (from 1).
    pub fn after(&self, failures: u32) -> Span {
        let mut wait = self.initial.0.min(self.max.0);
        for _ in 1..failures {
            if wait >= self.max.0 {
                break;
            }
            wait = (wait.saturating_mul(u64::from(self.factor_percent)) / 100).min(self.max.0);
            if self.factor_percent <= 100 {
                break;
            }
        }
        Span(wait)
    }
}

/// The description of a tool. A tool without one is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What nodes call it.
    pub name: Name,
    /// How dear it is.
    pub cost_class: CostClass,
    /// What its repetition does.
    pub effects: EffectClass,
    /// The longest run of an attempt, unless the node says another.
    pub timeout: Span,
    /// Further tries after the first, unless the node says another number.
    pub retries: u32,
    /// The wait between tries.
    pub backoff: Backoff,
}

impl Manifest {
    /// The longest run of an attempt, where a manifest does not say another.
    pub const DEFAULT_TIMEOUT: Span = Span::from_secs(600);

    /// Further tries after the first, where a manifest does not say another number.
    pub const DEFAULT_RETRIES: u32 = 2;

    /// A manifest with the defaults: `guarded`, 10 minutes, 2 retries, back-off from 1 s, doubling, to 1 minute.
    pub fn new(name: Name, cost_class: CostClass) -> Self {
        Self {
            name,
            cost_class,
            effects: EffectClass::default(),
            timeout: Self::DEFAULT_TIMEOUT,
            retries: Self::DEFAULT_RETRIES,
            backoff: Backoff::default(),
        }
    }

    /// The manifests of the tools that every forager has built in.
    pub fn built_in() -> Vec<Self> {
        let cases = [
            ("append", CostClass::Io, EffectClass::Guarded),
            ("echo", CostClass::Cpu, EffectClass::Pure),
            ("fail", CostClass::Cpu, EffectClass::Pure),
            ("noop", CostClass::Cpu, EffectClass::Pure),
            ("sleep", CostClass::Io, EffectClass::Pure),
            ("spin", CostClass::Cpu, EffectClass::Pure),
        ];
        cases
            .into_iter()
            .filter_map(|(name, class, effects)| Some(Self { effects, ..Self::new(Name::new(name).ok()?, class) }))
            .collect()
    }
}
