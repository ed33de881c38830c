//! The recipes for SQL, in SQLite's own command line.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use antfarm_testkit::{Dice, Scratch};

use crate::recipe::{bounded, program, recipe};

/// Each statement waits so long for other processes.
const BUSY_MS: u32 = 30_000;

const PROCESSES: usize = 4;

/// A database with the tables of the recipes, and something to have effects on.
struct Database {
    sqlite: PathBuf,
    file: PathBuf,
    _scratch: Scratch,
}

impl Database {
    /// None where there is no `sqlite3`.
    fn new() -> Option<Self> {
        let sqlite = program("sqlite3")?;
        let scratch = Scratch::new();
        let database = Self { sqlite, file: scratch.path("database"), _scratch: scratch };
        database.run(&recipe("sql-tables"));
        database.run(
            "CREATE TABLE report (name TEXT PRIMARY KEY, body TEXT);
             INSERT INTO report VALUES ('daily', 'nothing');
             CREATE TABLE history (place INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);
             CREATE TRIGGER keep AFTER UPDATE ON report BEGIN INSERT INTO history (body) VALUES (new.body); END;
             CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER);
             INSERT INTO account VALUES (1, 0);",
        );
        Some(database)
    }

    /// Gives a text to `sqlite3`, and returns the lines of its answer.
    fn run(&self, text: &str) -> Vec<String> {
        session(&self.sqlite, &self.file, text)
    }
}

fn session(sqlite: &Path, file: &Path, text: &str) -> Vec<String> {
    let mut command = bounded(sqlite);
    command.args(["-batch", "-bail"]).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be run");
    let input = format!(".timeout {BUSY_MS}\n.parameter init\n{text}\n");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{}: {errors}\n{text}", output.status);
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// The fenced overwrite by an attempt, whose body is its fence.
fn overwrite(fence: u64) -> String {
    format!(
        ".parameter set :key \"'nightly/report'\"\n.parameter set :fence {fence}\n.parameter set :name \"'daily'\"\n\
         .parameter set :body \"'{fence}'\"\n{}",
        recipe("sql-fenced")
    )
}

fn addition(idempotency_key: &str, result: &str) -> String {
    format!(
        ".parameter set :idempotency_key \"'{idempotency_key}'\"\n.parameter set :result \"'{result}'\"\n\
         .parameter set :amount 10\n.parameter set :account 1\n{}",
        recipe("sql-once")
    )
}

#[test]
fn an_overwrite_with_a_lower_fence_changes_nothing_and_the_same_fence_may_try_again() {
    let Some(database) = Database::new() else { return };
    for (fence, seen, body) in
        [(5, "5", "5"), (5, "5", "5"), (9, "9", "9"), (8, "9", "9"), (9, "9", "9"), (10, "10", "10")]
    {
        assert_eq!(database.run(&overwrite(fence)), [seen], "the fence that came back to {fence}");
        assert_eq!(database.run("SELECT body FROM report;"), [body], "after {fence}");
    }
    let most = u64::MAX >> 1;
    assert_eq!(database.run(&overwrite(most)), [most.to_string()]);
}

#[test]
fn of_several_processes_with_random_fences_the_overwrites_never_go_back() {
    const EACH: usize = 40;
    let Some(database) = Database::new() else { return };
    let admitted: usize = std::thread::scope(|scope| {
        let processes: Vec<_> = (0..PROCESSES)
            .map(|process| {
                let database = &database;
                scope.spawn(move || {
                    let mut dice = Dice::named(&format!("fences of SQL process {process}"));
                    let draw = |round: usize| u64::try_from(1 + 4 * round + dice.in_range(0..40)).expect("it is small");
                    let fences: Vec<u64> = (0..EACH).map(draw).collect();
                    let text: String = fences.iter().map(|fence| overwrite(*fence)).collect();
                    let seen = database.run(&text);
                    assert_eq!(seen.len(), EACH);
                    seen.iter().zip(fences).filter(|(seen, fence)| **seen == fence.to_string()).count()
                })
            })
            .collect();
        processes.into_iter().map(|process| process.join().expect("it ends")).sum()
    });
    let history = database.run("SELECT body FROM history ORDER BY place;");
    let history: Vec<u64> = history.iter().map(|body| body.parse().expect("a fence")).collect();
    assert!(history.is_sorted(), "an overwrite came after one of a newer attempt: {history:?}");
    assert_eq!(history.len(), admitted, "who was told that it is the newest had its effect, and nobody else");
    println!("{admitted} of {} were admitted", PROCESSES * EACH);
}

#[test]
fn an_addition_happens_once_whichever_attempts_there_are() {
    const INSTANCES: usize = 10;
    let Some(database) = Database::new() else { return };
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let database = &database;
            scope.spawn(move || {
                let attempt = |instance| addition(&format!("bill@7/pay/{instance}"), &format!("by {process}"));
                let text: String = (0..INSTANCES).map(attempt).collect();
                database.run(&text)
            });
        }
    });
    assert_eq!(database.run("SELECT balance FROM account;"), [(10 * INSTANCES).to_string()]);
    let first = database.run("SELECT result FROM antfarm_done WHERE idempotency_key = 'bill@7/pay/0';");
    assert_eq!(database.run(&addition("bill@7/pay/0", "by somebody late")), first, "the result is the first one's");
}
