//! What programs may do, and what becomes of it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test names what it expects, and fails on anything else")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use antfarm_protocol::{FailureKind, JsonText, Outcome};
use tempfile::TempDir;

use super::*;
use crate::executor::trial::{Going, Trial, assign};
use crate::executor::{End, StopCause, Tool};
use crate::process::is_running;

/// A program of a few lines of shell.
struct Script {
    folder: TempDir,
    trial: Trial,
}

impl Script {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("t"), text).expect("a temporary folder takes everything");
        Self { trial: Trial::new(folder.path()), folder }
    }

    fn tool(&self) -> Tool {
        let command = vec!["/bin/sh".to_owned(), self.path("t").display().to_string(), "one".to_owned()];
        Tool::Program(Arc::new(ToolProgram { command }))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, args: &str) -> Going<'_> {
        self.trial.start(self.tool(), assign(77, args))
    }

    async fn end(self, args: &str) -> End {
        let end = self.trial.end(self.tool(), assign(77, args)).await;
        self.trial.over().await;
        end
    }
}

async fn failure(text: &str) -> (FailureKind, String) {
    match Script::new(text).end("null").await {
        End::Itself(Outcome::Failed { kind, message }) => (kind, message.to_string()),
        other => panic!("it did not fail: {other:?}"),
    }
}

async fn success(text: &str, args: &str) -> String {
    match Script::new(text).end(args).await {
        End::Itself(Outcome::Succeeded { result }) => result.as_str().to_owned(),
        other => panic!("it did not succeed: {other:?}"),
    }
}

/// Waits until a file has a whole line, and reads it as a process id.
async fn pid_in(path: &Path) -> u32 {
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n').and_then(|line| line.parse().ok()) {
            return pid;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn arguments_go_in_and_the_result_comes_out() {
    assert_eq!(success("cat", "{\"a\": [1, 2]}").await, "{\"a\": [1, 2]}");
    assert_eq!(success("echo; echo ' [1.50] '", "null").await, "[1.50]", "white space around it is not part of it");
    assert_eq!(success("true", "null").await, "null", "no output is no result");
    let large = format!("\"{}\"", "x".repeat(300_000));
    assert_eq!(success("exit 0", &large).await, "null", "a program need not read its input");
    assert_eq!(success("exec <&-; echo 1", &large).await, "1", "nor keep it open");
}

#[tokio::test]
async fn a_tool_is_told_what_it_may_rely_on() {
    let script = r#"
        printf '["%s","%s","%s","%s","%s","%s","%s","%s","%s"]' "$ANTFARM_GRAPH" "$ANTFARM_NODE" "$ANTFARM_ATTEMPT" \
            "$ANTFARM_FENCE" "$ANTFARM_EPOCH" "$ANTFARM_IDEMPOTENCY_KEY" "$ANTFARM_DEADLINE_MS" "$ANTFARM_ARRAY_INDEX" "$1"
    "#;
    assert_eq!(success(script, "null").await, r#"["g","n","2","77","7","g@1/n/3","5000","3","one"]"#);
    assert_eq!(success("ls -A | wc -l", "null").await, "0", "its working folder is empty and its own");
}

#[tokio::test]
async fn exit_codes_and_outputs_have_their_meaning() {
    for (text, kind, says) in [
        ("echo went wrong >&2; exit 3", FailureKind::Exit, "exit code 3: went wrong"),
        ("exit 75", FailureKind::Temporary, "75"),
        ("exit 76", FailureKind::Fenced, "76"),
        ("kill -9 $$", FailureKind::Signal, "signal 9"),
        ("echo hello", FailureKind::BadResult, "\"hello\\n\""),
        ("echo 1 2", FailureKind::BadResult, "one JSON value"),
        ("printf '\"\\377\"'", FailureKind::BadResult, "not UTF-8"),
        ("head -c 1001 /dev/zero | tr '\\0' 1", FailureKind::ResultTooLarge, "larger than 1000 bytes"),
        ("head -c 10000000 /dev/zero", FailureKind::ResultTooLarge, "larger than 1000 bytes"),
    ] {
        let (found, message) = failure(text).await;
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
    assert_eq!(success("head -c 1000 /dev/zero | tr '\\0' 1", "null").await.len(), 1_000, "exactly what is allowed");
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let script = Script::new("");
    fs::set_permissions(script.path("t"), fs::Permissions::from_mode(0o644)).expect("it is ours");
    for (program, says) in [("t", "is not executable"), ("u", "does not exist"), (".", "is not executable")] {
        let command = vec![script.path(program).display().to_string()];
        let end = script.trial.end(Tool::Program(Arc::new(ToolProgram { command })), assign(1, "null")).await;
        let End::Itself(Outcome::Failed { kind: FailureKind::NotStarted, message }) = end else { panic!("{end:?}") };
        assert!(message.contains(says), "{message}");
    }
}

#[tokio::test]
async fn the_end_of_standard_error_is_kept() {
    let script = Script::new("head -c 300000 /dev/zero | tr '\\0' e >&2; printf the-end >&2; exit 1");
    let (end, log) = script.start("null").end().await;
    assert_eq!(log.len(), 64 << 10);
    assert!(log.ends_with("eethe-end"));
    let End::Itself(Outcome::Failed { message, .. }) = end else { panic!("{end:?}") };
    assert!(message.len() < 4_200 && message.ends_with("eethe-end"), "{message}");
}

#[tokio::test]
async fn a_cancelled_program_dies_with_its_children_even_if_they_do_not_listen() {
    let script =
        Script::new("trap '' TERM; (trap '' TERM; sleep 600) & echo $! > ../../../child; sleep 600; sleep 600");
    let mut going = script.start("null");
    let program = going.process().await;
    let child = pid_in(&script.path("child")).await;
    assert_eq!(going.stop(Duration::from_millis(50)).await, End::Stopped { cause: StopCause::Cancelled, own: None });
    assert!(!is_running(program) && !is_running(child));
}

#[tokio::test]
async fn a_cancelled_program_may_have_the_last_word() {
    let script = Script::new(
        "trap 'echo \"\\\"saved\\\"\"; exit 0' TERM; echo $$ > ../../../ready; while :; do sleep 0.01; done",
    );
    let going = script.start("null");
    pid_in(&script.path("ready")).await;
    let result = JsonText::new("\"saved\"").expect("JSON");
    let own = Some(Outcome::Succeeded { result });
    assert_eq!(going.stop(Duration::from_mins(1)).await, End::Stopped { cause: StopCause::Cancelled, own });
}

#[tokio::test]
async fn nothing_that_a_program_started_outlives_it() {
    let script = Script::new(
        "sleep 600 & echo $! > ../../../child; setsid env -i sh -c 'echo $$ > ../../../other; exec sleep 600' &
         until [ -s ../../../other ]; do sleep 0.01; done; echo 1",
    );
    let (child, other) = (script.path("child"), script.path("other"));
    let (trial, tool) = (&script.trial, script.tool());
    let end = trial.end(tool, assign(77, "null")).await;
    assert_eq!(end, End::Itself(Outcome::Succeeded { result: JsonText::new("1").expect("JSON") }));
    assert!(!is_running(pid_in(&child).await) && !is_running(pid_in(&other).await));
}
