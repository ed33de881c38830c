//! A tool that is a program: arguments come in, a result goes out, and what it says on the side is kept.

use antfarm_testkit::Cluster;
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, single};

/// A cluster with these scripts as tools, which are not tried again unless they ask for it.
fn cluster(scripts: &[(&str, &str)]) -> Cluster {
    let spec = scripts.iter().fold(Cluster::spec().foragers(1), |spec, (name, script)| spec.script(name, script));
    let cluster = spec.program("not-a-program", &["/etc/passwd"]).start();
    let tools = scripts.iter().map(|(name, _)| *name).chain(["not-a-program"]);
    for name in tools {
        let manifest = json!({"cost_class": "cpu", "effects": "pure", "retries": 2, "backoff": {"initial": "10ms"}});
        let answer = cluster.leader().http().put(&format!("/v1/tools/{name}"), &manifest.to_string());
        answer.and_then(|answer| answer.ok()).expect("it is taken");
    }
    cluster
}

/// Runs one node to its end, and returns how it stands and its attempts.
fn run(cluster: &Cluster, tool: &str, args: &Value) -> (Value, Vec<Value>) {
    cluster.submit(&single(tool, tool, args));
    let waited = cluster.command(&["graph", "wait", tool]).within(GRAPH_WITHIN).run();
    assert!(matches!(waited.code, Some(0 | 1)), "{}", waited.stderr);
    let shown = cluster.antfarm(&["node", "show", &format!("{tool}/only"), "--json"]).exits(0).json();
    let attempts = shown["attempt_list"].as_array().expect("a list").clone();
    (shown, attempts)
}

#[test]
fn a_program_gets_arguments_and_names_and_gives_a_result() {
    let script = r#"
        echo "about to work" >&2
        printf '{"args": %s, "graph": "%s", "node": "%s", "key": "%s", "attempt": "%s", "fence": "%s"}' \
            "$(cat)" "$ANTFARM_GRAPH" "$ANTFARM_NODE" "$ANTFARM_IDEMPOTENCY_KEY" "$ANTFARM_ATTEMPT" "$ANTFARM_FENCE""#;
    let cluster = cluster(&[("tells", script)]);
    let (node, attempts) = run(&cluster, "tells", &json!({"word": "ants"}));
    assert_eq!(node["state"], "succeeded", "{node}");
    let result = &node["result"];
    assert_eq!(
        (&result["args"], &result["graph"], &result["node"]),
        (&json!({"word": "ants"}), &json!("tells"), &json!("only"))
    );
    assert!(result["key"].as_str().is_some_and(|key| key.starts_with("tells@") && key.ends_with("/only")), "{result}");
    assert_eq!(result["fence"].as_str().and_then(|fence| fence.parse::<u64>().ok()), attempts[0]["fence"].as_u64());
    let logs = cluster.antfarm(&["node", "logs", "tells/only"]).exits(0);
    assert_eq!(logs.stdout, "about to work\n");
}

#[test]
fn a_program_that_asks_for_a_retry_gets_one() {
    let counting = "cd \"$(dirname \"$(cat | tr -d '\\\"')\")\" && echo x >> tries && \
                    [ \"$(wc -l < tries)\" -ge 2 ] || exit 75; echo 1";
    let cluster = cluster(&[("moody", counting)]);
    let ledger = cluster.ledger();
    let (node, attempts) = run(&cluster, "moody", &json!(ledger.path()));
    assert_eq!(node["state"], "succeeded", "{node}");
    assert_eq!(
        (&attempts[0]["state"], &attempts[0]["manner"]),
        (&json!("failed"), &json!("temporary")),
        "{attempts:?}"
    );
    assert_eq!(attempts.len(), 2);
}

#[test]
fn a_program_that_the_fence_refused_says_so() {
    let cluster = cluster(&[("fenced", "exit 76")]);
    let (node, attempts) = run(&cluster, "fenced", &json!({}));
    assert_eq!(node["state"], "failed", "{node}");
    assert_eq!(attempts.last().map(|attempt| &attempt["manner"]), Some(&json!("fenced")), "{attempts:?}");
}

#[test]
fn a_failure_carries_the_end_of_what_the_program_said() {
    let cluster = cluster(&[("fails", "echo 'out of acorns' >&2; exit 3")]);
    let (node, attempts) = run(&cluster, "fails", &json!({}));
    assert_eq!(node["state"], "failed", "{node}");
    assert_eq!(attempts.len(), 3, "two further tries: {attempts:?}");
    let message = attempts[2]["message"].as_str().expect("a failure has a message");
    assert!(message.contains("out of acorns") && message.contains('3'), "{message}");
}

#[test]
fn a_result_that_is_no_json_or_too_large_is_a_failure_that_says_so() {
    let cluster = cluster(&[
        ("babbles", "echo hello"),
        ("floods", "printf '\"'; head -c 70000 /dev/zero | tr '\\0' x; printf '\"'"),
    ]);
    for (tool, manner) in [("babbles", "bad_result"), ("floods", "result_too_large")] {
        let (node, attempts) = run(&cluster, tool, &json!({}));
        assert_eq!(node["state"], "failed", "{node}");
        assert_eq!(attempts[0]["manner"], manner, "{attempts:?}");
    }
}

#[test]
fn a_program_that_cannot_be_executed_is_a_failure_that_says_so() {
    let cluster = cluster(&[]);
    let (node, attempts) = run(&cluster, "not-a-program", &json!({}));
    assert_eq!(node["state"], "failed", "{node}");
    assert_eq!(attempts[0]["manner"], "not_started", "{attempts:?}");
    assert!(attempts[0]["message"].as_str().is_some_and(|message| message.contains("/etc/passwd")), "{attempts:?}");
}

#[test]
fn a_program_past_its_time_is_ended_with_all_that_it_started() {
    let cluster = cluster(&[("hangs", "sleep 613 & sleep 613")]);
    cluster.submit(
        &json!({"id": "hangs", "defaults": {"retries": 0, "timeout": "300ms"}, "nodes": {"only": {"tool": "hangs"}}}),
    );
    let _ = cluster.command(&["graph", "wait", "hangs"]).within(GRAPH_WITHIN).run().exits(1);
    let shown = cluster.antfarm(&["node", "show", "hangs/only", "--json"]).exits(0).json();
    assert_eq!(shown["attempt_list"][0]["state"], "timed_out", "{shown}");
    let left: Vec<i32> = antfarm_testkit::processes_in(&cluster.scratch().path("forager-1"));
    assert_eq!(left, Vec::<i32>::new(), "these still work in the forager's folder");
}
