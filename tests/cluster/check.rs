//! `antfarm check` needs no cluster and tells all faults at once, each by its path.

use antfarm_testkit::Command;

#[test]
fn all_faults_of_a_graph_are_told_at_once_by_path() {
    let graph = "id: nightly\nnodes:\n  fetch: {tool: noop, timeout: soon}\n  clean: {tool: noop, after: [fetsh]}\n  \
                 score: {tool: noop, args: {of: {$ref: clean}}, retires: 3}\n  a: {tool: noop, after: [b]}\n  b: {tool: noop, after: [a]}\n";
    let checked = Command::antfarm(["check", "-", "--json"]).stdin(graph).run().exits(4);
    let report = checked.json();
    let faults = report["files"][0]["faults"].as_array().expect("a list of faults").clone();
    let paths: Vec<&str> = faults.iter().filter_map(|fault| fault["path"].as_str()).collect();
    for path in ["nodes.fetch.timeout", "nodes.clean.after[0]", "nodes.score.retires"] {
        assert!(paths.contains(&path), "{path} is missing among {paths:?}");
    }
    assert!(
        faults.iter().any(|fault| fault["message"].as_str().is_some_and(|message| message.contains("cycle"))),
        "{report}"
    );
    assert!(faults.iter().all(|fault| fault["message"].is_string()), "{report}");
}

#[test]
fn a_sound_graph_is_counted() {
    let graph = "id: sound\nnodes:\n  fan: {tool: noop, array: {count: 7}}\n  all: {tool: noop, after: [fan]}\n";
    let checked = Command::antfarm(["check", "-"]).stdin(graph).run().exits(0);
    assert!(checked.stdout.contains("2 nodes, 8 instances"), "{}", checked.stdout);
}

#[test]
fn a_file_that_is_not_there_is_a_matter_of_usage() {
    let checked = Command::antfarm(["check", "no-such-file.yaml"]).run().exits(2);
    assert!(checked.stderr.contains("no-such-file.yaml"), "{}", checked.stderr);
}
