//! What may have happened and must not happen twice waits until somebody decides, and it is kept who decided what, and why.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, single};

/// A cluster with a payment whose forager died while it ran; its fence.
fn undecided() -> (Cluster, u64) {
    let lease = "[lease]\nttl = \"2s\"\nheartbeat = \"200ms\"\n";
    let cluster = Cluster::spec().foragers(2).queen_settings(lease).script("pay", "sleep 600").start();
    let manifest = r#"{"cost_class": "io", "effects": "irrevocable"}"#;
    cluster.leader().http().put("/v1/tools/pay", manifest).and_then(|answer| answer.ok()).expect("it is taken");
    cluster.submit(&single("payroll", "pay", &json!({})));
    let forager = wait_until("the payment to run", GRAPH_WITHIN, || {
        let node = node(&cluster)?;
        ensure!(node["state"] == "running", "{node}");
        Ok(node["forager"].as_str().unwrap_or_default().to_owned())
    });
    cluster.forager_named(&forager).kill();
    let fence = wait_until("the payment to need a decision", GRAPH_WITHIN, || {
        let explained = cluster.antfarm(&["node", "explain", "payroll/only", "--json"]).exits(0).json();
        ensure!(explained["reason"] == "needs_decision", "{explained}");
        let attempts = cluster.get("/v1/graphs/payroll/nodes/only/attempts")?.ok()?;
        let [attempt] = attempts["attempts"].as_array().map_or(&[][..], Vec::as_slice) else {
            anyhow::bail!("one attempt: {attempts}")
        };
        ensure!(attempt["state"] == "lost" && attempt["started_at"].is_string(), "{attempt}");
        Ok(attempt["fence"].as_u64().unwrap_or_default())
    });
    (cluster, fence)
}

fn node(cluster: &Cluster) -> anyhow::Result<Value> {
    cluster.get("/v1/graphs/payroll/nodes/only")?.ok()
}

fn decide(cluster: &Cluster, fence: u64, arguments: &[&str], exit: i32) -> String {
    let fence = fence.to_string();
    let command = [&["node", "decide", "payroll/only"], arguments, &["--fence", &fence]].concat();
    let finished = cluster.antfarm(&command).exits(exit);
    finished.stdout + &finished.stderr
}

#[test]
fn a_payment_whose_forager_died_is_decided_once_and_it_is_kept_by_whom_and_why() {
    let (cluster, fence) = undecided();
    let told = cluster.antfarm(&["node", "explain", "payroll/only"]).exits(0).stdout;
    assert!(told.contains(&format!("--fence {fence} --why TEXT")), "it says what to type: {told}");
    let refused = decide(&cluster, fence, &["retry"], 4);
    assert!(refused.contains("--assume-ended"), "{refused}");
    decide(&cluster, fence + 1, &["fail"], 4);

    let decision = ["succeed", "--result", "17", "--as", "ada", "--why", "seen in the bank statement"];
    decide(&cluster, fence, &decision, 0);
    cluster.wait_for_success("payroll", GRAPH_WITHIN);
    let again = decide(&cluster, fence, &decision, 0);
    assert!(again.contains("decided before"), "{again}");
    let other = decide(&cluster, fence, &["fail", "--as", "bob"], 4);
    assert!(other.contains("ada decided succeed"), "{other}");

    let shown = cluster.antfarm(&["node", "show", "payroll/only"]).exits(0).stdout;
    assert!(
        shown.contains("ada decided succeed about attempt") && shown.contains("seen in the bank statement"),
        "{shown}"
    );
    let attempts =
        cluster.get("/v1/graphs/payroll/nodes/only/attempts").and_then(|page| page.ok()).expect("it is there");
    assert_eq!(attempts["attempts"][0]["decided"]["by"], "ada", "{attempts}");
}

#[test]
fn a_retry_that_somebody_takes_responsibility_for_runs_once_more() {
    let (cluster, fence) = undecided();
    let decision = ["retry", "--assume-ended", "--why", "the machine was switched off"];
    decide(&cluster, fence, &decision, 0);
    wait_until("the payment to run again", GRAPH_WITHIN, || {
        let node = node(&cluster)?;
        ensure!(node["state"] == "running" && node["fence"].as_u64() > Some(fence), "{node}");
        Ok(())
    });
    decide(&cluster, fence, &decision, 0);
    let node = node(&cluster).expect("it is there");
    assert_eq!(
        (&node["state"], &node["attempts"]),
        (&json!("running"), &json!(2)),
        "a repeated decision starts nothing"
    );
}
