//! `antfarm fence` as tools use it.

use std::time::Duration;

use antfarm_testkit::{Command, Dice, Scratch, child_processes, is_alive, kill, wait_until};
use anyhow::{Context, ensure};
use serde_json::json;

use crate::given::{Fences, KEY, text};

/// Something that needs no more than a few system calls happens within this time.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn higher_fences_and_the_same_again_pass_and_lower_ones_end_with_76() {
    let fences = Fences::new();
    for (fence, code) in [(5, 0), (5, 0), (9, 0), (8, 76), (5, 76), (9, 0), (u64::MAX, 0), (9, 76)] {
        let answer = fences.check(fence);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(code), ""), "{fence}: {}", answer.stderr);
    }
    let stale = fences.check(9).exits(76);
    for part in [KEY, &u64::MAX.to_string(), "9", "must have no effect"] {
        assert!(stale.stderr.contains(part), "it does not say {part}: {}", stale.stderr);
    }
}

#[test]
fn in_a_tool_it_needs_no_more_than_the_folder() {
    let fences = Fences::new();
    let run = |node: &str, index: Option<&str>, fence: &str| {
        let command = Command::antfarm(["fence", "--json"]).env("ANTFARM_FENCE_DIR", &fences.dir());
        let command = command.env("ANTFARM_GRAPH", "g").env("ANTFARM_NODE", node).env("ANTFARM_FENCE", fence);
        index.into_iter().fold(command, |command, index| command.env("ANTFARM_ARRAY_INDEX", index)).run()
    };
    let first = run("n", None, "7").exits(0);
    assert_eq!(first.json(), json!({"key": "g/n", "fence": 7, "admitted": true, "highest": 7}));
    let late = run("n", None, "6").exits(76);
    assert_eq!(late.json(), json!({"key": "g/n", "fence": 6, "admitted": false, "highest": 7}));
    assert_eq!(run("n", Some("0"), "1").exits(0).json()["key"], "g/n/0");
    assert_eq!(run("n", Some("1"), "1").exits(0).json()["key"], "g/n/1");
    assert_eq!(run("m", None, "1").exits(0).json()["key"], "g/m");
}

#[test]
fn what_makes_no_sense_is_a_matter_of_usage_and_never_no_fence() {
    let fences = Fences::new();
    let dir = fences.dir();
    let without_key = Command::antfarm(["fence", "--dir", &dir, "--fence", "5"]).run().exits(2);
    assert!(without_key.stderr.contains("--fence-key"), "{}", without_key.stderr);
    for fence in ["", "0", "-1", "1e3", "18446744073709551616", "soon"] {
        let command = Command::antfarm(["fence", "--dir", &dir, "--fence-key", KEY]).env("ANTFARM_FENCE", fence);
        let _ = command.run().exits(2);
    }
    let _ = Command::antfarm(["fence", "--dir", &dir, "--fence-key", "", "--fence", "5"]).run().exits(2);
    let long = "k".repeat(1_025);
    let _ = Command::antfarm(["fence", "--dir", &dir, "--fence-key", &long, "--fence", "5"]).run().exits(2);
}

#[test]
fn a_folder_that_nobody_made_is_an_error_and_nothing_runs() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("mount-point")).expect("it can be made");
    let effect = text(scratch.path("effect"));
    for name in ["mount-point", "nowhere"] {
        let dir = text(scratch.path(name));
        let arguments = ["fence", "--dir", &dir, "--fence-key", KEY, "--fence", "5", "--", "touch", &effect];
        let answer = Command::antfarm(arguments).run().exits(1);
        assert!(answer.stderr.contains("--init"), "{}", answer.stderr);
    }
    assert!(!scratch.path("effect").exists());
}

#[test]
fn a_damaged_record_is_an_error_and_nothing_runs() {
    let fences = Fences::new();
    let _ = fences.check(5).exits(0);
    let entries = std::fs::read_dir(fences.dir()).expect("a folder");
    let paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let record = paths.iter().find(|path| path.extension().is_some_and(|found| found == "fence")).expect("a record");
    std::fs::write(record, "").expect("it can be written");
    let effect = text(fences.scratch.path("effect"));
    let answer = fences.command(9, &[], &["touch", &effect]).run().exits(1);
    assert!(answer.stderr.contains("damaged") && answer.stderr.contains(".fence"), "{}", answer.stderr);
    assert!(!fences.scratch.path("effect").exists());
    assert_eq!(std::fs::read(record).expect("it is there"), b"", "it was mended without a word");
}

#[test]
fn keys_of_any_bytes_stay_inside_the_folder() {
    let fences = Fences::new();
    let dir = fences.dir();
    for key in ["../../escape", "/etc/passwd", "a\nb", "ключ", ".", "-- x", &"long/".repeat(200)] {
        for (fence, code) in [("5", 0), ("4", 76)] {
            let _ = Command::antfarm(["fence", "--dir", &dir, "--fence-key", key, "--fence", fence]).run().exits(code);
        }
    }
    let entries = std::fs::read_dir(fences.scratch.folder()).expect("a folder");
    assert_eq!(entries.count(), 1, "something stands beside the folder of fences");
}

