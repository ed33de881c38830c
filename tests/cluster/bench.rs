//! `antfarm bench` measures clusters of real processes, and does not tell a figure of work that was not done.

use antfarm_testkit::{Command, Turn};

#[test]
fn a_schedule_is_measured_of_which_each_instance_ran_once() {
    let _turn = Turn::take();
    for (shape, nodes, graphs) in [("array", 300, 1), ("listed", 300, 3), ("chains", 60, 2), ("program", 20, 1)] {
        let (number, parts) = (nodes.to_string(), graphs.to_string());
        let options = ["--shape", shape, "--nodes", &number, "--graphs", &parts, "--foragers", "2", "--runs", "1"];
        let call = ["bench", "schedule", "--json", "--prefetch", "8"];
        let report = Command::antfarm(call.iter().chain(&options)).run().exits(0).json();
        assert_eq!(report["instances_run"], nodes, "{report}");
        assert_eq!(report["runs"].as_array().map(Vec::len), Some(1), "{report}");
        for figure in ["nodes_per_second", "fsyncs_per_node", "bytes_per_node"] {
            let value = report[figure].as_f64();
            assert!(value.is_some_and(|value| value > 0.0), "{figure}: {report}");
        }
    }
}

#[test]
fn latencies_are_those_of_nodes_that_were_started() {
    let _turn = Turn::take();
    let call = ["bench", "latency", "--json", "--rate", "100", "--seconds", "1", "--trips", "5", "--runs", "1"];
    let report = Command::antfarm(call).run().exits(0).json();
    for what in ["round_trip", "ready_to_start"] {
        let [p50, p99] = ["p50_ms", "p99_ms"].map(|figure| report[what][figure].as_f64().expect("a number"));
        assert!(0.0 < p50 && p50 <= p99, "{what}: {report}");
    }
    let started = report["started_per_second"].as_f64();
    assert!(started.is_some_and(|rate| (50.0..=110.0).contains(&rate)), "{report}");
}

#[test]
fn more_than_twice_the_slots_is_no_prefetch_to_measure() {
    let finished = Command::antfarm(["bench", "schedule", "--slots", "4", "--prefetch", "9"]).run().exits(2);
    assert!(finished.stderr.contains("--prefetch 9 with --slots 4"), "{}", finished.stderr);
}
