//! The examples do what their comments say, on a cluster with the tools that ship beside them.

use std::fs;
use std::path::{Path, PathBuf};

use antfarm_testkit::{Command, Finished, wait_until};
use anyhow::ensure;
use serde_json::{Value, json};

use crate::dev_cluster::Dev;
use crate::given::SOON;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the workspace").to_owned()
}

fn example(file: &str) -> String {
    root().join("examples").join(file).to_str().expect("UTF-8").to_owned()
}

/// A cluster with the tools of the examples.
fn dev() -> Dev {
    let dev = Dev::start(&["--tools", &example("tools.toml")]);
    wait_until("the tools of the examples", SOON, || {
        ensure!(dev.running.stderr().contains("tools: "), "{}", dev.running.stderr());
        Ok(())
    });
    dev
}

/// Submits an example, and waits until it ends.
fn run(dev: &Dev, file: &str) -> Finished {
    dev.command(&["submit", "--wait", &example(file)]).run()
}

fn result(dev: &Dev, graph: &str, node: &str) -> Value {
    dev.command(&["graph", "results", graph, node]).run().exits(0).json()
}

fn show(dev: &Dev, node: &str) -> Value {
    dev.command(&["node", "show", node, "--json"]).run().exits(0).json()
}

fn explained(dev: &Dev, node: &str) -> String {
    dev.command(&["node", "explain", node]).run().exits(0).stdout
}

#[test]
fn every_example_is_valid_with_the_tools_beside_it() {
    let graphs = fs::read_dir(root().join("examples")).expect("a folder can be read");
    let graphs = graphs.map(|entry| entry.expect("an entry can be read").path());
    let graphs: Vec<PathBuf> = graphs.filter(|path| path.extension().is_some_and(|kind| kind == "yaml")).collect();
    assert_eq!(graphs.len(), 5, "{graphs:?}");
    let mut arguments = vec!["check".to_owned(), "--tools".to_owned(), example("tools.toml")];
    arguments.extend(graphs.iter().map(|path| path.to_str().expect("UTF-8").to_owned()));
    let _ = Command::antfarm(&arguments).run().exits(0);
}

#[test]
fn the_pipeline_hands_parts_of_results_on() {
    let dev = dev();
    let _ = run(&dev, "pipeline.yaml").exits(0);
    let summary = result(&dev, "pipeline", "summary");
    let longest = &summary["longest"];
    let path = longest["path"].as_str().expect("a path");
    let bytes = fs::metadata(root().join(path)).expect("the longest text").len();
    assert_eq!(longest["bytes"].as_u64(), Some(bytes), "{summary}");
    assert!(summary["total_bytes"].as_u64() > Some(bytes), "{summary}");
    let [first, second] = summary["about"].as_array().expect("a list").as_slice() else { panic!("{summary}") };
    assert_eq!(first["path"], path);
    assert_ne!(second["path"], path);
    assert!(first["headings"].as_array().is_some_and(|headings| !headings.is_empty()), "{summary}");
}

#[test]
fn deadlines_and_pins_are_kept() {
    let dev = dev();
    let ended = run(&dev, "deadlines.yaml").exits(1);
    assert!(ended.stdout.contains("too-late expired"), "{}", ended.stdout);
    let count = result(&dev, "deadlines", "count");
    assert_eq!(count, json!({"1 to 20000": 2262, "20001 to 40000": 1941}));
    for (node, forager) in [("deadlines/here", "forager-1"), ("deadlines/there", "forager-2")] {
        assert_eq!(show(&dev, node)["attempt_list"][0]["forager"], forager, "{node}");
    }
    let late = show(&dev, "deadlines/too-late");
    assert_eq!((&late["state"], &late["attempts"]), (&json!("expired"), &json!(0)), "{late}");
    assert!(explained(&dev, "deadlines/too-late").starts_with("too-late is expired"));
    assert!(explained(&dev, "deadlines/more").starts_with("more is skipped"));
}

#[test]
fn a_failing_branch_keeps_nothing_back_but_what_needs_it() {
    let dev = dev();
    let ended = run(&dev, "failing-branch.yaml").exits(1);
    assert!(ended.stdout.contains("4 of 6 nodes succeeded, 1 failed, 1 skipped"), "{}", ended.stdout);
    assert!(ended.stderr.contains("antfarm submit --id failing-branch-2"), "{}", ended.stderr);
    for (node, file) in [("readme-report", "README.md"), ("changelog-report", "CHANGELOG.md")] {
        let lines = fs::read_to_string(root().join(file)).expect("a page").lines().count();
        assert_eq!(result(&dev, "failing-branch", node), json!({"lines": lines}));
    }
    let log = dev.command(&["node", "logs", "failing-branch/missing"]).run().exits(0).stdout;
    assert!(log.contains("NO-SUCH-FILE.md"), "{log}");
    assert!(explained(&dev, "failing-branch/missing-report").starts_with("missing-report is skipped"));
}

#[test]
fn an_irrevocable_step_waits_until_somebody_has_looked_and_decided() {
    let dev = dev();
    let outbox = dev.scratch.path("outbox");
    let text = fs::read_to_string(example("irrevocable.yaml")).expect("the example");
    let text = text.replace("/tmp/antfarm-outbox", outbox.to_str().expect("UTF-8"));
    let graph = dev.scratch.write("irrevocable.yaml", &text);
    let _ = dev.command(&["submit", graph.to_str().expect("UTF-8")]).run().exits(0);
    let send = wait_until("a step that needs a decision", SOON, || {
        let send = show(&dev, "irrevocable/send");
        ensure!(send["state"] == "needs_decision", "{send}");
        Ok(send)
    });
    let fence = send["attempt_list"][0]["fence"].to_string();
    assert!(explained(&dev, "irrevocable/send").contains(&format!("--fence {fence}")));
    let letters = || fs::read_to_string(&outbox).expect("the outbox").lines().count();
    assert_eq!(letters(), 1, "the letter went out");

    let result_of_it = r#"{"sent": "to the queen"}"#;
    let decide = ["node", "decide", "irrevocable/send", "succeed", "--fence", &fence, "--result", result_of_it];
    let _ = dev.command(&decide).run().exits(0);
    let _ = dev.command(&["graph", "wait", "irrevocable"]).run().exits(0);
    assert_eq!(result(&dev, "irrevocable", "archive"), json!({"archived": {"sent": "to the queen"}}));
    assert_eq!(letters(), 1, "it was not sent again");
}
