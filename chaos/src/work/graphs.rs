//! What clients submit: guarded and irrevocable work, pure work, chains, arrays, deadlines, in shapes that cross these.

use antfarm_model::OnDeadline;

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

/// Of a hundred graphs, so many have nodes with moments that they would not need.
const TIMED_PERCENT: u64 = 20;

/// What time it is for who submits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    /// In milliseconds since 1970.
    pub(crate) now_ms: u64,
    /// Whether nodes may wait for a moment: a clock that was set back would have them wait for long.
    pub(crate) may_wait: bool,
}

/// A graph that the random numbers choose; with `guard`, whatever must not happen twice checks its fence.
pub(crate) fn graph(id: String, guard: bool, moments: Moments, random: &mut Random) -> GraphSpec {
    let append = |random: &mut Random| Tool::Append { ms: random.below(MOST_MS), guard };
    let echo = |random: &mut Random| Tool::Echo { word: format!("{id} says {}", random.below(1_000_000)) };
    let nodes = match random.below(100) {
        0..22 => vec![NodeSpec::new("only", append(random), &[])],
        22..37 => vec![
            NodeSpec::new("first", append(random), &[]),
            NodeSpec::new("second", append(random), &["first"]),
            NodeSpec::new("third", echo(random), &["second"]),
        ],
        37..50 => {
            let count = Some(1 + u32::try_from(random.below(MOST_INSTANCES)).unwrap_or(0));
            let each = NodeSpec { count, ..NodeSpec::new("each", append(random), &["before"]) };
            vec![NodeSpec::new("before", echo(random), &[]), each, NodeSpec::new("behind", append(random), &["each"])]
        }
        50..64 => vec![
            NodeSpec::new("say", echo(random), &[]),
            NodeSpec::new("work", Tool::Work, &["say"]),
            NodeSpec::new("write", append(random), &["say"]),
            NodeSpec::new("last", append(random), &["work", "write"]),
        ],
        64..76 => vec![NodeSpec::new("before", append(random), &[]), NodeSpec::new("pay", Tool::Pay, &["before"])],
        76..83 => vec![NodeSpec::new("pay", Tool::PayTwice, &[])],
        83..89 => {
            let time_ms = LEAST_TIME_MS + random.below(MOST_TIME_MS);
            let deadline_ms = Some(moments.now_ms + time_ms);
            let work = NodeSpec { deadline_ms, ..NodeSpec::new("work", Tool::Work, &[]) };
            vec![work, NodeSpec { deadline_ms, ..NodeSpec::new("late", append(random), &["work"]) }]
        }
        89..97 => vec![
            NodeSpec::new("one", echo(random), &[]),
            NodeSpec::new("other", echo(random), &[]),
            NodeSpec::new("rest", Tool::Sleep { ms: random.below(MOST_MS) }, &["one", "other"]),
        ],
        _ => vec![NodeSpec::new("long", Tool::Labour, &[]), NodeSpec::new("behind", append(random), &["long"])],
    };
    let mut graph = GraphSpec::new(id, nodes);
    if random.percent(TIMED_PERCENT) {
        set_moments(&mut graph, moments, random);
    }
    graph
}

/// Some nodes expire at some moment, some wait for one.
fn set_moments(graph: &mut GraphSpec, moments: Moments, random: &mut Random) {
    let choices = [OnDeadline::FailGraph, OnDeadline::SkipSuccessors, OnDeadline::Continue];
    graph.on_deadline = random.pick(choices.len()).map_or(OnDeadline::default(), |place| choices[place]);
    for node in &mut graph.nodes {
        let time_ms = LEAST_TIME_MS + random.below(MOST_TIME_MS);
        if random.percent(60) {
            node.deadline_ms = Some(moments.now_ms + time_ms);
        }
        if moments.may_wait && random.percent(30) {
            // Before the deadline, or else it could never run.
            node.not_before_ms = Some(moments.now_ms + random.below(time_ms));
        }
    }
}
