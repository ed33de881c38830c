//! What is seen from outside, made wrong: the ledger, events, what queens show, goals, faults.

use super::{History, Mutant, mutant};
use crate::checkers::sample::{change, lost};
use crate::history::{Goal, Line, Mark, What};
use crate::random::Random;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant("P1", "the end of a fault is lost", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::FaultOff { .. })) else { return false };
        history.records.remove(place);
        true
    }),
    mutant("S5", "an effect is doubled", |history, random| {
        let Some(place) = history.any_line(random, |line| line.event == Mark::Start) else { return false };
        history.ledger.insert(place, history.ledger[place].clone());
        true
    }),
    mutant("S6", "an attempt ends after the next one has started", |history, random| {
        let Some((_, second)) = two_attempts(history, random) else { return false };
        let start = history.ledger.remove(second);
        let first = history.ledger.iter().position(|line| line.instance() == start.instance()).unwrap_or(0);
        history.ledger.insert(first + 1, start);
        true
    }),
    mutant("S7", "a second result is taken", |history, random| {
        let event = history.records.iter().filter_map(|record| match &record.what {
            What::Entry { events, .. } => {
                events.iter().find(|event| event.state.as_deref() == Some("succeeded") && event.node.is_some())
            }
            _ => None,
        });
        let events: Vec<_> = event.cloned().collect();
        let Some(place) = random.pick(events.len()) else { return false };
        read(history, 9_000, events[place].clone());
        true
    }),
    mutant("S8", "something starts before what it depends on has ended", |history, random| {
        let second = |line: &Line| line.node == "write" && line.event == Mark::Start;
        let depends =
            |line: &Line| second(line) && line.graph[1..].parse::<usize>().is_ok_and(|number| number % 3 == 2);
        let Some(place) = history.any_line(random, depends) else { return false };
        let graph = history.ledger[place].graph.clone();
        history.ledger.retain(|line| !(line.graph == graph && line.node == "work" && line.event == Mark::End));
        true
    }),
    mutant("S11", "there is a graph that nobody has submitted", |history, random| {
        history.change(random, |what| match what {
            What::Final { graph, .. } => {
                graph.id = "ghost".into();
                true
            }
            _ => false,
        })
    }),
    mutant("S15", "a digest of a state is another one", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::Position { .. })) else { return false };
        let mut what = history.records[place].what.clone();
        if let What::Position { queen, digest, .. } = &mut what {
            (*queen, *digest) = (*queen % 3 + 1, "another state".into());
        }
        history.insert(place, what);
        true
    }),
    mutant("S20", "noise is taken for good", |history, random| {
        history.change(random, |what| match what {
            What::Hostile { end, .. } => {
                *end = crate::history::HostileEnd::Accepted;
                true
            }
            _ => false,
        })
    }),
    mutant("S21", "a result is another one", |history, random| {
        history.change(random, |what| match what {
            What::Final { results, .. } => {
                results.values_mut().find(|result| result.is_string()).is_some_and(|result| {
                    *result = "another word".into();
                    true
                })
            }
            _ => false,
        })
    }),
    mutant("S23", "an irrevocable attempt is made again", |history, random| {
        let paid = |line: &Line| line.node == "pay" && line.event == Mark::Start;
        let Some(place) = history.any_line(random, paid) else { return false };
        let start = history.ledger[place].clone();
        let ends =
            history.ledger.iter().filter(|line| line.instance() == start.instance() && line.exit.is_some()).count();
        for fence in (9_000..).take(ends + 1) {
            history.ledger.push(Line { fence, ..start.clone() });
        }
        true
    }),
    mutant("S24", "the fence of a later attempt is lower", |history, random| {
        let Some((first, second)) = two_attempts(history, random) else { return false };
        let fence = history.ledger[first].fence;
        history.ledger[second].fence = fence - 1;
        true
    }),
    mutant("S25", "a forager has more attempts than slots", |history, random| {
        history.change(random, |what| match what {
            What::Foragers { foragers, .. } if !foragers.is_empty() => {
                foragers[0].open = foragers[0].slots + 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S26", "a node expires long before its deadline", |history, random| {
        let works = |line: &Line| line.node == "work";
        let Some(place) = history.any_line(random, works) else { return false };
        let event = change(&history.ledger[place].graph.clone(), "work", "expired", None);
        read(history, 9_000, event);
        true
    }),
    mutant("S27", "one reader misses an entry", |history, random| {
        let by_the_first = |history: &History, index: u64| {
            history.records.iter().any(|record| {
                record.by == "watch-1" && matches!(record.what, What::Entry { index: read, .. } if read == index)
            })
        };
        let places: Vec<usize> = (0..history.records.len())
            .filter(|place| {
                let record = &history.records[*place];
                record.by == "watch-2"
                    && matches!(record.what, What::Entry { index, .. } if by_the_first(history, index))
            })
            .collect();
        let Some(place) = random.pick(places.len()) else { return false };
        history.records.remove(places[place]);
        true
    }),
    mutant("L1", "there is no leader", |history, random| is_late(history, random, Goal::Leader)),
    mutant("L2", "a fresh submission takes for ever", |history, random| {
        is_late(history, random, Goal::FreshSubmission)
    }),
    mutant("L2", "a graph does not end", |history, random| is_late(history, random, Goal::AllFinal)),
    mutant("L3", "a graph does not go on", |history, random| is_late(history, random, Goal::Resumed)),
    mutant("L3", "a node waits for no reason", |history, random| {
        history.change(random, |what| match what {
            What::Waits { reason, .. } => {
                *reason = "in_queue".into();
                true
            }
            _ => false,
        })
    }),
    mutant("L4", "the cluster does not settle", |history, random| is_late(history, random, Goal::Settled)),
    mutant("L5", "a queen does not catch up", |history, random| {
        let queen = 1 + u16::try_from(random.below(3)).unwrap_or(0);
        let healed = history
            .records
            .iter()
            .position(|record| matches!(record.what, What::Phase { phase: crate::history::Phase::Healed }));
        let Some(healed) = healed else { return false };
        let behind = |what: &What| matches!(what, What::Position { queen: at, .. } if *at == queen);
        let mut place = 0..;
        history.records.retain(|record| place.next() < Some(healed) || !behind(&record.what));
        history.records.last_mut().expect("there are records").at_us += 60_000_000;
        history.any(random, |what| matches!(what, What::Position { .. })).is_some()
    }),
    mutant("L5", "a queen is sent snapshot after snapshot", |history, random| {
        let Some(healed) =
            history.any(random, |what| matches!(what, What::Phase { phase: crate::history::Phase::Healed }))
        else {
            return false;
        };
        for last in 1..=3 {
            history.insert(healed, What::Installed { queen: 2, life: 1, last });
        }
        true
    }),
    mutant("L6", "the cluster does not serve again", |history, random| is_late(history, random, Goal::ServesAgain)),
    mutant("L7", "a healthy forager is lost", |history, _| {
        read(history, 9_000, lost("forager-1"));
        true
    }),
    mutant("L8", "a process grows", |history, random| {
        history.change(random, |what| match what {
            What::Memory { kib, .. } => {
                *kib *= 100;
                true
            }
            _ => false,
        })
    }),
    mutant("L8", "a queue is longer than it may be", |history, random| {
        history.change(random, |what| match what {
            What::Queue { length, limit, .. } => {
                *length = *limit + 1;
                true
            }
            _ => false,
        })
    }),
    mutant("L9", "terms rise without a leader", |history, _| {
        history.push(What::Status(crate::history::QueenStatus { queen: 2, life: 1, epoch: 1_000, leads: false }));
        true
    }),
    mutant("P0", "a process ends by itself", |history, _| {
        history.push(What::Died { process: "queen-1".into(), life: 1, status: "signal: 6".into() });
        true
    }),
];

/// Where the ledger has the first start and the second one of an instance that was tried twice.
fn two_attempts(history: &History, random: &mut Random) -> Option<(usize, usize)> {
    let starts = |line: &Line| line.event == Mark::Start;
    let second = history.any_line(random, |line| {
        let first = history.ledger.iter().find(|other| starts(other) && other.instance() == line.instance());
        starts(line) && first != Some(line)
    })?;
    let instance = history.ledger[second].instance();
    let first = history.ledger.iter().position(|line| starts(line) && line.instance() == instance)?;
    Some((first, second))
}

/// The first reader reads something at the end.
fn read(history: &mut History, index: u64, event: crate::history::Event) {
    history.push(What::Entry { index, events: vec![event] });
    history.records.last_mut().expect("there are records").by = "watch-1".into();
}

fn is_late(history: &mut History, random: &mut Random, late: Goal) -> bool {
    history.change(random, |what| match what {
        What::Reached { goal, after_ms, .. } if *goal == late => {
            *after_ms = None;
            true
        }
        _ => false,
    })
}
