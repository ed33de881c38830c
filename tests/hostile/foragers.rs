//! Foragers that do not keep to the protocol: their session ends, their claims are checked, and nobody else notices.

use std::sync::Arc;
use std::time::Duration;

use antfarm_testkit::{Cluster, Dice, wait_until};
use anyhow::ensure;
use serde_json::{Value, json};

use crate::given::{SOON, Shared, attempts, ended, patient, unharmed};
use crate::session::{Session, text_head};
use crate::wire;

const JSON: &str = "antfarm.v1.json";
const BINARY: &str = "antfarm.v1.bin";

/// A session that breaks the rules ends within this time.
const AT_ONCE: Duration = Duration::from_secs(10);

/// A session that is silent ends after ten heartbeats of 300 ms, on a machine that has other things to do, too.
const WHEN_SILENT: Duration = Duration::from_secs(30);

fn cluster() -> Arc<Cluster> {
    static SHARED: Shared = Shared::new();
    SHARED.cluster(|| patient().queen_settings("lease.heartbeat = \"300ms\"\nlease.ttl = \"4s\"\n").start())
}

fn hello(name: &str, tool: &str) -> Value {
    json!({"type": "forager.hello", "name": name, "epoch_seen": 0, "slots": 1, "tools": [tool]})
}

/// A forager by hand that is registered under a name and has one tool, of which it alone has the manifest.
pub(crate) fn registered(cluster: &Cluster, name: &str) -> Session {
    let leader = cluster.leader();
    let manifest = r#"{"cost_class": "model", "effects": "pure", "retries": 0}"#;
    leader.http().put(&format!("/v1/tools/{name}"), manifest).and_then(|answer| answer.ok()).expect("it is taken");
    let mut session = Session::open(leader, JSON);
    session.say(&hello(name, name));
    while !session.hear("queen.welcome")["incarnation"].is_number() {}
    session
}

/// Has that forager assigned the only node of a graph, and returns the attempt.
pub(crate) fn assigned(cluster: &Cluster, name: &str, session: &mut Session) -> Value {
    cluster.submit(&json!({"id": name, "nodes": {"only": {"tool": name}}}));
    session.hear("task.assign")["attempt"].clone()
}

#[test]
fn a_session_that_sends_garbage_is_ended() {
    let cluster = cluster();
    let mut dice = Dice::named("garbage of foragers");
    unharmed(&cluster, || {
        for queen in cluster.queens() {
            let noise: Vec<u8> = (0..4_096).map(|_| u8::try_from(dice.in_range(0..256)).expect("a byte")).collect();
            let mut stream = wire::connect(queen);
            std::io::Write::write_all(&mut stream, &noise).expect("it is read");
            wire::read_to_close(&mut stream);
            let mut session = Session::open(queen, BINARY);
            session.send_binary(&noise);
            session.ends(AT_ONCE);
            let mut session = Session::open(queen, JSON);
            session.send_raw(&noise);
            session.ends(WHEN_SILENT);
            for text in
                ["", "ants", "null", "7", "[[]]", "{}", "[{}]", "{\"type\": 7}", "{\"type\": \"forager.hello\"}"]
            {
                let mut session = Session::open(queen, JSON);
                session.send_text(text);
                session.ends(AT_ONCE);
            }
            let mut session = Session::open(queen, JSON);
            session.send_text(&"[".repeat(100_000));
            session.ends(AT_ONCE);
        }
    });
}

#[test]
fn a_frame_that_is_too_large_ends_its_session_before_it_is_read() {
    let cluster = cluster();
    unharmed(&cluster, || {
        for length in [(4 << 20) + 1, 1 << 30, u64::MAX >> 1, u64::MAX] {
            let mut session = Session::open(cluster.leader(), JSON);
            session.send_raw(&text_head(length));
            session.send_raw(&[b'x'; 1_024]);
            session.ends(AT_ONCE);
        }
        let mut session = Session::open(cluster.leader(), JSON);
        session.send_text(&"x".repeat(8 << 20));
        session.ends(AT_ONCE);
        // A frame of the right size with more in it than there may be.
        let heartbeat = json!({"type": "forager.heartbeat", "epoch_seen": 0, "sequence": 1,
            "load": {"running": 0, "load_average_percent": 0}, "running_digest": 0});
        let mut session = Session::open(cluster.leader(), JSON);
        session.say(&json!(vec![heartbeat; 20_000]));
        session.ends(AT_ONCE);
    });
}

