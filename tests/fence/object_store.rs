//! The recipe for object stores, against a store that takes conditions atomically, and against an implementation of S3's
//! interface that is not ours.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use antfarm_testkit::{Dice, Ports, Scratch, wait_until};
use anyhow::ensure;

use crate::given::text;
use crate::recipe::{bounded, left_out, program, recipe};
use crate::store::Store;

const POINTER: &str = "/reports/daily";

/// A configuration of curl by which requests are signed, though with a secret that nobody checks.
const SIGNED: &str = "aws-sigv4 = \"aws:amz:us-east-1:s3\"\nuser = \"somebody:secret\"\n";

/// The script, and what it publishes.
struct Publisher {
    script: String,
    scratch: Scratch,
    config: PathBuf,
}

impl Publisher {
    /// None where there is no `curl`.
    fn new(config: &str) -> Option<Self> {
        program("curl")?;
        let scratch = Scratch::new();
        let script = text(scratch.write("publish", &recipe("publish")));
        let config = scratch.write("curl-config", config);
        Some(Self { script, scratch, config })
    }

    /// Publishes a text that is the same for each attempt but for its fence, and returns exit status and messages.
    fn publish(&self, url: &str, fence: u64) -> (Option<i32>, String) {
        let file = self.scratch.write(&format!("report-{fence}"), &format!("report of {fence}"));
        let mut command = bounded("sh".as_ref());
        command.arg(&self.script).arg(url).arg(file).env("STORE_CONFIG", &self.config);
        let output = command.env("ANTFARM_FENCE", fence.to_string()).output().expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn ends_with(&self, url: &str, fence: u64, code: i32) {
        let (found, message) = self.publish(url, fence);
        assert_eq!(found, Some(code), "{fence}: {message}");
    }
}

#[test]
fn a_lower_fence_publishes_nothing_and_the_same_fence_may_try_again() {
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    let url = store.url(POINTER);
    for (fence, code, pointer) in [(5, 0, "5"), (5, 0, "5"), (9, 0, "9"), (8, 76, "9"), (9, 0, "9"), (10, 0, "10")] {
        publisher.ends_with(&url, fence, code);
        let objects = store.objects();
        assert_eq!(objects.text(POINTER).as_deref(), Some(pointer), "after {fence}");
        assert_eq!(objects.text(&format!("{POINTER}.{pointer}")), Some(format!("report of {pointer}")));
    }
}

#[test]
fn who_is_overtaken_between_reading_and_writing_looks_again() {
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    store.objects().put(POINTER, b"3");
    for (other, fence, code, pointer) in [("4", 5, 0, "5"), ("7", 6, 76, "7"), ("8", 8, 0, "8")] {
        store.objects().overtaken = Some((POINTER.to_owned(), other.to_owned()));
        publisher.ends_with(&store.url(POINTER), fence, code);
        assert_eq!(store.objects().text(POINTER).as_deref(), Some(pointer));
    }
    assert_eq!(store.objects().refused, 3, "each was overtaken");
}

#[test]
fn of_two_that_find_nothing_there_the_second_looks_again() {
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    store.objects().overtaken = Some((POINTER.to_owned(), "7".to_owned()));
    publisher.ends_with(&store.url(POINTER), 6, 76);
    assert_eq!(store.objects().refused, 1);
}

#[test]
fn an_attempt_that_lost_its_answer_succeeds_when_it_tries_again() {
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    store.objects().answer_lost = Some(POINTER.to_owned());
    publisher.ends_with(&store.url(POINTER), 5, 75);
    assert_eq!(store.objects().text(POINTER).as_deref(), Some("5"), "the write was taken");
    publisher.ends_with(&store.url(POINTER), 5, 0);
    publisher.ends_with(&store.url(POINTER), 4, 76);
}

#[test]
fn what_is_no_pointer_is_left_alone() {
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    for foreign in ["", "five", "-5", "<html></html>"] {
        store.objects().put(POINTER, foreign.as_bytes());
        publisher.ends_with(&store.url(POINTER), 5, 1);
        assert_eq!(store.objects().text(POINTER).as_deref(), Some(foreign));
    }
}

#[test]
fn of_several_processes_with_random_fences_the_pointer_never_goes_back() {
    const PROCESSES: usize = 4;
    const EACH: usize = 10;
    let Some(publisher) = Publisher::new("") else { return };
    let store = Store::start();
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (publisher, store) = (&publisher, &store);
            scope.spawn(move || {
                let mut dice = Dice::named(&format!("fences of publisher {process}"));
                for round in 0..EACH {
                    let fence = u64::try_from(1 + 4 * round + dice.in_range(0..20)).expect("it is small");
                    let (code, message) = publisher.publish(&store.url(POINTER), fence);
                    assert!(matches!(code, Some(0 | 76)), "{fence}: {code:?}: {message}");
                }
            });
        }
    });
    let objects = store.objects();
    let pointers = objects.written.iter().filter(|(path, _)| path == POINTER);
    let pointers: Vec<u64> = pointers.map(|(_, fence)| fence.parse().expect("a fence")).collect();
    assert!(pointers.windows(2).all(|pair| pair[0] < pair[1]), "the pointer went back: {pointers:?}");
    println!("{} published, {} were overtaken", pointers.len(), objects.refused);
}

