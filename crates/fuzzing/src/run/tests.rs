//! A run must be able to fail, in each of its ways.

use std::time::Duration;

use super::*;

fn outcome(
    target: Target,
    decode: impl Fn(&[u8]) -> Option<Vec<u8>> + Sync,
    promises: impl Fn(&[u8], Vec<u8>) + Sync,
) -> Result<String, String> {
    let session = Session { seed: 7, cases: 3_000, within: Duration::from_mins(1), trace: None };
    let run = Run::of(target, session, &decode, &promises);
    run.all().inspect_err(|failure| {
        let kept = failure.split_once("kept: ").and_then(|(_, rest)| rest.split_once(", for"));
        let _ = kept.map(|(path, _)| std::fs::remove_file(path));
    })
}

fn target() -> Target {
    Target::new(env!("CARGO_MANIFEST_DIR"), "nothing").sample("ab")
}

#[test]
fn a_decoder_that_copies_its_input_passes() {
    let told = outcome(target(), |bytes| Some(bytes.to_vec()), |bytes, read| assert_eq!(bytes, read));
    assert!(told.as_ref().is_ok_and(|line| line.starts_with("fuzzed nothing: 3003 inputs, 3003 accepted")), "{told:?}");
}

#[test]
fn a_panic_is_found_with_its_smallest_input() {
    let decode = |bytes: &[u8]| {
        assert!(!bytes.contains(&0xff), "unexpected");
        Some(Vec::new())
    };
    let failure = outcome(target(), decode, |_, _| ()).expect_err("it panics");
    assert!(failure.contains("panicked: unexpected\n  input: 1 bytes: \\xff"), "{failure}");
}

#[test]
fn memory_that_the_input_does_not_account_for_is_found() {
    let decode = |bytes: &[u8]| Some(vec![0; if bytes.first() == Some(&b'b') { 70_000 } else { 60_000 }]);
    let failure = outcome(target(), decode, |_, _| ()).expect_err("it takes more than 64 KiB");
    assert!(failure.contains("held 70000 bytes at once, and its input accounts for 65538"), "{failure}");
    let decode = |bytes: &[u8]| Some(vec![0; bytes.len() * 3]);
    let failure = outcome(target().dense(|elements| vec![b'x'; elements]), decode, |_, _| ());
    assert!(failure.is_err_and(|failure| failure.contains("at once")));
    let told = outcome(target().dense(|elements| vec![b'x'; elements]).takes(3), decode, |_, _| ());
    assert!(told.as_ref().is_ok_and(|line| line.contains("memory 2.8 times the input of 3 allowed")), "{told:?}");
}

#[test]
fn a_broken_promise_is_found() {
    let promises = |bytes: &[u8], _| assert_ne!(bytes.len(), 7, "seven");
    let failure = outcome(target(), |_| Some(Vec::new()), promises).expect_err("seven bytes come soon");
    assert!(failure.contains("does not keep a promise: ") && failure.contains("seven"), "{failure}");
}

#[test]
#[should_panic(expected = "a sample is refused: ab")]
fn a_sample_that_is_refused_is_no_sample() {
    let _ = outcome(target(), |_| None, |_, _| ());
}
