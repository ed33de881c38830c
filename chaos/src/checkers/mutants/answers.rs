//! Answers to clients that are made wrong.

use super::{History, Mutant, mutant};
use crate::history::{Call, GraphShown, What};
use crate::random::Random;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant("S9", "an acknowledged graph is not there at the end", drop_a_final),
    mutant("S10", "a retry is told of another graph", renumber),
    mutant("S10", "a graph is new twice", make_new_again),
    mutant("S12", "the answers of two reads are swapped", swap_two_reads),
    mutant("S12", "a return is moved before an invocation", return_early),
    mutant("S12", "an answer that had been given is forgotten", answer_from_before),
    mutant("S12", "a stale read goes back in its session", stale_goes_back),
    mutant("S12", "a graph that has ended runs again", run_again),
    mutant("S13", "a cancelled graph is assigned something", assign_after_cancel),
];

/// The call that an operation made, and the place of its invocation.
fn call_of(history: &History, wanted: u64) -> Option<(usize, &Call)> {
    history.records.iter().enumerate().find_map(|(place, record)| match &record.what {
        What::Invoke { op, call, .. } if *op == wanted => Some((place, call)),
        _ => None,
    })
}

/// The place of a random answer to some call.
fn any_answer(history: &History, random: &mut Random, wanted: impl Fn(&Call) -> bool) -> Option<usize> {
    history.any(random, |what| match what {
        What::Ok { op, .. } => call_of(history, *op).is_some_and(|(_, call)| wanted(call)),
        _ => false,
    })
}

fn shown_at(history: &mut History, place: usize) -> Option<(&mut u64, &mut GraphShown)> {
    match &mut history.records[place].what {
        What::Ok { index, graph: Some(graph), .. } => Some((index, graph)),
        _ => None,
    }
}

fn is_read(call: &Call) -> bool {
    matches!(call, Call::Read { stale: false, .. })
}

/// Changes an answer, so that it may or may not be wrong.
pub(super) fn distort(history: &mut History, random: &mut Random) {
    let choice = random.below(6);
    let state = ["running", "succeeded", "cancelled"][random.pick(3).unwrap_or(0)].to_owned();
    let back = random.below(6);
    history.change(random, |what| match what {
        What::Ok { status, index, graph: Some(graph), .. } => {
            match choice {
                0 => *status = if *status == 201 { 200 } else { 201 },
                1 => graph.state.clone_from(&state),
                2 => graph.finished = !graph.finished,
                3 => *index = index.saturating_sub(back),
                _ => {
                    graph.state.clone_from(&state);
                    graph.finished = state != "running";
                }
            }
            true
        }
        What::Fail { status, .. } => {
            *status = [404, 409, 422][usize::try_from(choice % 3).unwrap_or(0)];
            true
        }
        _ => false,
    });
}

fn drop_a_final(history: &mut History, random: &mut Random) -> bool {
    let Some(answer) = any_answer(history, random, |call| matches!(call, Call::Submit { .. })) else { return false };
    let Some((_, graph)) = shown_at(history, answer) else { return false };
    let id = graph.id.clone();
    let before = history.records.len();
    history.records.retain(|record| !matches!(&record.what, What::Final { graph, .. } if graph.id == id));
    let others = history.records.iter().any(|record| matches!(record.what, What::Final { .. }));
    others && history.records.len() < before
}

/// Two answers for the same graph are needed.
fn renumber(history: &mut History, random: &mut Random) -> bool {
    let Some(answer) = any_answer(history, random, |call| matches!(call, Call::Submit { .. })) else { return false };
    let Some(id) = shown_at(history, answer).map(|(_, graph)| graph.id.clone()) else { return false };
    let is_same = |call: &Call| matches!(call, Call::Submit { graph } if graph.id == id);
    let Some(other) = any_answer(history, random, is_same).filter(|other| *other != answer) else { return false };
    let Some((_, graph)) = shown_at(history, other) else { return false };
    graph.number += 1_000;
    true
}

fn make_new_again(history: &mut History, random: &mut Random) -> bool {
    let statuses = |history: &History, place: usize| match &history.records[place].what {
        What::Ok { status, graph: Some(graph), .. } => Some((*status, graph.id.clone())),
        _ => None,
    };
    let submits = |call: &Call| matches!(call, Call::Submit { .. });
    let Some(again) = any_answer(history, random, submits) else { return false };
    let Some((200, id)) = statuses(history, again) else { return false };
    let new = |place| statuses(history, place) == Some((201, id.clone()));
    if !(0..history.records.len()).any(new) {
        return false;
    }
    if let What::Ok { status, .. } = &mut history.records[again].what {
        *status = 201;
    }
    true
}

