//! Runs the model: through everything, or to the shortest way in which a property breaks.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

use antfarm_model::EffectClass;
use anyhow::{bail, ensure};
use stateright::{Checker, Expectation, HasDiscoveries, Model as _};

use super::Ants;
use super::action::Action;
use super::properties::{self, Property};
use super::rules::Rules;
use super::scope::Scope;

/// A way through the model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Way(Vec<Action>);

impl Way {
    /// How many steps it has.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, action) in self.0.iter().enumerate() {
            writeln!(f, "  {:>3}. {action}", number + 1)?;
        }
        Ok(())
    }
}

/// A run through everything.
pub(super) struct Run {
    scope: Scope,
    effects: EffectClass,
    states: usize,
    unique: usize,
    depth: usize,
    cores: usize,
    took: Duration,
    always: Vec<&'static str>,
    sometimes: Vec<&'static str>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, effects, states, unique, depth, cores, took, always, sometimes } = self;
        let seconds = took.as_secs_f64();
        writeln!(f, "{}, {}: every state visited", effects.as_str(), scope.name)?;
        writeln!(f, "  {states} states, {unique} unique, depth {depth}, {cores} of the state machine, {seconds:.1} s")?;
        always.iter().try_for_each(|name| writeln!(f, "  always: {name}"))?;
        sometimes.iter().try_for_each(|name| writeln!(f, "  reached: {name}"))
    }
}

/// Visits every state with all rules. A violation is an error, and so is something that was never reached.
pub(super) fn exhaust(effects: EffectClass, scope: Scope) -> anyhow::Result<Run> {
    let began = Instant::now();
    let ants = Ants::new(effects, scope, Rules::ALL);
    let checker = ants.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let found: BTreeSet<&str> = checker.discoveries().into_keys().collect();
    let (mut always, mut sometimes) = (Vec::new(), Vec::new());
    for property in properties::all(checker.model()) {
        match (property.expectation, found.contains(property.name)) {
            (Expectation::Always, false) => always.push(property.name),
            (Expectation::Sometimes, true) => sometimes.push(property.name),
            (Expectation::Always | Expectation::Eventually, _) => {
                let way = checker.discovery(property.name).map(|path| Way(path.into_actions()));
                bail!("{} is violated:\n{}", property.name, way.map(|way| way.to_string()).unwrap_or_default());
            }
            (Expectation::Sometimes, false) => {
                bail!("never reached: {}; the model does not show what it should", property.name)
            }
        }
    }
    Ok(Run {
        scope,
        effects,
        states: checker.state_count(),
        unique: checker.unique_state_count(),
        depth: checker.max_depth(),
        cores: checker.model().cores.len(),
        took: began.elapsed(),
        always,
        sometimes,
    })
}

/// A property that breaks with all rules, and how.
pub(super) fn broken(effects: EffectClass, scope: Scope) -> Option<(Property, Way)> {
    let ants = Ants::new(effects, scope, Rules::ALL);
    let checker = ants.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    Property::ALL.into_iter().find_map(|property| {
        let path = checker.discovery(property.name())?;
        Some((property, Way(path.into_actions())))
    })
}

/// The shortest way on which a property breaks without a rule, if there is one.
pub(super) fn shortest(
    effects: EffectClass,
    scope: Scope,
    rules: Rules,
    property: Property,
) -> anyhow::Result<Option<Way>> {
    // The search notes the last way that it finds before it stops, which may be a step longer than the first one.
    let mut best = find(effects, scope, rules, property, usize::MAX);
    while let Some(found) = &best {
        ensure!(found.len() > 0, "{} does not hold at the beginning", property.name());
        let Some(shorter) = find(effects, scope, rules, property, found.len() - 1) else { break };
        best = Some(shorter);
    }
    Ok(best)
}

fn find(effects: EffectClass, scope: Scope, rules: Rules, property: Property, most_steps: usize) -> Option<Way> {
    let ants = Ants::new(effects, scope, rules);
    let names = BTreeSet::from([property.name()]);
    let checker = ants
        .checker()
        .finish_when(HasDiscoveries::AnyOf(names))
        .target_max_depth(most_steps.saturating_add(2)) // it counts states, and stops before that many
        .spawn_bfs()
        .join();
    checker.discovery(property.name()).map(|path| Way(path.into_actions()))
}
