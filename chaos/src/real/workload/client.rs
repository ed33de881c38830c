//! One client: does one thing after the other, each at some queen, and goes on with the next queen when one does not answer.

use std::time::Duration;

use super::graphs::graph;
use crate::history::{Call, GraphSpec};
use crate::random::Random;
use crate::real::field::{Came, Field};

/// Between two operations of a client, at most, in milliseconds.
const MOST_PAUSE_MS: u64 = 100;

/// A submission whose outcome is unknown is repeated at the next queen, at most so often.
const TRIES: usize = 6;

/// Of what was submitted, the last so many are looked at, cancelled and submitted again.
const LATELY: usize = 60;

/// Works as long as there is work.
pub(in crate::real) fn work(field: &Field<'_>, number: usize, guard: bool, mut random: Random) {
    let mut scribe = field.recorder.scribe(format!("client-{number}"));
    let mut submitted = 0;
    while field.has_work() {
        let queen = Field::any_queen(&mut random);
        let mut ask = |call| {
            field.ask(&mut scribe, queen, call);
        };
        match random.below(100) {
            0..48 => {
                submitted += 1;
                let graph = graph(format!("c{number}-{submitted}"), guard, &mut random);
                field.known().graphs.push(graph.clone());
                submit(field, &mut scribe, queen, &graph);
            }
            48..58 => lately(field, &mut random).into_iter().for_each(|graph| ask(Call::Submit { graph })),
            58..61 => acknowledged(field, &mut random).into_iter().for_each(|graph| ask(Call::Conflict { graph })),
            61..67 => acknowledged(field, &mut random).into_iter().for_each(|graph| ask(Call::Cancel { graph })),
            67..84 => {
                acknowledged(field, &mut random).into_iter().for_each(|graph| ask(Call::Read { graph, stale: false }));
            }
            _ => acknowledged(field, &mut random).into_iter().for_each(|graph| ask(Call::Read { graph, stale: true })),
        }
        std::thread::sleep(Duration::from_millis(random.below(MOST_PAUSE_MS)));
    }
}

/// Submits until somebody says yes or no, as the client library does.
fn submit(field: &Field<'_>, scribe: &mut crate::history::Scribe<'_>, first: u16, graph: &GraphSpec) {
    let queens = crate::real::config::QUEENS;
    for queen in (0..queens).cycle().map(|next| 1 + (first - 1 + next) % queens).take(TRIES) {
        if !matches!(field.ask(scribe, queen, Call::Submit { graph: graph.clone() }), Came::Unknown) {
            return;
        }
    }
}

/// One of the graphs that were submitted not long ago, acknowledged or not.
fn lately(field: &Field<'_>, random: &mut Random) -> Option<GraphSpec> {
    let known = field.known();
    let last = &known.graphs[known.graphs.len().saturating_sub(LATELY)..];
    random.pick(last.len()).map(|place| last[place].clone())
}

/// The same of those that were acknowledged.
fn acknowledged(field: &Field<'_>, random: &mut Random) -> Option<String> {
    let known = field.known();
    let last: Vec<&String> = known
        .graphs
        .iter()
        .rev()
        .map(|graph| &graph.id)
        .filter(|id| known.acknowledged.contains_key(*id))
        .take(LATELY)
        .collect();
    random.pick(last.len()).map(|place| last[place].clone())
}
