//! Whoever asks where no cluster is learns soon what is waited for, and at last what to do.

use antfarm_testkit::{Command, Ports};

#[test]
fn a_command_without_a_cluster_says_how_to_start_or_name_one() {
    let ports = Ports::take();
    let server = format!("http://{}", ports.http(1));
    let ended = Command::antfarm(["graph", "list", "--server", &server, "--timeout", "2s"]).run().exits(3);
    assert!(ended.stderr.contains("no queen answers yet"), "{}", ended.stderr);
    for way_out in [ports.http(1).to_string().as_str(), "antfarm dev", "--server", "ANTFARM_SERVER"] {
        assert!(ended.stderr.contains(way_out), "{way_out} is not told in\n{}", ended.stderr);
    }
    let quiet = Command::antfarm(["graph", "list", "--quiet", "--server", &server, "--timeout", "2s"]).run().exits(3);
    assert!(!quiet.stderr.contains("yet"), "{}", quiet.stderr);
}
