//! What crates may depend on, and what they may name.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{Package, file, files, nothing_is_wrong, packages};

/// What each crate may depend on within the workspace, its tests set aside; nothing points back.
const MAY_DEPEND_ON: [(&str, &[&str]); 16] = [
    ("binary", &[]),
    ("fuzzing", &[]),
    ("planted", &[]),
    ("model", &[]),
    ("env", &[]),
    ("scheduler", &["binary", "model", "planted"]),
    ("protocol", &["binary", "model"]),
    ("storage", &["model", "planted"]),
    ("replication", &["binary", "env", "model", "planted", "scheduler", "storage"]),
    ("queen", &["env", "model", "planted", "protocol", "replication", "scheduler", "storage"]),
    ("forager", &["binary", "env", "model", "planted", "protocol", "storage"]),
    ("client", &["env", "model", "planted", "protocol"]),
    ("cli", &["client", "env", "forager", "model", "queen", "replication", "scheduler", "storage"]),
    ("testkit", &["client", "env", "forager", "model", "queen"]),
    ("tests", &[]),
    (
        "chaos",
        &[
            "client",
            "env",
            "forager",
            "model",
            "planted",
            "protocol",
            "queen",
            "replication",
            "scheduler",
            "storage",
            "testkit",
        ],
    ),
];

/// Libraries that only one crate names.
const ONLY_IN: [(&str, &str); 4] =
    [("bincode", "binary"), ("openraft", "replication"), ("openraft-rt-tokio", "replication"), ("sled", "storage")];

/// Crates that are pure.
const PURE: [&str; 4] = ["binary", "model", "protocol", "scheduler"];

/// What a pure crate has no use for: libraries…
const IMPURE_LIBRARIES: [&str; 8] = ["axum", "hyper", "openraft", "rand", "rustix", "sled", "tokio", "tracing"];

/// … and names.
const IMPURE_NAMES: [&str; 9] =
    ["Instant", "SystemTime", "std::fs", "std::net", "std::thread", "std::env", "HashMap", "HashSet", "println!"];

/// Crates whose clocks, tasks and sockets a test must be able to replace.
const UNDER_CONTROL: [&str; 4] = ["client", "forager", "queen", "replication"];

/// What they have `Env` and `Net` for.
const UNCONTROLLED_NAMES: [&str; 6] = [
    "std::time::Instant",
    "SystemTime::now",
    "tokio::spawn",
    "TcpStream::connect",
    "TcpListener::bind",
    "std::thread::spawn",
];

#[test]
fn crates_depend_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_DEPEND_ON.into();
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, allowed.keys().copied().collect(), "the table above lists all crates");
    let wrong = packages.iter().flat_map(|package| {
        let inner = package.own_dependencies().filter_map(|(name, _)| name.strip_prefix("antfarm-"));
        let forbidden = inner.filter(|name| !allowed[package.name.as_str()].contains(name));
        forbidden.map(|name| format!("{} depends on {name}", package.name)).collect::<Vec<_>>()
    });
    nothing_is_wrong("a crate depends on one that it must not know", wrong);
}

#[test]
fn one_crate_alone_names_the_consensus_one_the_store_and_one_the_encoding() {
    let wrong = packages().into_iter().flat_map(|package| {
        let foreign =
            ONLY_IN.into_iter().filter(|(library, home)| package.name != *home && depends_on(&package, library));
        foreign
            .map(|(library, home)| format!("{} depends on {library}, which only {home} may", package.name))
            .collect::<Vec<_>>()
    });
    nothing_is_wrong("a library is named outside the crate that hides it", wrong);
}

#[test]
fn pure_crates_have_no_clock_no_socket_no_disk_and_no_log() {
    let mut wrong = Vec::new();
    for package in packages().into_iter().filter(|package| PURE.contains(&package.name.as_str())) {
        let libraries = IMPURE_LIBRARIES.into_iter().filter(|library| depends_on(&package, library));
        wrong.extend(libraries.map(|library| format!("{} depends on {library}", package.name)));
        wrong.extend(named_in(&package, &IMPURE_NAMES));
    }
    nothing_is_wrong("a pure crate names what is not pure", wrong);
}

#[test]
fn clocks_tasks_and_sockets_come_from_env_and_net() {
    let packages = packages();
    let under_control = packages.iter().filter(|package| UNDER_CONTROL.contains(&package.name.as_str()));
    nothing_is_wrong(
        "a process reaches around `Env` and `Net`, so no test can replace what it gets",
        under_control.flat_map(|package| named_in(package, &UNCONTROLLED_NAMES)),
    );
}

#[test]
fn only_cli_has_a_binary_that_ships() {
    let with_binaries: Vec<String> = packages()
        .into_iter()
        .filter(|package| files().iter().any(|file| file.path == format!("{}/src/main.rs", package.folder)))
        .map(|package| package.name)
        .collect();
    assert_eq!(with_binaries, ["chaos", "cli"]);
}

#[test]
fn versions_of_dependencies_stand_in_the_workspace_only() {
    let wrong = packages().into_iter().flat_map(|package| {
        let own = package.dependencies().filter(|(_, value)| value.get("workspace").is_none());
        own.map(|(name, _)| format!("{}: {name}", package.name)).collect::<Vec<_>>()
    });
    nothing_is_wrong("write NAME.workspace = true", wrong);
}

#[test]
fn the_lints_of_the_workspace_hold_in_every_crate() {
    let without = packages().into_iter().filter(|package| {
        package.manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool()) != Some(true)
    });
    nothing_is_wrong("write [lints] workspace = true", without.map(|package| package.name));
}

#[test]
fn every_dependency_is_used() {
    let root: toml::Table = file("Cargo.toml").text.parse().expect("it is TOML");
    let declared = root["workspace"]["dependencies"].as_table().expect("it is a table");
    let packages = packages();
    let unused = declared.keys().filter(|name| !packages.iter().any(|package| depends_on(package, name)));
    let mut wrong: Vec<String> = unused.map(|name| format!("no crate depends on {name}")).collect();
    for package in &packages {
        let unnamed = package.dependencies().filter(|(name, _)| {
            let name = name.replace('-', "_");
            !package.sources().any(|file| file.code().any(|(_, code)| contains_word(code, &name)))
        });
        wrong.extend(unnamed.map(|(name, _)| format!("{} depends on {name} and does not name it", package.name)));
    }
    nothing_is_wrong("a dependency has no use", wrong);
}

fn depends_on(package: &Package, name: &str) -> bool {
    package.dependencies().any(|(dependency, _)| dependency == name)
}

/// Where the sources of a crate name one of these, tests excepted.
fn named_in(package: &Package, names: &[&str]) -> Vec<String> {
    let sources = package
        .sources()
        .filter(|file| file.path.starts_with(&format!("{}/src/", package.folder)) && !file.path.contains("tests"));
    let mut found = Vec::new();
    for file in sources {
        for (number, code) in file.code().take_while(|(_, code)| !code.starts_with("#[cfg(test)]")) {
            let named = names.iter().filter(|name| contains_word(code, name));
            found.extend(named.map(|name| format!("{}:{number}: {name}", file.path)));
        }
    }
    found
}

/// Whether a name stands in a text, and not as a part of a longer one.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let behind = text[at + name.len()..].chars().next().is_some_and(is_part);
        !before && !behind
    })
}
