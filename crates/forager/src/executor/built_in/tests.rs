//! What the built-in tools do.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test names what it expects, and fails on anything else")]

use antfarm_protocol::{FailureKind, Outcome};
use antfarm_storage::MemoryDisk;

use super::*;
use crate::executor::trial::{Trial, assign};
use crate::executor::{StopCause, Tool};

fn tool(name: &str) -> Tool {
    Tool::BuiltIn(BuiltIn::named(name).expect("it is built in"))
}

fn result(text: &str) -> End {
    End::Itself(Outcome::Succeeded { result: JsonText::new(text).expect("JSON") })
}

fn failure(end: End) -> (FailureKind, String) {
    match end {
        End::Itself(Outcome::Failed { kind, message }) => (kind, message.to_string()),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn each_does_what_its_name_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trial = Trial::new(folder.path());
    assert_eq!(trial.end(tool("noop"), assign(1, "[1]")).await, result("null"));
    assert_eq!(trial.end(tool("echo"), assign(1, "{\"a\": 1.50}")).await, result("{\"a\": 1.50}"));
    assert_eq!(trial.end(tool("sleep"), assign(1, "{\"ms\": 1}")).await, result("null"));
    assert_eq!(trial.end(tool("spin"), assign(1, "{\"ms\": 1}")).await, result("null"));
    assert_eq!(
        failure(trial.end(tool("fail"), assign(1, "null")).await),
        (FailureKind::Exit, "it was asked to fail".into())
    );
    assert_eq!(failure(trial.end(tool("fail"), assign(1, "{\"message\": \"oh\"}")).await).1, "oh");
    let (kind, message) = failure(trial.end(tool("sleep"), assign(1, "{}")).await);
    assert_eq!(kind, FailureKind::NotStarted);
    assert!(message.contains("missing field `ms`"), "{message}");
    let long = format!("\"{}\"", "x".repeat(1_000));
    assert_eq!(failure(trial.end(tool("echo"), assign(1, &long)).await).0, FailureKind::ResultTooLarge);
}

#[tokio::test]
async fn a_sleeper_and_a_spinner_stop_when_they_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trial = Trial::new(folder.path());
    for name in ["sleep", "spin", "append"] {
        let ledger = folder.path().join("ledger");
        let args = format!("{{\"ms\": 600000, \"path\": \"{}\"}}", ledger.display());
        let end = trial.start(tool(name), assign(1, &args)).stop(Duration::ZERO).await;
        assert_eq!(end, End::Stopped { cause: StopCause::Cancelled, own: None }, "{name}");
    }
}

fn ledger(disk: &MemoryDisk) -> Vec<(String, u64)> {
    let bytes = antfarm_storage::Disk::read(disk, std::path::Path::new("/l/ledger")).expect("it is there");
    let lines = std::str::from_utf8(&bytes).expect("JSON is UTF-8").lines();
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON"));
    lines
        .map(|line| (line["event"].as_str().expect("a text").to_owned(), line["fence"].as_u64().expect("a number")))
        .collect()
}

#[tokio::test]
async fn the_ledger_shows_start_and_end_and_its_guard_refuses_what_is_late() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = MemoryDisk::new();
    antfarm_storage::Disk::create_folders(&disk, std::path::Path::new("/l")).expect("memory takes everything");
    let trial = Trial::on(Arc::new(disk.clone()), folder.path());
    let args = "{\"path\": \"/l/ledger\", \"guard\": true}";
    assert_eq!(trial.end(tool("append"), assign(5, args)).await, result("null"));
    let (kind, message) = failure(trial.end(tool("append"), assign(4, args)).await);
    assert_eq!(kind, FailureKind::Fenced);
    assert!(message.contains("5 stands in the ledger, and this attempt has 4"), "{message}");
    let mut elsewhere = assign(3, args);
    elsewhere.attempt.index = 0;
    assert_eq!(trial.end(tool("append"), elsewhere).await, result("null"), "another instance has a fence of its own");
    let lines: Vec<_> = ledger(&disk).into_iter().map(|(event, fence)| format!("{event} {fence}")).collect();
    assert_eq!(lines, ["start 5", "end 5", "start 4", "start 3", "end 3"]);
    let (kind, _) = failure(trial.end(tool("append"), assign(6, "{\"path\": \"ledger\"}")).await);
    assert_eq!(kind, FailureKind::NotStarted, "a relative path means nothing");
}
