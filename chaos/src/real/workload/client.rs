//! One client: does one thing after the other, each at some queen, and goes on with the next queen when one does not answer.

use std::time::Duration;

use crate::history::{Call, GraphSpec, Scribe};
use crate::random::Random;
use crate::real::config::QUEENS;
use crate::real::field::{Came, Field};
use crate::real::workload::wall_ms;
use crate::work::graph;

/// Between two operations of a client, at most, in milliseconds.
const MOST_PAUSE_MS: u64 = 100;

/// A submission whose outcome is unknown is repeated at the next queen, at most so often.
const TRIES: usize = 6;

/// Of a hundred operations, so many submit something new.
const NEW_PERCENT: u64 = 48;

/// Of what was submitted, the last so many are looked at and submitted again.
const LATELY: usize = 60;

/// And cancelled, as long as most of them run.
const JUST_NOW: usize = 4;

/// Works as long as there is work.
pub(in crate::real) fn work(field: &Field<'_>, number: usize, guard: bool, mut random: Random) {
    let mut scribe = field.recorder.scribe(format!("client-{number}"));
    let mut submitted = 0;
    while field.has_work() {
        let queen = Field::any_queen(&mut random);
        if random.percent(NEW_PERCENT) {
            submitted += 1;
            let graph = graph(format!("c{number}-{submitted}"), guard, Some(wall_ms()), &mut random);
            field.known().graphs.push(graph.clone());
            submit(field, &mut scribe, queen, &graph);
        } else if let Some(call) = about_the_known(field, &mut random) {
            field.ask(&mut scribe, queen, &call);
        }
        std::thread::sleep(Duration::from_millis(random.below(MOST_PAUSE_MS)));
    }
}

/// Submits until somebody says yes or no, as the client library does.
fn submit(field: &Field<'_>, scribe: &mut Scribe<'_>, first: u16, graph: &GraphSpec) {
    let call = Call::Submit { graph: graph.clone() };
    for queen in (0..QUEENS).cycle().map(|next| 1 + (first - 1 + next) % QUEENS).take(TRIES) {
        if field.ask(scribe, queen, &call) != Came::Unknown {
            return;
        }
    }
}

/// Something to ask for about what was submitted; nothing as long as there is nothing.
fn about_the_known(field: &Field<'_>, random: &mut Random) -> Option<Call> {
    let call = match random.below(52) {
        0..10 => Call::Submit { graph: submitted(field, random)? },
        10..13 => Call::Conflict { graph: acknowledged(field, LATELY, random)? },
        13..19 => Call::Cancel { graph: acknowledged(field, JUST_NOW, random)? },
        19..36 => Call::Read { graph: acknowledged(field, LATELY, random)?, stale: false },
        _ => Call::Read { graph: acknowledged(field, LATELY, random)?, stale: true },
    };
    Some(call)
}

/// One of the graphs that were submitted not long ago, acknowledged or not.
fn submitted(field: &Field<'_>, random: &mut Random) -> Option<GraphSpec> {
    let known = field.known();
    let last = &known.graphs[known.graphs.len().saturating_sub(LATELY)..];
    random.pick(last.len()).map(|place| last[place].clone())
}

/// One of the last of those that were acknowledged.
fn acknowledged(field: &Field<'_>, lately: usize, random: &mut Random) -> Option<String> {
    let known = field.known();
    let ids = known.graphs.iter().rev().map(|graph| &graph.id);
    let last: Vec<&String> = ids.filter(|id| known.acknowledged.contains(*id)).take(lately).collect();
    random.pick(last.len()).map(|place| last[place].clone())
}
