//! Each check finds its own fault, and nothing in a ledger without faults.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;

use super::*;
use crate::Scratch;

/// A line of graph `g`: event, node, fence, epoch, time.
type Written<'a> = (&'a str, &'a str, u64, u64, u64);

const SOUND: [Written<'_>; 6] = [
    ("start", "a", 1, 1, 100),
    ("end", "a", 1, 1, 150),
    ("start", "b", 2, 1, 153),
    ("start", "c", 3, 2, 157),
    ("end", "c", 3, 2, 200),
    ("end", "b", 2, 1, 210),
];

const EDGES: [(&str, &str); 2] = [("a", "b"), ("a", "c")];

fn with_ledger<T>(lines: &[Written<'_>], look: impl FnOnce(&Ledger) -> T) -> T {
    let scratch = Scratch::new();
    let lines = lines.iter().map(|(event, node, fence, epoch, at)| {
        json!({"event": event, "graph": "g", "node": node, "index": 0, "attempt": 1, "fence": fence, "epoch": epoch, "forager": "f", "at": at})
            .to_string()
    });
    let text = lines.map(|line| line + "\n").collect::<Vec<_>>().concat();
    look(&Ledger::at(&scratch.write("ledger", &text)))
}

/// What a check says to these lines.
fn complaint(lines: &[Written<'_>], check: impl FnOnce(&Ledger)) -> String {
    let complaint =
        catch_unwind(AssertUnwindSafe(|| with_ledger(lines, check))).expect_err("the check finds the fault");
    complaint.downcast::<String>().map_or_else(|_| "no text".to_owned(), |text| *text)
}

fn once(ledger: &Ledger) {
    ledger.each_node_started_exactly_once("g", ["a", "b", "c"]);
}

#[test]
fn a_ledger_without_faults_passes_every_check() {
    with_ledger(&SOUND, |ledger| {
        once(ledger);
        ledger.no_overlapping_attempts();
        ledger.children_after_parents("g", EDGES);
        ledger.nothing_started_in_epoch_after(1, 153);
        assert_eq!(ledger.ready_to_start_ms("g", EDGES), [3, 7]);
        assert_eq!(ledger.first_start_above_epoch(1), Some(157));
        assert_eq!(ledger.len(), 6);
    });
}

#[test]
fn a_second_start_is_found() {
    let twice = [&SOUND[..], &[("start", "b", 9, 2, 300), ("end", "b", 9, 2, 310)]].concat();
    assert!(complaint(&twice, once).contains("g/b[0] was started 2 times"));
    assert!(complaint(&[&SOUND[..], &SOUND[2..3]].concat(), once).contains("line 6 of the ledger"));
}

#[test]
fn a_missing_end_a_missing_node_and_a_foreign_node_are_found() {
    assert!(complaint(&SOUND[..5], once).contains("g/b[0] never ended"));
    assert!(complaint(&SOUND[..2], once).contains("never started [\"b\", \"c\"]"));
    let foreign = [&SOUND[..], &[("start", "x", 7, 1, 1), ("end", "x", 7, 1, 2)]].concat();
    assert!(complaint(&foreign, once).contains("not of the graph [\"x\"]"));
}

#[test]
fn overlapping_attempts_and_falling_fences_are_found() {
    let overlapping = [("start", "a", 1, 1, 1), ("start", "a", 2, 1, 2), ("end", "a", 1, 1, 3), ("end", "a", 2, 1, 4)];
    assert!(complaint(&overlapping, Ledger::no_overlapping_attempts).contains("overlapped"));
    let falling = [("start", "a", 2, 1, 1), ("end", "a", 2, 1, 2), ("start", "a", 1, 1, 3)];
    assert!(complaint(&falling, Ledger::no_overlapping_attempts).contains("fall"));
}

#[test]
fn a_child_before_its_parent_is_found() {
    let early = [SOUND[0], SOUND[2], SOUND[1], SOUND[3], SOUND[4], SOUND[5]];
    assert!(complaint(&early, |ledger| ledger.children_after_parents("g", EDGES)).contains("b began at line Some(1)"));
}

#[test]
fn a_late_start_of_an_old_epoch_is_found() {
    assert!(complaint(&SOUND, |ledger| ledger.nothing_started_in_epoch_after(1, 152)).contains("started in epoch 1"));
}