#[test]
fn half_a_frame_is_not_waited_for_for_long() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut sessions: Vec<Session> = (0..50).map(|_| Session::open(cluster.leader(), JSON)).collect();
        for session in &mut sessions {
            session.send_raw(&text_head(3 << 20));
            session.send_raw(&vec![b' '; 1 << 20]);
        }
        for session in sessions {
            session.ends(WHEN_SILENT);
        }
    });
}

#[test]
fn a_session_that_says_nothing_is_ended() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let sessions: Vec<Session> = cluster
            .queens()
            .iter()
            .flat_map(|queen| [Session::open(queen, JSON), Session::open(queen, BINARY)])
            .collect();
        for session in sessions {
            session.ends(WHEN_SILENT);
        }
    });
}

#[test]
fn other_versions_are_refused() {
    let cluster = cluster();
    unharmed(&cluster, || {
        for subprotocol in ["antfarm.v2.bin", "antfarm.v0.json", "mqtt"] {
            let (session, head) = Session::ask(cluster.leader(), subprotocol);
            assert!(!head.to_ascii_lowercase().contains("sec-websocket-protocol"), "{head}");
            session.ends(WHEN_SILENT);
        }
        for frame in
            [[1_u8, 2, 0, 0].as_slice(), &[1, 255, 255, 0], &[2, 1, 0, 0], &[9, 1, 0, 0], &[1], &[1, 1, 0, 255]]
        {
            let mut session = Session::open(cluster.leader(), BINARY);
            session.send_binary(frame);
            session.ends(AT_ONCE);
        }
        let mut session = Session::open(cluster.leader(), JSON);
        session.say(&json!({"type": "forager.sing", "song": "la"}));
        session.ends(AT_ONCE);
    });
}

#[test]
fn a_forager_of_another_cluster_is_refused_with_the_reason() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = Session::open(cluster.leader(), JSON);
        let mut hello = hello("stranger", "noop");
        hello["cluster"] = json!("bees");
        session.say(&hello);
        let refused = session.hear("queen.refused");
        assert_eq!(refused["retry"], false);
        assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("you belong to bees")), "{refused}");
    });
}

#[test]
fn numbers_at_their_ends_break_nothing() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = registered(&cluster, "extreme");
        let mut more = Session::open(cluster.leader(), JSON);
        let mut hello = hello("extreme-slots", "none");
        hello["slots"] = json!(u32::MAX);
        hello["class_slots"] = json!({"cpu": u32::MAX, "io": 0});
        hello["former"] = json!(u64::MAX);
        hello["incarnation"] = json!(u64::MAX);
        more.say(&hello);
        while !more.hear("queen.welcome")["incarnation"].is_number() {}
        for end in [0, u64::from(u32::MAX), u64::MAX] {
            let short = end.min(u32::MAX.into());
            let attempt = json!({"graph": end, "node": short, "index": short, "fence": end});
            session.say(&json!({"type": "task.accept", "attempts": [attempt]}));
            session.say(&json!({"type": "task.reject", "attempt": attempt, "reason": "no_slot"}));
            session.say(&json!({"type": "task.returned", "attempts": [attempt]}));
            session.say(&json!({"type": "task.cancelled", "attempt": attempt, "started": true}));
            session.say(&json!({"type": "task.result", "attempt": attempt, "outcome": "interrupted"}));
            session.say(&json!({"type": "task.log", "request": end, "found": true, "text": "x"}));
            session.say(&json!({"type": "forager.heartbeat", "epoch_seen": 0, "sequence": end,
                "load": {"running": short, "load_average_percent": short}, "running_digest": end}));
            assert_eq!(session.hear("queen.heartbeat_ack")["sequence"], end);
        }
        let metrics = cluster.leader().http().get("/metrics").expect("it answers");
        assert!(metrics.body.contains("antfarm_slots"), "{}", metrics.body);
    });
}

