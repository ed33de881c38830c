//! What is to be said of a seed, and how few of its faults bring the same violation about.

use std::time::{Duration, Instant};

use super::panics;
use super::plan::{Fault, Plan};
use super::report::Report;
use super::run::{Finished, run};
use crate::checkers::{check_evidence, compare_linearizability};

/// So long is looked for a smaller plan.
const SHRINK_FOR: Duration = Duration::from_mins(2);

/// What is to be said of a plan.
pub(super) enum Verdict {
    Sound(Report),
    Violated(Box<Violated>),
}

/// A run in which something does not hold.
pub(super) struct Violated {
    pub(super) plan: Plan,
    /// All that is wrong, one line each.
    pub(super) what: Vec<String>,
    pub(super) trace: String,
}

impl Violated {
    /// The property that is violated first, or what went wrong in its place.
    fn property(&self) -> &str {
        let first = self.what.first().map_or("", String::as_str);
        first.split_once(" is violated").map_or(first, |(property, _)| property)
    }

    fn is_like(&self, other: &Self) -> bool {
        self.property() == other.property()
    }
}

/// Runs a plan, and judges it.
pub(super) fn judge(plan: &Plan) -> Verdict {
    let violated = |what: Vec<String>, trace| Verdict::Violated(Box::new(Violated { plan: plan.clone(), what, trace }));
    panics::listen(plan.seed);
    let ran = run(plan);
    let panics = panics::heard();
    match ran {
        Err(error) => violated(vec![format!("the run could not be made: {error:#}")], String::new()),
        Ok(finished) => {
            let panics = panics.into_iter().map(|panic| format!("P0 no crash is violated: a task panicked: {panic}"));
            let what: Vec<String> = panics.chain(wrong(&finished)).collect();
            if what.is_empty() { Verdict::Sound(Report::of(&finished)) } else { violated(what, finished.trace) }
        }
    }
}

fn wrong(finished: &Finished) -> Vec<String> {
    let violations = check_evidence(&finished.evidence);
    let disagreement = compare_linearizability(&finished.evidence).err();
    let disagreement = disagreement.map(|why| format!("the checks of linearizability disagree: {why}"));
    violations.iter().map(ToString::to_string).chain(disagreement).collect()
}

/// Leaves out faults, many at a time and then one by one, as long as the same property is violated.
pub(super) fn shrink(violated: Violated) -> Violated {
    let until = Instant::now() + SHRINK_FOR;
    let mut smallest = violated;
    let mut size = smallest.plan.faults.len().div_ceil(2);
    while size > 0 && Instant::now() < until {
        let mut place = 0;
        while place < smallest.plan.faults.len() && Instant::now() < until {
            let mut plan = smallest.plan.clone();
            let end = (place + size).min(plan.faults.len());
            drop::<Vec<Fault>>(plan.faults.drain(place..end).collect());
            match judge(&plan) {
                Verdict::Violated(smaller) if smaller.is_like(&smallest) => smallest = *smaller,
                Verdict::Violated(_) | Verdict::Sound(_) => place = end,
            }
        }
        size /= 2;
    }
    smallest
}
