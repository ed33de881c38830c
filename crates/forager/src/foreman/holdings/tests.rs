//! How much is held, and what is still recognised.

use antfarm_model::{Epoch, Fence, GraphNo, Incarnation, Name, NodeNo};
use antfarm_protocol::{JsonText, Outcome, Work};

use super::*;

fn attempt(fence: u64) -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 0, fence: Fence(fence) }
}

fn assign(fence: u64, effects: EffectClass) -> Assign {
    let work = Work {
        graph_id: Name::new("g").expect("a name"),
        node_id: Name::new("n").expect("a name"),
        array: false,
        tool: Name::new("t").expect("a name"),
        effects,
        class: CostClass::Model,
        args: JsonText::null(),
        timeout_ms: 1,
    };
    Assign {
        epoch: Epoch(3),
        incarnation: Incarnation(3),
        attempt: attempt(fence),
        attempt_number: 1,
        deadline_ms: None,
        work: Arc::new(work),
    }
}

#[test]
fn slots_guard_and_digest_follow_what_runs() {
    let mut holdings = Holdings::default();
    holdings.hold(assign(1, EffectClass::Guarded));
    holdings.hold(assign(1, EffectClass::Guarded));
    assert_eq!(holdings.taken(CostClass::Model), (1, 1), "held once, however often it came");
    let held = holdings.release(&attempt(1)).expect("it was held");
    holdings.begin(held, 0);
    holdings.begin(assign(2, EffectClass::Pure), 0);
    assert_eq!((holdings.taken(CostClass::Model), holdings.taken(CostClass::Io)), ((2, 2), (2, 0)));
    assert!(holdings.runs_guarded());
    holdings.finish(&attempt(1));
    assert!(!holdings.runs_guarded());
    holdings.finish(&attempt(2));
    assert_eq!((holdings.taken(CostClass::Model), holdings.digest()), ((0, 0), 0));
}

#[test]
fn there_is_no_memory_for_more_than_a_hello_can_name_or_for_too_many_bytes() {
    let mut holdings = Holdings::default();
    for fence in 0..MAX_ATTEMPTS as u64 {
        assert!(holdings.has_memory());
        holdings.end(Report::returned(attempt(fence)));
    }
    assert!(!holdings.has_memory());
    assert!(holdings.forget(&attempt(0)) && holdings.has_memory());

    let mut holdings = Holdings::default();
    let large = JsonText::new(format!("\"{}\"", "x".repeat(UNCONFIRMED_BYTES))).expect("a string is JSON");
    holdings.end(Report::result(attempt(0), Outcome::Succeeded { result: large }));
    assert!(!holdings.has_memory());
    assert!(holdings.forget(&attempt(0)) && holdings.has_memory());
}

#[test]
fn a_confirmed_attempt_is_recognised_for_a_while() {
    let mut holdings = Holdings::default();
    for fence in 0..=RECENT as u64 {
        holdings.end(Report::returned(attempt(fence)));
        assert!(holdings.forget(&attempt(fence)) && !holdings.forget(&attempt(fence)));
    }
    assert!(matches!(holdings.know(&attempt(0)), Known::New));
    assert!(matches!(holdings.know(&attempt(1)), Known::Confirmed));
}
