//! Tools that misbehave: the attempt ends in time with a failure that says what happened, and nothing of it stays.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use antfarm_testkit::{Cluster, is_alive, wait_until};
use serde_json::{Value, json};

use crate::given::{SOON, Shared, attempts, ended, patient, unharmed};

/// Each with what it does.
const SCRIPTS: &[(&str, &str)] = &[
    ("no-json", "echo 'ants: 3'"),
    ("no-text", "printf '\"\\377\\376\"'"),
    ("ten-mib", "printf '\"'; head -c 10485760 /dev/zero | tr '\\0' x; printf '\"'"),
    ("endless", "exec cat /dev/zero"),
    ("deaf", "trap '' TERM; echo $$ > \"$(cat | tr -d '\\\"')\"; while :; do sleep 0.05; done"),
    ("parent", "sleep 641 & echo $! > \"$(cat | tr -d '\\\"')\"; echo '\"done\"'"),
    ("run-away", "setsid sleep 642 & echo '\"done\"'"),
    ("closed-input", "exec <&-; echo '\"done\"'"),
    ("loud", "head -c 67108864 /dev/zero | tr '\\0' e >&2; printf the-end >&2; exit 3"),
    ("self-killed", "kill -SEGV $$"),
];

fn cluster() -> Arc<Cluster> {
    static SHARED: Shared = Shared::new();
    SHARED.cluster(|| {
        let spec = patient().forager_settings("kill_grace = \"500ms\"\n");
        let spec = SCRIPTS.iter().fold(spec, |spec, (name, script)| spec.script(name, script));
        let cluster =
            spec.program("not-executable", &["/etc/passwd"]).program("not-there", &["/no/such/program"]).start();
        let names = SCRIPTS.iter().map(|(name, _)| *name).chain(["not-executable", "not-there"]);
        for name in names {
            let manifest = json!({"cost_class": "cpu", "effects": "pure", "retries": 0, "timeout": "2s"});
            let answer = cluster.leader().http().put(&format!("/v1/tools/{name}"), &manifest.to_string());
            answer.and_then(|answer| answer.ok()).expect("it is taken");
        }
        cluster
    })
}

/// Runs a tool once beside work that must not notice; returns how its node and its attempt ended.
fn run(cluster: &Cluster, tool: &str, args: &Value) -> (Value, Value) {
    unharmed(cluster, || {
        cluster.submit(&json!({"id": tool, "nodes": {"only": {"tool": tool, "args": args}}}));
        let node = ended(cluster, tool, "only");
        let attempts = attempts(cluster, tool, "only");
        assert_eq!(attempts.len(), 1, "{attempts:?}");
        (node, attempts[0].clone())
    })
}

/// Asserts that a tool fails in this manner, with a message that says so.
fn fails(tool: &str, manner: &str, says: &str) {
    let cluster = cluster();
    let (node, attempt) = run(&cluster, tool, &json!({}));
    assert_eq!((&node["state"], &attempt["manner"]), (&json!("failed"), &json!(manner)), "{attempt}");
    let message = attempt["message"].as_str().unwrap_or_default();
    assert!(message.contains(says), "{message}");
    let told = cluster.antfarm(&["node", "explain", &format!("{tool}/only")]).exits(0);
    assert!(told.stdout.contains(says), "{}", told.stdout);
}

/// The process id in a file, as soon as it is there.
fn pid_in(path: &std::path::Path) -> i32 {
    wait_until("a process id", SOON, || Ok(fs::read_to_string(path)?.trim().parse()?))
}

#[test]
fn a_tool_that_prints_no_json_fails_with_what_it_printed() {
    fails("no-json", "bad_result", "ants: 3");
}

#[test]
fn a_tool_that_prints_no_text_fails() {
    fails("no-text", "bad_result", "not UTF-8");
}

#[test]
fn a_tool_that_prints_10_mib_fails_with_the_limit() {
    fails("ten-mib", "result_too_large", "larger than 65536 bytes");
}

#[test]
fn a_tool_that_prints_without_end_is_ended_by_its_time_out() {
    let cluster = cluster();
    let (node, attempt) = run(&cluster, "endless", &json!({}));
    assert_eq!((&node["state"], &attempt["state"]), (&json!("failed"), &json!("timed_out")), "{attempt}");
}

#[test]
fn a_tool_that_ignores_sigterm_is_killed_after_the_grace() {
    let cluster = cluster();
    let file = cluster.scratch().path("deaf.pid");
    let begun = Instant::now();
    let (node, attempt) = run(&cluster, "deaf", &json!(file));
    assert_eq!((&node["state"], &attempt["state"]), (&json!("failed"), &json!("timed_out")), "{attempt}");
    assert!(node["reason"].as_str().is_some_and(|reason| reason.contains("time-out of 2s")), "{node}");
    assert!(!is_alive(pid_in(&file)), "it lives");
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
}

#[test]
fn children_that_outlive_their_tool_are_killed_and_its_result_stands() {
    let cluster = cluster();
    let file = cluster.scratch().path("child.pid");
    let (node, _) = run(&cluster, "parent", &json!(file));
    assert_eq!((&node["state"], &node["result"]), (&json!("succeeded"), &json!("done")), "{node}");
    assert!(!is_alive(pid_in(&file)), "the child lives");
}

#[test]
fn a_child_that_left_the_group_of_its_tool_holds_nothing_up() {
    let cluster = cluster();
    // The child sleeps for much longer than the end of the node is waited for.
    let (node, _) = run(&cluster, "run-away", &json!({}));
    assert_eq!((&node["state"], &node["result"]), (&json!("succeeded"), &json!("done")), "{node}");
}

#[test]
fn a_tool_that_closes_its_input_may_succeed() {
    let cluster = cluster();
    // More than a pipe holds, so that the forager is still writing when nobody reads any more.
    let (node, _) = run(&cluster, "closed-input", &json!("x".repeat(300_000)));
    assert_eq!((&node["state"], &node["result"]), (&json!("succeeded"), &json!("done")), "{node}");
}

#[test]
fn a_tool_that_fills_its_standard_error_is_remembered_by_the_end_of_it() {
    let cluster = cluster();
    fails("loud", "exit", "the-end");
    let logs = cluster.antfarm(&["node", "logs", "loud/only"]).exits(0);
    let log = logs.stdout.trim_end();
    assert_eq!((log.len(), log.ends_with("ethe-end")), (64 << 10, true));
}

#[test]
fn a_tool_that_ends_by_a_signal_fails_with_its_number() {
    fails("self-killed", "signal", "ended by signal 11");
}

#[test]
fn a_tool_that_is_not_executable_fails_with_the_way_out() {
    fails("not-executable", "not_started", "/etc/passwd is not executable: set its x permission");
}

#[test]
fn a_tool_that_does_not_exist_fails_with_its_path() {
    fails("not-there", "not_started", "/no/such/program does not exist");
}
