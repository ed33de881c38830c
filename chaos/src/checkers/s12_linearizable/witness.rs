//! The check that takes the log for the order of everything: linear in the history, and exact about what broke.
//!
//! Every answer names the last entry that it reflects, so it happened there; what changes a graph happened at its own
//! entry. That is an order. It is a linearization if it agrees with what clients saw happen one after the other (an answer
//! that was there before a question was asked is not behind it), and if the states that the log gives a graph are those
//! that were shown.

use super::calls::{Asked, Calls, Made, Said};
use crate::history::Evidence;

/// What the log says of a graph: each index at which it changed, its state from there on, and whether it has ended.
type Timeline<'a> = Vec<(u64, &'a str, bool)>;

const CANCELLED: &str = "cancelled";

/// An answer that is not stale reflects everything that was answered before it was asked for.
pub(super) fn answers_rise(calls: &Calls<'_>) -> Result<(), String> {
    for made in calls.by_graph.values().flatten().filter(|made| made.asked != Asked::ReadStale) {
        if let Said::Shown { index, .. } = made.said
            && index < made.known
        {
            return Err(format!(
                "{} was answered at index {index}, although {} had been answered before it was asked",
                named(made),
                made.known
            ));
        }
    }
    Ok(())
}

/// Whether the log shows a graph from its beginning to the last thing that was said of it.
pub(super) fn sees_all_of(evidence: &Evidence, graph: &str, calls: &[Made<'_>]) -> bool {
    let last = calls.iter().map(|made| match made.said {
        Said::Shown { index, .. } => index.max(made.known),
        Said::NotFound | Said::Conflict | Said::Nothing { .. } => made.known,
    });
    let last = last.max().unwrap_or(0);
    match timeline(evidence, graph).first() {
        Some((created, "running", false)) => evidence.log.coverage.has_all(*created, last),
        Some(_) | None => false,
    }
}

/// What the log says of a graph, as far as it is seen, and what was said of it.
pub(super) fn check(evidence: &Evidence, graph: &str, calls: &[Made<'_>]) -> Result<(), String> {
    one_graph_under_one_id(calls)?;
    let timeline = timeline(evidence, graph);
    let Some(&(created, "running", false)) = timeline.first() else { return Ok(()) }; // it begins where nobody looked
    let has_other = calls.iter().any(|made| made.asked == Asked::SubmitOther && may_have_done(made));
    let told = Told { created, timeline: &timeline, evidence, refused: Refused::of(calls), has_other };
    calls.iter().try_for_each(|made| told.fits(made))?;
    let cancelled = timeline.iter().find(|(_, state, _)| *state == CANCELLED);
    let cancelled = cancelled.map(|(index, ..)| (*index, Asked::Cancel, usize::MAX));
    for (index, wanted, before) in cancelled.into_iter().chain([(created, Asked::Submit, told.refused.is_there)]) {
        let might = |made: &Made<'_>| {
            is_kind(made.asked, wanted) && may_have_done(made) && made.known < index && made.invoked < before
        };
        if !calls.iter().any(might) {
            let what =
                format!("graph {graph} changed at index {index}, and nobody had asked for it before that was known");
            return Err(what);
        }
    }
    Ok(())
}

fn may_have_done(made: &Made<'_>) -> bool {
    matches!(made.said, Said::Shown { .. } | Said::Nothing { may_count: true })
}

fn is_kind(asked: Asked, wanted: Asked) -> bool {
    asked == wanted || (wanted == Asked::Submit && asked == Asked::SubmitOther)
}

/// Everybody who was shown a graph was shown the same, and one was told that it was new.
fn one_graph_under_one_id(calls: &[Made<'_>]) -> Result<(), String> {
    let (mut first, mut maker): (Option<&Made<'_>>, Option<&Made<'_>>) = (None, None);
    for made in calls {
        let Said::Shown { graph, new, .. } = made.said else { continue };
        let known = *first.get_or_insert(made);
        if let Said::Shown { graph: other, .. } = known.said
            && (other.number, &other.digest) != (graph.number, &graph.digest)
        {
            return Err(format!("{} was shown another graph than {}", named(made), named(known)));
        }
        if let Some(maker) = maker.filter(|_| new) {
            return Err(format!("both {} and {} were told that their graph is new", named(maker), named(made)));
        }
        maker = maker.or(Some(made).filter(|_| new));
    }
    Ok(())
}

/// From where on in the history everybody may know something by a refusal, which names no index.
struct Refused {
    /// That the graph is there.
    is_there: usize,
    /// That it has ended by itself.
    has_ended: usize,
}

impl Refused {
    fn of(calls: &[Made<'_>]) -> Self {
        let first = |is_cancel| {
            let refused =
                calls.iter().filter(|made| made.said == Said::Conflict && (made.asked == Asked::Cancel) == is_cancel);
            refused.map(|made| made.returned).min().unwrap_or(usize::MAX)
        };
        let has_ended = first(true);
        Self { is_there: first(false).min(has_ended), has_ended }
    }
}

/// What is told of a graph apart from an answer.
struct Told<'a> {
    created: u64,
    timeline: &'a Timeline<'a>,
    evidence: &'a Evidence,
    refused: Refused,
    /// Whether somebody may have made another graph under the id.
    has_other: bool,
}

impl Told<'_> {
    /// Whether an answer fits to what is told otherwise.
    fn fits(&self, made: &Made<'_>) -> Result<(), String> {
        let created = self.created;
        let was_known = created <= made.known || self.refused.is_there < made.invoked;
        let why = match (made.asked, made.said) {
            (_, Said::Nothing { .. }) | (Asked::ReadStale, Said::NotFound | Said::Conflict) => None,
            (_, Said::NotFound) => {
                was_known.then(|| format!("it was not there; it was made at index {created}, and somebody knew that"))
            }
            (Asked::Cancel, Said::Conflict) => {
                let cancelled = self.timeline.iter().find(|(_, state, _)| *state == CANCELLED);
                cancelled.map(|(index, ..)| format!("it had ended by itself; it was cancelled at index {index}"))
            }
            (Asked::Read, Said::Conflict) => Some("it could not be read for what it is".to_owned()),
            (Asked::Submit, Said::Conflict) if !self.has_other => {
                Some("another graph stands under its id; nobody had asked for another one".to_owned())
            }
            (_, Said::Conflict) => None,
            (_, Said::Shown { index, .. }) if index < created => {
                Some(format!("it was there at index {index}; it was made at index {created}"))
            }
            (Asked::Submit | Asked::SubmitOther, Said::Shown { new: true, .. }) if was_known => {
                Some(format!("it was new; it was made at index {created}, and somebody knew that"))
            }
            (_, Said::Shown { graph, index, .. }) => self.differs(made, (&graph.state, graph.finished), index),
        };
        why.map_or(Ok(()), |why| Err(format!("{} was told that {why}", named(made))))
    }

    /// How what was shown at an index differs from what the log says, and from a refusal that was there before.
    fn differs(&self, made: &Made<'_>, shown: (&str, bool), index: u64) -> Option<String> {
        if !self.evidence.log.coverage.has_all(self.created, index) {
            return None;
        }
        let (changed, state, finished) = self.timeline.iter().rfind(|(changed, ..)| *changed <= index)?;
        let says = format!("it was {} (finished: {}) at index {index}", shown.0, shown.1);
        if shown != (*state, *finished) {
            return Some(format!("{says}; it was {state} (finished: {finished}) from index {changed} on"));
        }
        let has_not_ended = matches!(*state, "running" | "paused" | CANCELLED);
        let refused = made.asked != Asked::ReadStale && self.refused.has_ended < made.invoked;
        (refused && has_not_ended).then(|| format!("{says}; a cancellation had been refused, because it had ended"))
    }
}

fn timeline<'a>(evidence: &'a Evidence, graph: &str) -> Timeline<'a> {
    let events = evidence.log.of_graph(graph);
    events.filter_map(|(index, event)| Some((index, event.state.as_deref()?, event.finished?))).collect()
}

fn named(made: &Made<'_>) -> String {
    format!("{} of {} at queen-{}", made.op.call, made.op.client, made.op.queen)
}
