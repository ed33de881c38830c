//! What every source file keeps to.

use crate::repository::{files, nothing_is_wrong};

/// Lines that a file may have.
const MOST_LINES: usize = 500;

/// Files that are longer, with their lines today. A number here may only become smaller.
const LONGER: [(&str, usize); 0] = [];

/// Marks of what is not finished, each in two parts, so that this file does not hold them.
const UNFINISHED: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
];

/// Places of one machine.
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

#[test]
fn every_file_says_in_its_first_line_what_it_is() {
    let wrong = files().iter().filter(|file| file.is_rust()).filter(|file| {
        let first = file.text.lines().next().unwrap_or_default();
        !first.starts_with("//! ") || first.len() < "//! A few words.".len()
    });
    nothing_is_wrong("a file begins with `//! ` and a sentence", wrong.map(|file| file.path.clone()));
}

#[test]
fn no_file_is_longer_than_one_can_hold_in_mind() {
    let wrong = files().iter().filter(|file| file.is_rust()).filter_map(|file| {
        let lines = file.text.lines().count();
        let allowed = LONGER.iter().find(|(path, _)| *path == file.path).map_or(MOST_LINES, |(_, lines)| *lines);
        (lines > allowed).then(|| format!("{} has {lines} lines, and {allowed} are allowed", file.path))
    });
    nothing_is_wrong("divide it: one concept, one file", wrong);
}

#[test]
fn nothing_is_left_for_later() {
    let wrong = files().iter().filter(|file| file.is_rust()).flat_map(|file| {
        let lines = file.text.lines().enumerate();
        lines.filter_map(|(number, line)| {
            let mark = UNFINISHED.iter().find(|mark| line.contains(**mark))?;
            Some(format!("{}:{}: {mark}", file.path, number + 1))
        })
    });
    nothing_is_wrong("finish it, or open an issue", wrong);
}

#[test]
fn tests_are_sentences_that_run_and_do_not_sleep() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| file.is_rust()) {
        let is_test_file = file.path.starts_with("tests/") || file.path.contains("/tests/");
        for (number, code) in file.code() {
            let mut report = |what: &str| wrong.push(format!("{}:{number}: {what}", file.path));
            if code.contains(concat!("#[ig", "nore")) {
                report("a test that does not run");
            }
            if code.trim_start().starts_with(concat!("fn te", "st_")) {
                report("the name of a test is a sentence, without a prefix");
            }
            if is_test_file && code.contains(concat!("thread::sl", "eep(")) {
                report("wait on a condition");
            }
        }
    }
    nothing_is_wrong("a test is not as tests are here", wrong);
}

#[test]
fn nothing_names_a_place_of_one_machine() {
    let wrong = files().iter().flat_map(|file| {
        let lines = file.text.lines().enumerate();
        lines.filter_map(|(number, line)| {
            let place = MACHINE_PATHS.iter().find(|place| line.contains(**place))?;
            Some(format!("{}:{}: {place}", file.path, number + 1))
        })
    });
    nothing_is_wrong("name it relative to the repository", wrong);
}
