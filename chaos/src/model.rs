//! A bounded exhaustive model: every interleaving of two leaders, two foragers, one node and two attempts.
//!
//! The state machine, the leader's decisions and the arithmetic of leases are the product's own; what foragers do, and
//! how they are heard, is told again here, each rule with the place that it is from.
//!
//! The log is a sequence to which only the leader of the newest term adds; an election keeps or loses what was under way.
//! The leader before need not notice, applies what is committed, grants and sends. Messages to foragers are late, lost,
//! doubled and reordered. A forager talks to any leader at any time, is silent for any time, and is restarted.
//!
//! Where one of two things is always the worse one, only that is tried: what can be sent is sent at once, and may arrive at
//! any time later; a heartbeat is heard and answered as soon as it is sent, since its lease counts from then.
//!
//! Absent: what a clock does by itself (deadlines, back-offs, time-outs), rejects, drains, reboots, ranges, and what is
//! suspect, which means nothing to what must not overlap.

mod action;
mod check;
mod clocks;
mod cores;
mod dispatch;
mod forager;
mod hearing;
mod leader;
mod order;
mod post;
mod properties;
mod rules;
mod scope;
mod switches;
mod turn;
mod view;
mod world;

use antfarm_model::EffectClass;
use antfarm_scheduler::Policy;
use anyhow::bail;
use stateright::{Model, Property as Checked};

use crate::checkers::Violation;

use action::Action;
use cores::{CoreNo, Cores};
use properties::Property;
use rules::Rules;
use scope::Scope;
use switches::SWITCHES;
use turn::Turn;
use world::World;

/// What is visited in full.
const RUNS: [(EffectClass, Scope); 4] = [
    (EffectClass::Guarded, Scope::SUCCESSION),
    (EffectClass::Guarded, Scope::PIPELINE),
    (EffectClass::Irrevocable, Scope::SUCCESSION),
    (EffectClass::Irrevocable, Scope::PIPELINE),
];

/// The model of one effect class, within a scope, by some of the rules.
struct Ants {
    effects: EffectClass,
    scope: Scope,
    rules: Rules,
    policy: Policy,
    cores: Cores,
    first: CoreNo,
    actions: Vec<Action>,
}

impl Ants {
    fn new(effects: EffectClass, scope: Scope, rules: Rules) -> Self {
        let (cores, first) = Cores::new(effects);
        let policy = clocks::policy(rules.drift_allowance);
        Self { effects, scope, rules, policy, cores, first, actions: Action::all(&scope) }
    }

    fn is_irrevocable(&self) -> bool {
        self.effects == EffectClass::Irrevocable
    }
}

impl Model for Ants {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::first(self.first)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if !Turn::is_over(self, world) {
            actions.extend(self.actions.iter().filter(|action| action.is_possible(world)));
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut turn = Turn { ants: self, world: world.clone() };
        turn.take(action);
        turn.tidy();
        (turn.world != *world).then_some(turn.world)
    }

    fn properties(&self) -> Vec<Checked<Self>> {
        properties::all(self)
    }
}

/// What breaks with all rules, as long as no mistake is made in the code that the model shares with the product.
pub(crate) fn violations() -> Vec<Violation> {
    let broken = RUNS.into_iter().find_map(|(effects, scope)| check::broken(effects, scope));
    let violation = |(property, way): (Property, check::Way)| Violation::new(property.name(), format!("\n{way}"));
    broken.map(violation).into_iter().collect()
}

/// Visits every state with all rules, then looks for what breaks without each; if `is_deep`, in the largest scope, too.
pub(crate) fn model(is_deep: bool) -> anyhow::Result<()> {
    let deep = [EffectClass::Guarded, EffectClass::Irrevocable].map(|effects| (effects, Scope::DEEP));
    for (effects, scope) in RUNS.into_iter().chain(deep.into_iter().filter(|_| is_deep)) {
        print!("{}", check::exhaust(effects, scope)?);
    }
    for switch in &SWITCHES {
        for property in switch.breaks {
            let Some(way) = check::shortest(switch.effects, switch.scope, switch.rules, *property)? else {
                bail!(
                    "without {} nothing breaks {}: the model does not show what it should",
                    switch.without,
                    property.name()
                )
            };
            print!("without {}: {} is violated in {} steps\n{way}", switch.without, property.name(), way.len());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
