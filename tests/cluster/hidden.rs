//! A program that forks, hides from whoever looks for it by group, session or environment, does not listen to SIGTERM, and
//! keeps a ledger of its own.

use std::path::PathBuf;

use antfarm_testkit::{Cluster, ClusterSpec, is_alive, sentries_of, wait_until};
use anyhow::ensure;
use serde_json::json;

use crate::given::{SOON, single};

/// It notes its start, looks for processes of former attempts, starts one child in its group and one that hides, notes all
/// three, and ends when it is told to.
const SCRIPT: &str = r#"
    trap '' TERM
    dir=$(cat | tr -d '"'); mine=$dir/$ANTFARM_GRAPH
    for pid in $(cat $mine.pids 2>/dev/null); do
        case "$(cut -d ' ' -f 3 /proc/$pid/stat 2>/dev/null)" in ''|Z|X) ;; *) echo $pid >> $mine.overlaps ;; esac
    done
    echo $$ >> $mine.starts
    (setsid env -i /bin/sh -c 'trap "" TERM; echo $$ >> $0; sleep 613; sleep 613' $mine.pids &)
    sleep 613 & echo $! >> $mine.pids
    echo $$ >> $mine.pids
    echo "about to wait" >&2
    until [ -e $dir/go ]; do sleep 0.05; done
    echo '"done"'
"#;

/// Of them three are noted by each attempt.
const PROCESSES: usize = 3;

/// The tools that are this program, by their effect classes.
pub(crate) const EFFECTS: [&str; 3] = ["guarded", "pure", "irrevocable"];

/// A cluster of which each forager has the three tools.
pub(crate) fn with_hidden(spec: ClusterSpec) -> Cluster {
    let cluster = EFFECTS.iter().fold(spec, |spec, name| spec.script(name, SCRIPT)).start();
    for name in EFFECTS {
        let manifest = json!({"cost_class": "io", "effects": name, "retries": 2, "backoff": {"initial": "10ms"}});
        let answer = cluster.leader().http().put(&format!("/v1/tools/{name}"), &manifest.to_string());
        answer.and_then(|answer| answer.ok()).expect("it is taken");
    }
    cluster
}

/// Submits a graph that has the name of its tool.
pub(crate) fn submit(cluster: &Cluster, tool: &str) {
    cluster.submit(&single(tool, tool, &json!(cluster.scratch().folder())));
}

/// Waits until a program runs whole, and returns all its processes, itself first.
pub(crate) fn processes(cluster: &Cluster, tool: &str) -> Vec<i32> {
    wait_until(&format!("the processes of {tool}"), SOON, || {
        let pids = lines(cluster, &format!("{tool}.pids"));
        ensure!(pids.len() == PROCESSES, "they are {pids:?}");
        let program = lines(cluster, &format!("{tool}.starts"));
        Ok(program.iter().chain(pids.iter().filter(|pid| !program.contains(pid))).copied().collect())
    })
}

/// The sentry of a program.
pub(crate) fn sentry(cluster: &Cluster, program: i32) -> i32 {
    let sentries = sentries_of(cluster.forager(1).data());
    let is_its = |sentry: &i32| antfarm_testkit::child_processes(*sentry).iter().any(|(pid, _)| *pid == program);
    sentries.into_iter().find(is_its).expect("every program has a sentry")
}

/// How often a program was started.
pub(crate) fn starts(cluster: &Cluster, tool: &str) -> usize {
    lines(cluster, &format!("{tool}.starts")).len()
}

/// Lets all programs end.
pub(crate) fn go(cluster: &Cluster) {
    cluster.scratch().write("go", "");
}

/// Asserts that no attempt at something guarded or irrevocable began while a process of a former one ran. What is pure may.
pub(crate) fn no_attempt_met_another(cluster: &Cluster) {
    for tool in EFFECTS.iter().filter(|tool| **tool != "pure") {
        assert_eq!(
            lines(cluster, &format!("{tool}.overlaps")),
            Vec::<i32>::new(),
            "of {tool}, these ran when the next began"
        );
    }
}

pub(crate) fn all_run(pids: &[i32]) -> bool {
    pids.iter().all(|pid| is_alive(*pid))
}

pub(crate) fn none_runs(pids: &[i32]) -> anyhow::Result<()> {
    let alive: Vec<i32> = pids.iter().copied().filter(|pid| is_alive(*pid)).collect();
    ensure!(alive.is_empty(), "{alive:?} run");
    Ok(())
}

fn lines(cluster: &Cluster, file: &str) -> Vec<i32> {
    let path: PathBuf = cluster.scratch().path(file);
    let text = std::fs::read_to_string(path).unwrap_or_default(); // as long as nobody has written
    text.lines().filter_map(|line| line.parse().ok()).collect()
}
