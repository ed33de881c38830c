//! An attempt whose forager stood still comes late to the fence, in a cluster, with the tool of `docs/fencing.md`.
//!
//! The tool is declared `idempotent`, because such attempts go on whatever becomes of their forager. A late attempt of a
//! `guarded` tool is killed, and then the fence has nothing to refuse.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use antfarm_testkit::{Cluster, Scratch, binary, wait_until};
use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::given::text;
use crate::recipe::recipe;

/// Whatever is waited for here comes within this time, on a machine that has other things to do, too.
const WITHIN: Duration = Duration::from_mins(2);

/// Short, for who waits until it is over.
const SHORT_LEASE_MS: u64 = 2_000;

/// Long enough that nobody is lost.
const LONG_LEASE_MS: u64 = 60_000;

/// The tool, in a cluster of two foragers. Each attempt stands still before its fence, and behind it, until the test
/// lets it go on.
struct Publishing {
    cluster: Cluster,
    scratch: Scratch,
}

impl Publishing {
    fn start(lease_ms: u64) -> Self {
        let scratch = Scratch::new();
        let programs = scratch.path("programs");
        std::fs::create_dir(&programs).expect("it can be made");
        slow_program(&scratch, &programs.join("antfarm"));
        let preamble = format!(
            "PATH='{}':$PATH REPORTS='{}'\nexport PATH REPORTS\n",
            programs.display(),
            scratch.folder().display()
        );
        let lease = format!("[lease]\nttl = \"{lease_ms}ms\"\nheartbeat = \"200ms\"\n");
        let spec = Cluster::spec().foragers(2).queen_settings(&lease);
        let cluster = spec.script("publish", &(preamble + &recipe("tool"))).start();
        let manifest = json!({"cost_class": "io", "effects": "idempotent", "retries": 0});
        let answer = cluster.leader().http().put("/v1/tools/publish", &manifest.to_string());
        answer.and_then(|answer| answer.ok()).expect("it is taken");
        cluster.submit(&json!({"id": "news", "nodes": {"only": {"tool": "publish", "args": "late news"}}}));
        Self { cluster, scratch }
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.scratch.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until so many attempts stand before the fence, and returns the fence of the newest.
    fn standing(&self, attempts: usize) -> String {
        wait_until(&format!("{attempts} attempts before the fence"), WITHIN, || {
            let standing = self.lines("standing");
            ensure!(standing.len() == attempts, "these are: {standing:?}");
            Ok(standing[attempts - 1].clone())
        })
    }

    /// Lets an attempt go on, past the fence or from behind it.
    fn release(&self, place: &str, fence: &str) {
        self.scratch.write(&format!("{place}-{fence}"), "");
    }

    /// Waits until the fence has answered so often, and returns `FENCE STATUS` of each.
    fn answers(&self, count: usize) -> Vec<String> {
        wait_until(&format!("{count} answers of the fence"), WITHIN, || {
            let answers = self.lines("answers");
            ensure!(answers.len() == count, "these came: {answers:?}");
            Ok(answers)
        })
    }

    fn attempt(&self, fence: &str) -> anyhow::Result<Value> {
        let listed = self.cluster.get("/v1/graphs/news/nodes/only/attempts")?.ok()?;
        let attempts = listed["attempts"].as_array().context("no list of attempts")?;
        let found = attempts.iter().find(|attempt| attempt["fence"].as_u64() == fence.parse().ok());
        Ok(found.with_context(|| format!("no attempt {fence} among {attempts:?}"))?.clone())
    }

    fn forager_is(&self, name: &str, wanted: &str) {
        wait_until(&format!("{name} to be {wanted}"), WITHIN, || {
            let forager = self.cluster.get(&format!("/v1/foragers/{name}"))?.ok()?;
            ensure!(forager["state"] == wanted, "it is {}", forager["state"]);
            Ok(())
        });
    }

    /// Stops the forager of an attempt, and returns its name.
    fn stop_the_forager_of(&self, fence: &str) -> String {
        let attempt = self.attempt(fence).expect("it is open");
        let name = attempt["forager"].as_str().expect("it has a forager").to_owned();
        self.cluster.forager_named(&name).pause();
        name
    }

    fn published(&self) -> String {
        std::fs::read_to_string(self.scratch.path("report")).expect("something was published")
    }
}

/// `antfarm` for the tool: the real one, but slow. The folder of fences is made with it, too.
fn slow_program(scratch: &Scratch, path: &Path) {
    let here = scratch.folder().display();
    let real = binary().display();
    let script = format!(
        "#!/bin/sh\necho \"$ANTFARM_FENCE\" >> '{here}/standing'\n\
         until [ -e \"{here}/before-$ANTFARM_FENCE\" ]; do sleep 0.02; done\n\
         '{real}' \"$@\"; status=$?\n\
         echo \"$ANTFARM_FENCE $status\" >> '{here}/answers'\n\
         until [ -e \"{here}/behind-$ANTFARM_FENCE\" ]; do sleep 0.02; done\nexit $status\n"
    );
    std::fs::write(path, script).expect("it can be written");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("it can be made a program");
    let folder_of_binary = text(binary().parent().expect("a binary stands in a folder").to_owned());
    let mut made = Command::new("sh");
    made.args(["-euc", &recipe("folder")]).env("REPORTS", scratch.folder());
    let path = format!("{folder_of_binary}:{}", std::env::var("PATH").unwrap_or_default());
    let made = made.env("PATH", path).output().expect("there is a shell");
    assert!(made.status.success(), "the recipe `folder` ended with {made:?}");
}

#[test]
fn an_attempt_that_is_later_than_its_lease_is_refused_and_changes_nothing() {
    let publishing = Publishing::start(SHORT_LEASE_MS);
    let late = publishing.standing(1);
    let forager = publishing.stop_the_forager_of(&late);
    let newer = publishing.standing(2);
    publishing.forager_is(&forager, "lost");
    publishing.release("before", &newer);
    publishing.release("behind", &newer);
    publishing.cluster.wait_for_success("news", WITHIN);
    assert_eq!(publishing.published(), "\"LATE NEWS\"");

    publishing.release("before", &late);
    publishing.release("behind", &late);
    assert_eq!(publishing.answers(2), [format!("{newer} 0"), format!("{late} 76")]);
    let left = |fence: &str| publishing.scratch.path(&format!(".next.{fence}")).exists();
    assert_eq!((left(&newer), left(&late)), (false, true), "what the late attempt made was never moved");
    publishing.cluster.forager_named(&forager).resume();
    publishing.forager_is(&forager, "ready");
}

#[test]
fn an_attempt_that_comes_late_is_shown_as_refused_by_the_fence() {
    let publishing = Publishing::start(LONG_LEASE_MS);
    let late = publishing.standing(1);
    let forager = publishing.stop_the_forager_of(&late);
    let newer = publishing.standing(2);
    publishing.release("before", &newer);
    publishing.answers(1);
    publishing.cluster.forager_named(&forager).resume();
    publishing.release("before", &late);
    publishing.release("behind", &late);
    let closed = wait_until("the late attempt to be closed", WITHIN, || {
        let attempt = publishing.attempt(&late)?;
        ensure!(attempt["state"] == "failed", "it is {attempt}");
        Ok(attempt)
    });
    assert_eq!(closed["manner"], "fenced", "{closed}");
    let message = closed["message"].as_str().expect("a failure has a message");
    assert!(message.contains("refused by the fence") && message.contains(&newer), "{message}");
    publishing.release("behind", &newer);
    publishing.cluster.wait_for_success("news", WITHIN);
    assert_eq!(publishing.published(), "\"LATE NEWS\"");
}