/// Of the same graph, one after the other, and not the same.
fn swap_two_reads(history: &mut History, random: &mut Random) -> bool {
    let Some(first) = any_answer(history, random, is_read) else { return false };
    let Some((_, one)) = shown_at(history, first).map(|(index, graph)| (*index, graph.clone())) else { return false };
    let later = |history: &History, place: &usize| {
        let What::Ok { op, graph: Some(other), .. } = &history.records[*place].what else { return false };
        let after = call_of(history, *op).is_some_and(|(invoked, call)| is_read(call) && invoked > first);
        after && other.id == one.id && *other != one
    };
    let Some(second) = (first..history.records.len()).find(|place| later(history, place)) else { return false };
    let answer = |what: &What| match what {
        What::Ok { index, graph, .. } => (*index, graph.clone()),
        _ => (0, None),
    };
    let (one, other) = (answer(&history.records[first].what), answer(&history.records[second].what));
    for (place, (new_index, new_graph)) in [(first, other), (second, one)] {
        if let What::Ok { index, graph, .. } = &mut history.records[place].what {
            (*index, *graph) = (new_index, new_graph);
        }
    }
    true
}

/// An answer is there before somebody else asks who is then told something older.
fn return_early(history: &mut History, random: &mut Random) -> bool {
    let Some(returned) = any_answer(history, random, |_| true) else { return false };
    let What::Ok { op, index, .. } = history.records[returned].what else { return false };
    let Some((invoked, _)) = call_of(history, op) else { return false };
    let older = |place: &usize| {
        match &history.records[*place].what {
        What::Invoke { op: other, call, .. } if !matches!(call, Call::Read { stale: true, .. }) => {
            history.records.iter().any(|record| {
                matches!(&record.what, What::Ok { op, index: answered, graph: Some(_), .. } if op == other && *answered < index)
            })
        }
        _ => false,
    }
    };
    let Some(target) = (invoked + 1..returned).find(older) else { return false };
    let record = history.records.remove(returned);
    history.records.insert(target, record);
    true
}

fn answer_from_before(history: &mut History, random: &mut Random) -> bool {
    let Some(answer) = any_answer(history, random, is_read) else { return false };
    let What::Ok { op, .. } = history.records[answer].what else { return false };
    let Some((invoked, _)) = call_of(history, op) else { return false };
    let known = history.records[..invoked].iter().filter_map(|record| match &record.what {
        What::Ok { index, .. } => Some(*index),
        _ => None,
    });
    let Some(known) = known.max().filter(|known| *known > 0) else { return false };
    shown_at(history, answer).map(|(index, _)| *index = known - 1).is_some()
}

fn stale_goes_back(history: &mut History, random: &mut Random) -> bool {
    let is_stale = |call: &Call| matches!(call, Call::Read { stale: true, .. });
    let Some(last) = any_answer(history, random, is_stale) else { return false };
    let session = |history: &History, place: usize| {
        let What::Ok { op, index, .. } = &history.records[place].what else { return None };
        let (invoked, call) = call_of(history, *op)?;
        let What::Invoke { queen, .. } = &history.records[invoked].what else { return None };
        is_stale(call).then(|| (history.records[place].by.clone(), *queen, *index))
    };
    let Some((client, queen, _)) = session(history, last) else { return false };
    let before = (0..last).filter_map(|place| session(history, place));
    let highest = before.filter(|(by, at, _)| (by, *at) == (&client, queen)).map(|(_, _, index)| index).max();
    let Some(highest) = highest.filter(|highest| *highest > 0) else { return false };
    shown_at(history, last).map(|(index, _)| *index = highest - 1).is_some()
}

/// After somebody has been shown its end.
fn run_again(history: &mut History, random: &mut Random) -> bool {
    let Some(ended) = any_answer(history, random, is_read) else { return false };
    let Some((_, graph)) = shown_at(history, ended) else { return false };
    if !graph.finished {
        return false;
    }
    let id = graph.id.clone();
    let later = |place: &usize| match &history.records[*place].what {
        What::Ok { op, graph: Some(graph), .. } => {
            let after = call_of(history, *op).is_some_and(|(invoked, call)| is_read(call) && invoked > ended);
            after && graph.id == id
        }
        _ => false,
    };
    let Some(later) = (ended..history.records.len()).find(later) else { return false };
    let Some((_, graph)) = shown_at(history, later) else { return false };
    (graph.state, graph.finished) = ("running".into(), false);
    true
}

fn assign_after_cancel(history: &mut History, random: &mut Random) -> bool {
    let Some(answer) = any_answer(history, random, |call| matches!(call, Call::Cancel { .. })) else { return false };
    let Some((_, graph)) = shown_at(history, answer) else { return false };
    let event = crate::checkers::sample::change(&graph.id.clone(), "write", "assigned", Some(9_000));
    history.push(What::Entry { index: 9_000, events: vec![event] });
    history.records.last_mut().expect("there are records").by = "watch-1".into();
    true
}
