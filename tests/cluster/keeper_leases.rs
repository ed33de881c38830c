//! Guarded programs are dead with all that they started when the lease ends, whoever is stopped or gone; the others go on.

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, is_alive, kill, pause, resume, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, SOON};
use crate::hidden::{
    EFFECTS, all_run, go, no_attempt_met_another, none_runs, processes, sentry, starts, submit, with_hidden,
};

/// Short, for who waits until it is over.
const LEASE: Duration = Duration::from_millis(2_500);

/// For the looks of the test, on a machine that has other things to do. The lease itself counts from before the fault.
const SLACK: Duration = Duration::from_millis(400);

/// What needs no lease to be over.
const AT_ONCE: Duration = Duration::from_millis(1_500);

/// The processes of the three programs, which run.
struct Running {
    cluster: Cluster,
    guarded: Vec<i32>,
    pure: Vec<i32>,
    irrevocable: Vec<i32>,
}

impl Running {
    fn start() -> Self {
        let settings = format!("[lease]\nttl = \"{}ms\"\nheartbeat = \"200ms\"\n", LEASE.as_millis());
        let spec = Cluster::spec().foragers(1).queen_settings(&settings).forager_settings("kill_grace = \"400ms\"\n");
        let cluster = with_hidden(spec);
        for tool in EFFECTS {
            submit(&cluster, tool);
        }
        let [guarded, pure, irrevocable] = EFFECTS.map(|tool| processes(&cluster, tool));
        Self { cluster, guarded, pure, irrevocable }
    }

    fn forager(&self) -> &antfarm_testkit::Forager {
        self.cluster.forager(1)
    }

    fn all(&self) -> Vec<i32> {
        [&self.guarded[..], &self.pure, &self.irrevocable].concat()
    }

    /// Counted from now, in which the fault has happened.
    fn dead_within(pids: &[i32], within: Duration) {
        let begun = Instant::now();
        wait_until("the end of a program with all that it started", within + SLACK, || none_runs(pids));
        println!("dead {} ms after the fault", begun.elapsed().as_millis());
    }

    /// Of all three only the guarded one dies, and not before its time.
    fn only_guarded_dies_with_the_lease(&self) {
        let begun = Instant::now();
        Self::dead_within(&self.guarded, LEASE);
        assert!(begun.elapsed() > LEASE / 3, "it died before its lease was over");
        assert!(all_run(&self.pure) && all_run(&self.irrevocable), "the others go on");
    }

    fn succeeds(&self, tool: &str, after_starts: usize) {
        self.cluster.wait_for_success(tool, GRAPH_WITHIN);
        assert_eq!(starts(&self.cluster, tool), after_starts, "starts of {tool}");
        let results = self.cluster.get(&format!("/v1/graphs/{tool}/results")).and_then(|answer| answer.ok());
        assert!(results.as_ref().is_ok_and(|results| results.to_string().contains("done")), "{results:?}");
    }

    fn needs_decision(&self, tool: &str) {
        wait_until("somebody to be asked what to do", SOON, || {
            let graph = self.cluster.graph(tool)?;
            ensure!(graph["nodes"]["needs_decision"] == 1, "{graph}");
            Ok(())
        });
        assert_eq!(starts(&self.cluster, tool), 1);
    }

    /// The programs are let go, and each tool succeeds after so many starts.
    fn goes_on_to_the_end(self, starts: &[(&str, usize)]) {
        go(&self.cluster);
        for (tool, starts) in starts {
            self.succeeds(tool, *starts);
        }
        self.over();
    }

    /// The end: nothing of it was started while something of it ran, and nothing is left.
    fn over(self) {
        no_attempt_met_another(&self.cluster);
        let all = self.all();
        drop(self);
        wait_until("the end of everything", SOON, || none_runs(&all));
    }
}

