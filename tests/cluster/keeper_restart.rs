//! A forager is restarted or upgraded under running work, which does not notice.

use antfarm_testkit::{Cluster, Forager, wait_until};
use anyhow::ensure;

use crate::given::SOON;
use crate::hidden::{all_run, go, processes, starts, submit, with_hidden};

fn survives(leave: impl Fn(&Forager)) {
    let cluster = with_hidden(Cluster::spec().foragers(1));
    submit(&cluster, "guarded");
    let pids = processes(&cluster, "guarded");
    let keeper = cluster.forager(1).keeper();
    for _ in 0..2 {
        leave(cluster.forager(1));
        assert!(all_run(&pids), "it runs without its forager");
        cluster.forager(1).start();
        wait_until("the forager to be back with its work", SOON, || {
            let forager = cluster.get("/v1/foragers/forager-1")?.ok()?;
            ensure!(
                forager["state"] == "ready" && forager["attempts"].as_array().map(Vec::len) == Some(1),
                "{forager}"
            );
            let logs = cluster.antfarm(&["node", "logs", "guarded/only"]);
            ensure!(logs.code == Some(0) && logs.stdout == "about to wait\n", "{logs:?}");
            Ok(())
        });
    }
    assert!(all_run(&pids));
    assert_eq!(cluster.forager(1).keeper(), keeper);
    go(&cluster);
    cluster.wait_for_success("guarded", SOON);
    assert_eq!(starts(&cluster, "guarded"), 1);
    let shown = cluster.antfarm(&["node", "show", "guarded/only", "--json"]).exits(0).json();
    assert_eq!(shown["result"], "done", "{shown}");
    assert_eq!(shown["attempt_list"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(shown["attempt_list"][0]["state"], "succeeded", "{shown}");
}

#[test]
fn a_guarded_program_outlives_a_forager_that_hands_over() {
    survives(|forager| assert!(forager.hang_up().success()));
}

#[test]
fn a_guarded_program_outlives_a_forager_that_is_killed() {
    survives(|forager| forager.kill());
}

#[test]
fn a_second_forager_with_the_same_data_folder_is_refused_and_told_why() {
    let cluster = Cluster::spec().foragers(1).start();
    let config = cluster.scratch().path("forager-1.toml");
    let refused = cluster.antfarm(&["forager", "run", "--config", config.to_str().expect("UTF-8")]).exits(1);
    assert!(refused.stderr.contains("another process uses this data folder"), "{}", refused.stderr);
}
