//! What clients submit: guarded and irrevocable work, pure work, chains, arrays, in shapes that cross these.

use crate::history::{GraphSpec, NodeSpec, Tool};
use crate::random::Random;

/// Instances of an array.
const MOST_INSTANCES: u64 = 6;

/// How long a node of `append` or `sleep` takes at most, in milliseconds.
const MOST_MS: u64 = 120;

/// How much time a node with a deadline has, at least, and how much more at most, in milliseconds. A node of `work` takes
/// a good part of a second.
const LEAST_TIME_MS: u64 = 200;
const MOST_TIME_MS: u64 = 3_000;

/// A graph that the random numbers choose; with `guard`, whatever must not happen twice checks its fence. Where the wall
/// time is given, in milliseconds since 1970, some of its nodes have deadlines.
pub(crate) fn graph(id: String, guard: bool, wall_ms: Option<u64>, random: &mut Random) -> GraphSpec {
    let append = |random: &mut Random| Tool::Append { ms: random.below(MOST_MS), guard };
    let echo = |random: &mut Random| Tool::Echo { word: format!("{id} says {}", random.below(1_000_000)) };
    let nodes = match random.below(100) {
        0..22 => vec![node("only", append(random), &[])],
        22..37 => vec![
            node("first", append(random), &[]),
            node("second", append(random), &["first"]),
            node("third", echo(random), &["second"]),
        ],
        37..50 => {
            let count = Some(1 + u32::try_from(random.below(MOST_INSTANCES)).unwrap_or(0));
            let each = NodeSpec { count, ..node("each", append(random), &["before"]) };
            vec![node("before", echo(random), &[]), each, node("behind", append(random), &["each"])]
        }
        50..64 => vec![
            node("say", echo(random), &[]),
            node("work", Tool::Work, &["say"]),
            node("write", append(random), &["say"]),
            node("last", append(random), &["work", "write"]),
        ],
        64..76 => vec![node("before", append(random), &[]), node("pay", Tool::Pay, &["before"])],
        76..83 => vec![node("pay", Tool::PayTwice, &[])],
        83..89 => {
            let time_ms = LEAST_TIME_MS + random.below(MOST_TIME_MS);
            let deadline_ms = wall_ms.map(|now| now + time_ms);
            let work = NodeSpec { deadline_ms, ..node("work", Tool::Work, &[]) };
            vec![work, NodeSpec { deadline_ms, ..node("late", append(random), &["work"]) }]
        }
        89..97 => vec![
            node("one", echo(random), &[]),
            node("other", echo(random), &[]),
            node("rest", Tool::Sleep { ms: random.below(MOST_MS) }, &["one", "other"]),
        ],
        _ => vec![node("long", Tool::Labour, &[]), node("behind", append(random), &["long"])],
    };
    GraphSpec { id, nodes }
}

fn node(id: &str, tool: Tool, after: &[&str]) -> NodeSpec {
    let after = after.iter().map(ToString::to_string).collect();
    NodeSpec { id: id.to_owned(), tool, count: None, after, deadline_ms: None }
}
