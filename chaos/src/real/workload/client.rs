//! One client: does one thing after the other, each at some queen, and goes on with the next queen when one does not answer.

use std::time::Duration;

use crate::history::{Call, GraphSpec, Scribe};
use crate::random::Random;
use crate::real::config::QUEENS;
use crate::real::field::Field;
use crate::real::workload::wall_ms;
use crate::work::{Came, Moments, graph};

/// Between two operations of a client, at most, in milliseconds.
const MOST_PAUSE_MS: u64 = 100;

/// A submission whose outcome is unknown is repeated at the next queen, at most so often.
const TRIES: usize = 6;

/// Of a hundred operations, so many submit something new.
const NEW_PERCENT: u64 = 48;

/// Works as long as there is work.
pub(in crate::real) fn work(field: &Field<'_>, number: usize, guard: bool, mut random: Random) {
    let mut scribe = field.recorder.scribe(format!("client-{number}"));
    let mut submitted = 0;
    while field.has_work() {
        let queen = Field::any_queen(&mut random);
        if random.percent(NEW_PERCENT) {
            submitted += 1;
            let moments = Moments { now_ms: wall_ms(), may_wait: true };
            let graph = graph(format!("c{number}-{submitted}"), guard, moments, &mut random);
            field.known().graphs.push(graph.clone());
            submit(field, &mut scribe, queen, &graph);
        } else {
            let call = field.known().about(&mut random);
            if let Some(call) = call {
                field.ask(&mut scribe, queen, &call);
            }
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
