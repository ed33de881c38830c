//! The table of incidents names tests that exist, and few rows have none.

use std::collections::BTreeSet;

use crate::repository::{file, files, nothing_is_wrong};

const PAGE: &str = "docs/incidents.md";

/// Rows that may say why they have no test.
const MOST_WITHOUT_A_TEST: usize = 10;

/// A row: its number, and what shows that it does not happen here.
fn rows() -> Vec<(&'static str, &'static str)> {
    let cells = file(PAGE).text.lines().filter(|line| line.starts_with("| R")).map(|line| {
        let mut cells = line.trim_matches('|').split(" | ");
        let number = cells.next().unwrap_or_default().trim();
        (number, cells.last().unwrap_or_default())
    });
    cells.collect()
}

/// The tests that a row names as being there: pairs of a file and a function.
fn tests(shown_by: &'static str) -> Vec<(&'static str, &'static str)> {
    let quoted: Vec<&str> = shown_by.split('`').skip(1).step_by(2).collect();
    quoted.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default())).collect()
}

/// Whether a file has a test of that name.
fn is_there(path: &str, name: &str) -> bool {
    let Some(file) = files().iter().find(|file| file.path == path) else { return false };
    let mut lines = file.text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let is_test = line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        while is_test && lines.peek().is_some_and(|next| next.starts_with("#[")) {
            lines.next();
        }
        if is_test && lines.peek().is_some_and(|next| next.contains(&format!("fn {name}("))) {
            return true;
        }
    }
    false
}

#[test]
fn every_test_that_the_table_of_incidents_names_is_there() {
    let named = rows().into_iter().flat_map(|(row, shown_by)| tests(shown_by).into_iter().map(move |test| (row, test)));
    let missing = named.filter(|(_, (path, name))| !is_there(path, name));
    nothing_is_wrong("a test is missing", missing.map(|(row, (path, name))| format!("{row}: {path} {name}")));
}

#[test]
fn every_incident_has_a_test_or_says_which_feature_it_would_need() {
    let rows = rows();
    let numbers: BTreeSet<&str> = rows.iter().map(|(number, _)| *number).collect();
    assert!(numbers.len() == rows.len() && rows.len() > 40, "{} rows, {} numbers", rows.len(), numbers.len());
    let without: Vec<_> = rows.iter().filter(|(_, shown_by)| tests(shown_by).is_empty()).collect();
    assert!(without.len() <= MOST_WITHOUT_A_TEST, "{without:?}");
    let unsaid = without.iter().filter(|(_, shown_by)| !shown_by.contains("no test: "));
    nothing_is_wrong("a row has neither a test nor a reason", unsaid.map(|(number, _)| (*number).to_owned()));
}
