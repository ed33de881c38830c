//! `antfarm dev`: a cluster in one command, which leaves nothing behind, however it ends.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use antfarm_testkit::{Command, Http, Ports, Scratch, is_alive, processes_in, sentries_of, wait_until};
use anyhow::{Context, ensure};

use crate::dev_cluster::Dev;
use crate::given::SOON;

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(file)
}

#[test]
fn the_shipped_example_runs_to_success_and_leaves_no_process_behind() {
    let (tools, graph) = (example("tools.toml"), example("wordcount.yaml"));
    let (tools, graph) = (tools.to_str().expect("UTF-8"), graph.to_str().expect("UTF-8"));
    let dev = Dev::start(&["--slots", "54", "--tools", tools, "--exec", graph]);
    let children = dev.is_up();
    let Dev { running, scratch, .. } = dev;
    let finished = running.finish().exits(0);
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert!(said.contains("wordcount succeeded"), "{said}");
    assert!(said.contains(r#""agrees":true"#), "the shards add up to the whole\n{said}");
    assert!(children.iter().all(|pid| !is_alive(*pid)), "a child outlived it");
    assert_eq!(processes_in(scratch.folder()), Vec::<i32>::new());
}

#[test]
fn children_are_direct_and_begin_with_what_they_are() {
    let dev = Dev::start(&[]);
    dev.is_up();
    let lines: Vec<String> = dev.children().into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines.iter().filter(|line| line.starts_with("antfarm queen run")).count(), 3, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("antfarm forager run")).count(), 3, "{lines:?}");
}

#[test]
fn a_child_that_is_killed_is_announced_and_started_again() {
    let dev = Dev::start(&[]);
    let children = dev.is_up();
    let killed =
        dev.children().into_iter().find(|(_, line)| line.starts_with("antfarm queen run")).expect("a queen runs").0;
    antfarm_testkit::kill(killed);
    wait_until("another child in its place", SOON, || {
        let pids: Vec<i32> = dev.children().into_iter().map(|(pid, _)| pid).collect();
        let new = pids.iter().find(|pid| !children.contains(pid)).copied().context("no new child")?;
        ensure!(pids.len() == 6, "there are {}", pids.len());
        Ok(new)
    });
    let said = format!("{}{}", dev.running.stdout(), dev.running.stderr());
    assert!(said.contains(&format!("(pid {killed}) was killed by signal 9")), "{said}");
}

#[test]
fn ctrl_c_ends_everything() {
    let dev = Dev::start(&[]);
    let children = dev.is_up();
    dev.running.interrupt();
    wait_until("the end of it", SOON, || {
        ensure!(!is_alive(dev.running.pid()), "it runs");
        Ok(())
    });
    dev.is_gone(&children);
}

#[test]
fn no_child_outlives_a_parent_that_was_killed() {
    let mut dev = Dev::start(&[]);
    let children = dev.is_up();
    dev.running.kill();
    dev.is_gone(&children);
}

#[test]
fn no_program_outlives_a_parent_that_was_killed_not_even_one_without_a_forager() {
    let files = Scratch::new();
    let tools = "[tools.sleeper]\ncommand = [\"/bin/sleep\", \"617\"]\ncost_class = \"cpu\"\neffects = \"pure\"\n";
    let tools = files.write("tools.toml", tools);
    let graph = files.write("graph.yaml", "id: long\nnodes:\n  a: {tool: sleeper}\n");
    let mut dev = Dev::start(&["--no-restart", "--tools", tools.to_str().expect("UTF-8")]);
    let children = dev.is_up();
    let server = Http::at(dev.ports.http(1)).url();
    wait_until("the graph to be taken", SOON, || {
        let submit = ["submit", graph.to_str().expect("UTF-8")];
        let submitted = Command::antfarm(submit).env("ANTFARM_SERVER", &server).run();
        ensure!(submitted.code == Some(0), "{}", submitted.stderr);
        Ok(())
    });
    let name = wait_until("the program to run", SOON, || {
        let names = ["forager-1", "forager-2", "forager-3"];
        let runs = |name: &&str| !sentries_of(&dev.scratch.path(name).join("data")).is_empty();
        names.into_iter().find(runs).context("no forager has a program")
    });
    let its_config = format!("{name}/forager.toml");
    let (forager, _) = dev.children().into_iter().find(|(_, line)| line.contains(&its_config)).expect("it runs");
    antfarm_testkit::kill(forager);
    wait_until("the end of the forager", SOON, || {
        ensure!(!is_alive(forager), "it runs");
        Ok(())
    });
    assert!(!sentries_of(&dev.scratch.path(name).join("data")).is_empty(), "the program goes on without it");
    dev.running.kill();
    dev.is_gone(&children);
}

#[test]
fn a_graph_with_faults_is_refused_before_any_process_starts() {
    let scratch = Scratch::new();
    let graph = scratch.write("faulty.yaml", "id: faulty\nnodes:\n  a: {tool: noop, after: [b]}\n");
    let refused = Command::antfarm(["dev", "--exec", graph.to_str().expect("UTF-8")]).run().exits(4);
    assert!(refused.stderr.contains("nodes.a.after[0]"), "{}", refused.stderr);
}

#[test]
fn a_port_that_is_taken_is_told_with_the_way_out() {
    let ports = Ports::take();
    let _taken = TcpListener::bind(ports.http(1)).expect("a free port");
    let refused = Command::antfarm(["dev", "--base-port", &ports.base().to_string()]).run().exits(2);
    assert!(refused.stderr.contains(&ports.http(1).to_string()), "{}", refused.stderr);
    assert!(refused.stderr.contains("--base-port "), "{}", refused.stderr);
}

#[test]
fn a_folder_whose_cluster_lives_at_other_ports_is_refused_with_those() {
    let dev = Dev::start(&[]);
    let children = dev.is_up();
    dev.running.interrupt();
    dev.is_gone(&children);
    let (base, dir) = (dev.ports.base(), dev.folder());
    let other = (base + 10).to_string();
    let refused = Command::antfarm(["dev", "--dir", &dir, "--base-port", &other]).run().exits(2);
    assert!(refused.stderr.contains(&format!("--base-port {base}")), "{}", refused.stderr);
}

#[test]
fn a_tool_whose_program_cannot_be_run_is_refused_before_any_process_starts() {
    let scratch = Scratch::new();
    let program = scratch.write("count", "#!/bin/sh\n");
    let tools = "[tools.a]\ncommand = [\"no-such-program\"]\ncost_class = \"io\"\n\
                 [tools.b]\ncommand = [\"./count\"]\ncost_class = \"io\"\n";
    let tools = scratch.write("tools.toml", tools);
    let refused = Command::antfarm(["dev", "--tools", tools.to_str().expect("UTF-8")]).run().exits(2);
    assert!(refused.stderr.contains("tools.a.command: no folder of PATH"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("chmod +x {}", program.display())), "{}", refused.stderr);
}
