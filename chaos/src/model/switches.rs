//! Each rule switched off alone, and what is then found.

use antfarm_model::EffectClass;

use super::properties::Property;
use super::rules::Rules;
use super::scope::Scope;

/// A rule that is switched off.
pub(super) struct Switch {
    /// What is missing.
    pub(super) without: &'static str,
    pub(super) rules: Rules,
    pub(super) effects: EffectClass,
    pub(super) scope: Scope,
    /// What breaks: first the property that says the rule in other words, then what it is there for.
    pub(super) breaks: &'static [Property],
}

const GUARDED: EffectClass = EffectClass::Guarded;

/// The four of the catalogue, then the others on which the lease rests.
pub(super) const SWITCHES: [Switch; 9] = [
    Switch {
        without: "commit before dispatch",
        rules: Rules { commit_before_dispatch: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::CommitBeforeDispatch, Property::OneLiveAttempt],
    },
    Switch {
        without: "one life in a term",
        rules: Rules { one_life_per_term: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::PIPELINE,
        breaks: &[Property::OneLeader, Property::OneLiveAttempt],
    },
    Switch {
        without: "the lease",
        rules: Rules { lease: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::OneLiveAttempt],
    },
    Switch {
        without: "the journal",
        rules: Rules { journal: false, ..Rules::ALL },
        effects: EffectClass::Irrevocable,
        scope: Scope::SUCCESSION,
        breaks: &[Property::SingleStart, Property::Irrevocable],
    },
    Switch {
        without: "fencing",
        rules: Rules { fencing: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::Fencing],
    },
    Switch {
        without: "the incarnation of what is held",
        rules: Rules { addressed_holdings: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::OneLiveAttempt],
    },
    Switch {
        without: "a bound on what is granted",
        rules: Rules { bounded_grants: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::OneLiveAttempt],
    },
    Switch {
        without: "withholding from whom is being lost",
        rules: Rules { withholding: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::OneLiveAttempt],
    },
    Switch {
        without: "an allowance for two clocks",
        rules: Rules { drift_allowance: false, ..Rules::ALL },
        effects: GUARDED,
        scope: Scope::SUCCESSION,
        breaks: &[Property::OneLiveAttempt],
    },
];
