//! The guide works as it stands, to its end, and what it promises on the way holds.

use antfarm_testkit::wait_until;
use anyhow::ensure;

use crate::given::append;
use crate::guide;
use crate::site::{QUEENS, SOON, Site};

/// Instances that run while everything is restarted, and their length.
const COUNT: usize = 160;
const EACH_MS: u64 = 1_000;

#[test]
fn the_guide_is_true_from_its_first_line_to_its_last() {
    let Some(site) = Site::empty() else { return };
    let (ledger, path) = site.ledger();
    let mut section = String::new();
    for step in guide::steps() {
        if step.section != section {
            match step.section.as_str() {
                "Run something" => all_are_ready(&site),
                "Restart, upgrade" => site.submit("queen-2", &append("restarts", COUNT, EACH_MS, &path)),
                "Stop" => {
                    site.succeeds("queen-1", "restarts", SOON);
                    ledger.each_node_started_exactly_once("restarts", ["each"]);
                    assert_eq!(ledger.attempts().len(), COUNT);
                    site.agrees();
                }
                _ => {}
            }
            section.clone_from(&step.section);
        }
        site.follow(&step);
    }
    let gone = site.ask("queen-1", |http| http.get("/healthz"));
    assert!(gone.is_err(), "nothing runs any more: {gone:?}");

    // «Two queens that reach each other go on where all were.»
    for queen in ["queen-3", "queen-1"] {
        site.shell(queen, "systemctl start antfarm-queen");
    }
    site.shell("queen-1", "until antfarm cluster status; do sleep 0.1; done");
    let results = site.shell("queen-3", "antfarm graph results hello");
    assert!(results.contains("forager-1") || results.contains("forager-2"), "where it ran: {results}");
}

fn all_are_ready(site: &Site) {
    for queen in QUEENS {
        wait_until(&format!("{queen} to be ready"), SOON, || {
            let answer = site.ask(queen, |http| http.get("/readyz"))?;
            ensure!(answer.status == 200, "{}", answer.body);
            Ok(())
        });
    }
}
