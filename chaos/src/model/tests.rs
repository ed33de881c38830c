//! With all rules every state is visited and nothing breaks; without one of them a named property does.

use super::*;
use properties::Property;

fn holds(effects: EffectClass, scope: Scope) {
    match check::exhaust(effects, scope) {
        Ok(run) => print!("{run}"),
        Err(error) => panic!("{error}"),
    }
}

/// Without the rule each property breaks that it is there for, first of all that one.
fn breaks(without: &str, first: Property) {
    let switch = SWITCHES.iter().find(|switch| switch.without == without).expect("there is such a rule");
    assert_eq!(switch.breaks.first(), Some(&first));
    for property in switch.breaks {
        let way = check::shortest(switch.effects, switch.scope, switch.rules, *property).expect("it holds at first");
        let way = way.unwrap_or_else(|| panic!("without {without} nothing breaks {}", property.name()));
        println!("without {without}: {} is violated in {} steps\n{way}", property.name(), way.len());
    }
}

#[test]
fn guarded_attempts_of_two_leaders_keep_every_property() {
    holds(EffectClass::Guarded, Scope::SUCCESSION);
}

#[test]
fn guarded_attempts_of_a_pipeline_keep_every_property() {
    holds(EffectClass::Guarded, Scope::PIPELINE);
}

#[test]
fn irrevocable_attempts_of_two_leaders_keep_every_property() {
    holds(EffectClass::Irrevocable, Scope::SUCCESSION);
}

#[test]
fn irrevocable_attempts_of_a_pipeline_keep_every_property() {
    holds(EffectClass::Irrevocable, Scope::PIPELINE);
}

#[test]
fn without_commit_before_dispatch_something_uncommitted_is_sent() {
    breaks("commit before dispatch", Property::CommitBeforeDispatch);
}

#[test]
fn without_one_life_in_a_term_two_leaders_speak_in_one() {
    breaks("one life in a term", Property::OneLeader);
}

#[test]
fn without_the_lease_two_attempts_run() {
    breaks("the lease", Property::OneLiveAttempt);
}

#[test]
fn without_the_journal_an_attempt_starts_twice() {
    breaks("the journal", Property::SingleStart);
}

#[test]
fn without_fencing_a_former_leader_is_heard() {
    breaks("fencing", Property::Fencing);
}

#[test]
fn without_the_incarnation_of_what_is_held_two_attempts_run() {
    breaks("the incarnation of what is held", Property::OneLiveAttempt);
}

#[test]
fn without_a_bound_on_what_is_granted_two_attempts_run() {
    breaks("a bound on what is granted", Property::OneLiveAttempt);
}

#[test]
fn without_withholding_two_attempts_run() {
    breaks("withholding from whom is being lost", Property::OneLiveAttempt);
}

#[test]
fn without_an_allowance_for_two_clocks_two_attempts_run() {
    breaks("an allowance for two clocks", Property::OneLiveAttempt);
}