#[test]
fn with_a_stopped_forager() {
    let running = Running::start();
    running.forager().pause();
    running.only_guarded_dies_with_the_lease();
    wait_until("the forager to be lost", SOON, || {
        let forager = running.cluster.get("/v1/foragers/forager-1")?.ok()?;
        ensure!(forager["state"] == "lost", "{forager}");
        Ok(())
    });
    running.forager().resume();
    running.goes_on_to_the_end(&[("irrevocable", 1), ("guarded", 2)]);
}

#[test]
fn with_a_killed_forager() {
    let running = Running::start();
    running.forager().kill();
    running.only_guarded_dies_with_the_lease();
    running.forager().start();
    running.goes_on_to_the_end(&[("irrevocable", 1), ("guarded", 2)]);
}

#[test]
fn with_a_stopped_keeper() {
    let running = Running::start();
    let keeper = running.forager().keeper();
    pause(keeper);
    running.only_guarded_dies_with_the_lease();
    resume(keeper);
    running.goes_on_to_the_end(&[("irrevocable", 1), ("pure", 1), ("guarded", 2)]);
}

#[test]
fn with_a_stopped_forager_and_a_stopped_keeper() {
    let running = Running::start();
    let keeper = running.forager().keeper();
    pause(keeper);
    running.forager().pause();
    running.only_guarded_dies_with_the_lease();
    resume(keeper);
    running.forager().resume();
    running.goes_on_to_the_end(&[("irrevocable", 1), ("guarded", 2)]);
}

#[test]
fn with_a_stopped_forager_and_a_stopped_sentry() {
    let running = Running::start();
    let sentry = sentry(&running.cluster, running.guarded[0]);
    pause(sentry);
    running.forager().pause();
    running.only_guarded_dies_with_the_lease();
    running.forager().resume();
    running.goes_on_to_the_end(&[("irrevocable", 1), ("guarded", 2)]);
}

#[test]
fn with_a_stopped_keeper_and_a_stopped_sentry_and_no_queen() {
    let running = Running::start();
    let sentry = sentry(&running.cluster, running.guarded[0]);
    pause(running.forager().keeper());
    pause(sentry);
    running.cluster.queens().iter().for_each(|queen| queen.pause());
    running.only_guarded_dies_with_the_lease();
    running.cluster.queens().iter().for_each(|queen| queen.resume());
    running.over();
}

#[test]
fn a_killed_keeper_takes_all_that_it_kept_with_it_and_that_is_said() {
    let running = Running::start();
    let keeper = running.forager().keeper();
    kill(keeper);
    Running::dead_within(&running.all(), AT_ONCE);
    go(&running.cluster);
    running.succeeds("guarded", 2);
    running.succeeds("pure", 2);
    running.needs_decision("irrevocable");
    assert_ne!(running.forager().keeper(), keeper, "there is another one");
    running.over();
}

#[test]
fn a_killed_forager_and_a_killed_keeper_leave_nothing_behind_and_that_is_said() {
    let running = Running::start();
    running.forager().kill();
    kill(running.forager().keeper());
    Running::dead_within(&running.all(), AT_ONCE);
    running.forager().start();
    go(&running.cluster);
    running.succeeds("guarded", 2);
    running.needs_decision("irrevocable");
    running.over();
}

#[test]
fn a_killed_sentry_takes_its_own_program_with_it_and_no_other() {
    let running = Running::start();
    kill(sentry(&running.cluster, running.guarded[0]));
    Running::dead_within(&running.guarded, AT_ONCE);
    assert!(all_run(&running.pure) && all_run(&running.irrevocable));
    running.goes_on_to_the_end(&[("guarded", 2), ("pure", 1), ("irrevocable", 1)]);
}

#[test]
fn a_forager_that_ends_as_it_should_takes_its_keeper_with_it() {
    let running = Running::start();
    let keeper = running.forager().keeper();
    go(&running.cluster);
    for tool in EFFECTS {
        running.succeeds(tool, 1);
    }
    assert!(running.forager().stop().success());
    wait_until("the end of the keeper", SOON, || {
        ensure!(!is_alive(keeper), "it runs");
        Ok(())
    });
    running.over();
}