#[test]
fn a_forager_that_claims_a_higher_epoch_is_refused_and_deposes_nobody() {
    let cluster = cluster();
    unharmed(&cluster, || {
        for epoch in [u64::from(u32::MAX), u64::MAX] {
            let mut session = Session::open(cluster.leader(), JSON);
            let mut hello = hello("prophet", "noop");
            hello["epoch_seen"] = json!(epoch);
            session.say(&hello);
            let refused = session.hear("queen.refused");
            assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("higher epoch")), "{refused}");
        }
    });
}

#[test]
fn a_result_that_is_larger_than_results_may_be_fails_its_attempt_alone() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = registered(&cluster, "boaster");
        let attempt = assigned(&cluster, "boaster", &mut session);
        let result = "x".repeat(3 << 20);
        session.say(&json!({"type": "task.result", "attempt": attempt, "outcome": "succeeded", "result": result}));
        let node = ended(&cluster, "boaster", "only");
        assert_eq!(node["state"], "failed", "{node}");
        assert_eq!(attempts(&cluster, "boaster", "only")[0]["manner"], "result_too_large");
        let confirmed = session.hear("task.confirmed");
        assert_eq!(confirmed["attempts"][0], attempt);
    });
}

#[test]
fn ends_of_attempts_that_nobody_knows_are_discarded_and_not_written_down() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = registered(&cluster, "liar");
        let applied = |cluster: &Cluster| -> anyhow::Result<u64> {
            let status = cluster.leader().status()?;
            status["applied_index"].as_u64().ok_or_else(|| anyhow::anyhow!("no index: {status}"))
        };
        let before = applied(&cluster).expect("it answers");
        let end = |fence: u64| {
            let attempt = json!({"graph": 1, "node": 0, "index": 0, "fence": fence + (1 << 40)});
            json!({"type": "task.result", "attempt": attempt, "outcome": "succeeded", "result": "x".repeat(60_000)})
        };
        for frame in 0..20 {
            session.say(&json!((0..50).map(|number| end(frame * 50 + number)).collect::<Vec<_>>()));
            let _ = session.hear("task.confirmed");
        }
        let written = applied(&cluster).expect("it answers") - before;
        assert!(written < 60, "{written} entries were written");
    });
}

#[test]
fn an_end_that_is_told_again_and_again_counts_once() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = registered(&cluster, "parrot");
        let attempt = assigned(&cluster, "parrot", &mut session);
        let end =
            json!({"type": "task.result", "attempt": attempt, "outcome": "succeeded", "result": "x".repeat(60_000)});
        let frame = json!(vec![end; 60]).to_string();
        for _ in 0..50 {
            session.send_text(&frame);
        }
        assert_eq!(ended(&cluster, "parrot", "only")["state"], "succeeded");
        assert_eq!(attempts(&cluster, "parrot", "only").len(), 1);
    });
}

#[test]
fn a_hello_with_more_attempts_than_an_entry_holds_is_taken_for_what_is_true_of_it() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let attempt =
            |number: u64| json!({"graph": u64::MAX, "node": u32::MAX, "index": u32::MAX, "fence": u64::MAX - number});
        let attempts: Vec<Value> = (0..13_000).map(attempt).collect();
        let mut session = Session::open(cluster.leader(), JSON);
        let mut hello = hello("hoarder", "none");
        for list in ["running", "unstarted", "ended"] {
            hello[list] = json!(attempts);
        }
        session.say(&hello);
        while !session.hear("queen.welcome")["incarnation"].is_number() {}
    });
}

#[test]
fn a_forager_that_takes_work_and_falls_silent_loses_it_to_another() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let mut session = registered(&cluster, "sleeper");
        let attempt = assigned(&cluster, "sleeper", &mut session);
        session.say(&json!({"type": "task.accept", "attempts": [attempt]}));
        session.ends(WHEN_SILENT);
        let mut other = Session::open(cluster.leader(), JSON);
        other.say(&hello("deputy", "sleeper"));
        let again = other.hear("task.assign")["attempt"].clone();
        assert!(again["fence"].as_u64() > attempt["fence"].as_u64(), "{again} after {attempt}");
        other.say(&json!({"type": "task.result", "attempt": again, "outcome": "succeeded", "result": 1}));
        wait_until("the result", SOON, || {
            let node = cluster.get("/v1/graphs/sleeper/nodes/only")?.ok()?;
            ensure!(node["state"] == "succeeded", "{node}");
            Ok(())
        });
    });
}