#[test]
fn a_command_has_the_input_the_output_and_the_exit_status_of_its_own() {
    let fences = Fences::new();
    let run = fences.command(5, &[], &["sh", "-c", "tr a-z A-Z; exit 7"]).stdin("hello").run().exits(7);
    assert_eq!(run.stdout, "HELLO");
    let killed = fences.command(5, &[], &["sh", "-c", "kill -KILL $$"]).run();
    assert_eq!(killed.code, None, "it died of a signal");
    let missing = fences.command(5, &[], &["no-such-program"]).run().exits(2);
    assert!(missing.stderr.contains("no-such-program"), "{}", missing.stderr);
}

#[test]
fn a_stale_command_does_not_start_even_while_a_newer_one_runs() {
    let fences = Fences::new();
    let ran = text(fences.scratch.path("ran"));
    let newer = fences.command(9, &[], &["sh", "-c", "echo runs; exec sleep 613"]).start();
    wait_until("the newer command to run", SOON, || {
        ensure!(newer.stdout() == "runs\n", "it does not");
        Ok(())
    });
    let stale = fences.command(8, &["--wait", "10m"], &["touch", &ran]).within(SOON).run().exits(76);
    assert!(stale.stderr.contains('9'), "{}", stale.stderr);
    let busy = fences.command(10, &["--wait", "50ms"], &["touch", &ran]).run().exits(75);
    assert!(busy.stderr.contains("50ms") && busy.stderr.contains(KEY), "{}", busy.stderr);
    assert!(!fences.scratch.path("ran").exists());
    drop(newer);
    let _ = fences.command(10, &[], &["touch", &ran]).run().exits(0);
}

#[test]
fn the_lock_lasts_as_long_as_anything_that_the_command_left_behind() {
    let fences = Fences::new();
    // It works in the folder of the test, with which everything ends that does.
    let script = r#"cd "$1"; sleep 613 & echo runs; wait"#;
    let mut command = fences.command(5, &[], &["sh", "-c", script, "effect", &fences.dir()]).start();
    let child = wait_until("the command's child to run", SOON, || {
        ensure!(command.stdout() == "runs\n", "it does not");
        child_processes(command.pid()).pop().context("it has none")
    });
    command.kill();
    assert!(is_alive(child.0), "the child goes on");
    let _ = fences.command(6, &["--wait", "50ms"], &[]).run().exits(75);
    kill(child.0);
    let _ = fences.check(6).exits(0);
}

#[test]
fn of_eight_processes_with_random_fences_the_effects_never_go_back() {
    const PROCESSES: usize = 8;
    const EACH: usize = 25;
    let fences = Fences::new();
    let log = text(fences.scratch.path("log"));
    let script = r#"echo "begin $1" >> "$2"; echo "end $1" >> "$2""#;
    let admitted = std::thread::scope(|scope| {
        let processes = (0..PROCESSES).map(|process| {
            let (fences, log) = (&fences, &log);
            scope.spawn(move || {
                let mut dice = Dice::named(&format!("fences of process {process}"));
                let mut admitted = Vec::new();
                for round in 0..EACH {
                    let fence = u64::try_from(1 + 4 * round + dice.in_range(0..40)).expect("it is small");
                    let shown = fence.to_string();
                    let command = ["sh", "-c", script, "effect", &shown, log];
                    match fences.command(fence, &["--wait", "2m"], &command).run().code {
                        Some(0) => admitted.push(fence),
                        Some(76) => {}
                        code => panic!("{fence}: {code:?}"),
                    }
                }
                admitted
            })
        });
        let processes: Vec<_> = processes.collect();
        let admitted = processes.into_iter().flat_map(|process| process.join().expect("it ends"));
        admitted.collect::<Vec<u64>>()
    });
    let lines = fences.lines("log");
    let effects: Vec<u64> = lines.chunks(2).map(effect).collect();
    assert!(effects.is_sorted(), "an effect came after one of a newer attempt: {effects:?}");
    let mut expected = admitted;
    expected.sort_unstable();
    assert_eq!(effects, expected, "the effects are those of the commands that succeeded");
    let highest = *effects.last().expect("somebody was admitted");
    let _ = fences.check(highest - 1).exits(76);
    println!("{} of {} were admitted", effects.len(), PROCESSES * EACH);
}

/// The fence of an effect that nothing came into.
fn effect(lines: &[String]) -> u64 {
    let [begin, end] = lines else { panic!("half an effect: {lines:?}") };
    let of = |line: &str, word| line.strip_prefix(word).and_then(|fence| fence.parse::<u64>().ok());
    let fence = of(begin, "begin ").unwrap_or_else(|| panic!("two effects at once: {lines:?}"));
    assert_eq!(of(end, "end "), Some(fence), "two effects at once: {lines:?}");
    fence
}
