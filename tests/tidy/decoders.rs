//! Every file that reads bytes or texts of others stands in the table of decoders, and every target of it is there.
//!
//! Decoders are found by the words that they need. One that needs none of them is not found.

use std::collections::BTreeSet;

use crate::repository::{File, file, files, nothing_is_wrong};

const PAGE: &str = "crates/fuzzing/DESIGN.md";

/// What stands in a file that decodes.
const WORDS: [&str; 10] = [
    "antfarm_binary::decode",
    "serde_json::from_",
    "serde_json::Deserializer::from_",
    "toml::from_str",
    "parse::<Table>",
    "from_le_bytes",
    "from_be_bytes",
    "str::from_utf8(",
    "FromStr for ",
    "Deserialize<'de> for ",
];

/// Crates that ship nothing.
const NO_DECODERS: [&str; 2] = ["crates/testkit/", "crates/fuzzing/"];

/// A row: a file, and the targets that stand for it or why there are none.
fn rows() -> Vec<(&'static str, &'static str)> {
    let rows = file(PAGE).text.lines().filter_map(|line| line.strip_prefix("| `crates/")).map(|line| {
        let mut cells = line.split(" | ");
        let path = cells.next().unwrap_or_default().trim_end_matches('`');
        (path, cells.nth(1).unwrap_or_default())
    });
    rows.collect()
}

/// The names in a cell.
fn quoted(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('`').skip(1).step_by(2)
}

/// The targets that a file runs: the names that stand where a target is made, and the names of its tests.
fn targets(file: &File) -> impl Iterator<Item = &str> {
    let lines = file.text.lines().map(str::trim);
    lines.filter_map(|line| line.strip_prefix("fn ")?.split_once("() {")).map(|(name, _)| name)
}

fn is_fuzz(file: &File) -> bool {
    file.path.ends_with("/fuzz.rs") && !file.path.starts_with("chaos/")
}

/// Whether a file decodes, its tests set aside.
fn decodes(file: &File) -> bool {
    let mut code = file.code().map(|(_, code)| code).take_while(|code| *code != "mod tests {");
    code.any(|code| WORDS.iter().any(|word| code.contains(word)))
}

#[test]
fn every_decoder_stands_in_the_table() {
    let listed: BTreeSet<&str> = rows().into_iter().map(|(path, _)| path).collect();
    let decoders = files().iter().filter(|file| {
        let is_source = file.is_rust() && file.path.starts_with("crates/") && file.path.contains("/src/");
        let is_test = file.path.contains("tests") || is_fuzz(file) || file.path.contains("/fuzz/");
        is_source && !is_test && !NO_DECODERS.iter().any(|folder| file.path.starts_with(folder)) && decodes(file)
    });
    let missing = decoders.filter(|file| !listed.contains(file.path.trim_start_matches("crates/")));
    nothing_is_wrong(&format!("a decoder has no row in {PAGE}"), missing.map(|file| file.path.clone()));
}

#[test]
fn every_row_of_the_table_is_true() {
    let there: BTreeSet<&str> = files().iter().filter(|file| is_fuzz(file)).flat_map(targets).collect();
    let mut wrong = Vec::new();
    for (path, cell) in rows() {
        if !files().iter().any(|file| file.path.strip_prefix("crates/") == Some(path)) {
            wrong.push(format!("{path} is not there"));
        }
        wrong.extend(quoted(cell).filter(|name| !there.contains(name)).map(|name| format!("{path}: no target {name}")));
        if quoted(cell).next().is_none() && !cell.starts_with("none: ") {
            wrong.push(format!("{path} has neither a target nor a reason"));
        }
    }
    nothing_is_wrong(&format!("a row of {PAGE} is not true"), wrong);
}

#[test]
fn every_target_stands_in_the_table() {
    let listed: BTreeSet<&str> = rows().into_iter().flat_map(|(_, cell)| quoted(cell)).collect();
    let made = files().iter().filter(|file| is_fuzz(file)).flat_map(|file| {
        let tests = file.text.split("#[test]\nfn ").skip(1);
        tests.filter_map(|test| Some((file.path.as_str(), test.split_once("()")?.0)))
    });
    let missing = made.filter(|(_, name)| !listed.contains(name));
    nothing_is_wrong(&format!("a target is missing in {PAGE}"), missing.map(|(path, name)| format!("{path}: {name}")));
}
