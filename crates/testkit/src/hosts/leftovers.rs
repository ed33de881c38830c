//! Networks of tests that were killed: known by the pid in their names, and swept up by the next test.

use std::fs;

use super::namespace::{FOLDER, Namespace};
use crate::is_alive;

const PREFIX: &str = "antfarm-";

/// How the namespaces of a network are named: after the process that it ends with, and its number there.
pub(super) fn prefix(pid: u32, number: u32) -> String {
    format!("{PREFIX}{pid}-{number}-")
}

/// Removes the networks of processes that are gone.
pub(super) fn sweep() {
    let Ok(entries) = fs::read_dir(FOLDER) else { return }; // there never was one
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| owner(name).is_some_and(|pid| !is_alive(pid))) {
        drop(Namespace::adopt(name));
    }
}

/// The process that a namespace should have ended with; nothing if it is not ours.
fn owner(name: &str) -> Option<i32> {
    let (pid, rest) = name.strip_prefix(PREFIX)?.split_once('-')?;
    let (number, _) = rest.split_once('-')?;
    number.parse::<u32>().ok()?;
    pid.parse().ok()
}