/// moto's server, ended when it is dropped.
struct Moto {
    child: Child,
    url: String,
    scratch: Scratch,
    _ports: Ports,
}

impl Moto {
    /// None where `ANTFARM_MOTO` does not name its program.
    fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("ANTFARM_MOTO") else {
            left_out("ANTFARM_MOTO does not name the program `moto_server`");
            return None;
        };
        let ports = Ports::take();
        let address = ports.http(1);
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.expect("ANTFARM_MOTO names a program");
        let scratch = Scratch::new();
        scratch.write("curl-config", SIGNED);
        let moto = Self { child, url: format!("http://{address}"), scratch, _ports: ports };
        wait_until("moto to take a bucket", Duration::from_mins(1), || {
            let made = moto.curl("/reports", &["--request", "PUT"]);
            ensure!(made.starts_with("HTTP/1.1 200"), "it said {made:?}");
            Ok(())
        });
        Some(moto)
    }

    /// The answer of a request, with its head.
    fn curl(&self, path: &str, arguments: &[&str]) -> String {
        let mut command = bounded("curl".as_ref());
        command.args(["--silent", "--include", "--config"]).arg(self.scratch.path("curl-config"));
        command.args(arguments).arg(format!("{}{path}", self.url));
        let output = command.output().expect("there is curl");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended by itself
        let _ = self.child.wait();
    }
}

#[test]
fn an_s3_interface_that_is_not_ours_understands_the_recipe() {
    let Some(publisher) = Publisher::new(SIGNED) else { return };
    let Some(moto) = Moto::start() else { return };
    let url = format!("{}{POINTER}", moto.url);
    for (fence, code, pointer) in [(5, 0, "5"), (5, 0, "5"), (9, 0, "9"), (8, 76, "9"), (9, 0, "9"), (10, 0, "10")] {
        publisher.ends_with(&url, fence, code);
        let found = moto.curl(POINTER, &[]);
        assert!(found.ends_with(&format!("\r\n\r\n{pointer}")), "after {fence}: {found}");
        let found = moto.curl(&format!("{POINTER}.{pointer}"), &[]);
        assert!(found.ends_with(&format!("\r\n\r\nreport of {pointer}")), "after {fence}: {found}");
    }
    for condition in ["If-None-Match: *", "If-Match: \"0123456789abcdef0123456789abcdef\""] {
        let refused = moto.curl(POINTER, &["--request", "PUT", "--data", "11", "--header", condition]);
        assert!(refused.starts_with("HTTP/1.1 412"), "{condition}: {refused}");
    }
}

#[test]
fn a_fence_in_metadata_leaves_no_trace_in_the_etag() {
    let Some(_) = program("curl") else { return };
    let Some(moto) = Moto::start() else { return };
    let etag = |fence: &str| {
        let fence = format!("x-amz-meta-fence: {fence}");
        let _ = moto.curl("/reports/same", &["--request", "PUT", "--data", "the same bytes", "--header", &fence]);
        let head = moto.curl("/reports/same", &["--head"]).to_ascii_lowercase();
        assert!(head.contains(&fence), "{head}");
        head.lines().find(|line| line.starts_with("etag:")).expect("it has one").to_owned()
    };
    assert_eq!(etag("5"), etag("7"), "then metadata could carry the fence, and the page is wrong");
}
