//! Without a majority nothing is acknowledged, and whoever asks is told; with it, work goes on by itself.

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, Queen};
use serde_json::json;

use crate::given::{GRAPH_WITHIN, append, array, reaches, single};

/// A refusal comes within this time.
const REFUSED_WITHIN: Duration = Duration::from_secs(4);

#[test]
fn a_queen_whose_peers_were_killed_refuses_and_work_goes_on_when_one_is_back() {
    refuses_and_goes_on(|lost| lost.kill(), |lost| lost.start());
}

#[test]
fn a_queen_whose_peers_stand_still_refuses_and_work_goes_on_when_one_is_back() {
    refuses_and_goes_on(|lost| lost.pause(), |lost| lost.resume());
}

fn refuses_and_goes_on(lose: impl Fn(&Queen), bring_back: impl Fn(&Queen)) {
    let cluster = Cluster::spec().slots(2).start();
    let ledger = cluster.ledger();
    // More than can run before the queens are lost.
    cluster.submit(&array("begun", "append", 60, &append(&ledger, 500)));
    reaches(&ledger, 1);
    let (leader, lost) = (cluster.leader(), cluster.followers());
    for queen in &lost {
        lose(queen);
    }

    let begun = Instant::now();
    let answer = leader.http().post("/v1/graphs", &single("refused", "noop", &json!({})).to_string());
    let answer = answer.expect("it answers");
    assert!(begun.elapsed() < REFUSED_WITHIN, "the answer took {:?}", begun.elapsed());
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(matches!(answer.problem().as_deref(), Some("no-quorum" | "outcome-unknown")), "{}", answer.body);

    let file = cluster.scratch().write("late.json", &single("late", "noop", &json!({})).to_string());
    let file = file.to_str().expect("a path in UTF-8");
    let submitted = cluster.antfarm(&["submit", file]).exits(3);
    assert!(submitted.took < REFUSED_WITHIN, "`antfarm submit` took {:?}\n{}", submitted.took, submitted.stderr);
    assert!(submitted.stderr.contains("quorum") || submitted.stderr.contains("majority"), "{}", submitted.stderr);
    assert_eq!(submitted.stdout, "", "nothing may look like an acknowledgement");

    bring_back(lost[0]);
    cluster.wait_for_success("begun", GRAPH_WITHIN);
    ledger.each_node_started_exactly_once("begun", ["each"]);
    let _ = cluster.antfarm(&["submit", "--wait", file]).exits(0); // a retry is safe, whatever became of the first try
}
