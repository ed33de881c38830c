//! What pages there are, and that the README's commands are what a newcomer and the continuous checks run.

use crate::repository::{file, files, nothing_is_wrong, root};

/// Pages and files that must be there.
const EXPECTED: [&str; 23] = [
    ".ci/run",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "chaos/README.md",
    "crates/forager/DESIGN.md",
    "crates/protocol/DESIGN.md",
    "crates/replication/DESIGN.md",
    "crates/scheduler/DESIGN.md",
    "deploy/antfarm-forager.service",
    "deploy/antfarm-queen.service",
    "docs/ARCHITECTURE.md",
    "docs/decisions/0001-openraft.md",
    "docs/decisions/0002-sled.md",
    "docs/decisions/0003-bincode.md",
    "docs/decisions/0006-segments.md",
    "docs/deploy.md",
    "docs/first-hour.md",
    "docs/incidents.md",
    "examples/README.md",
];

/// The map fits into a head.
const MOST_LINES_OF_ARCHITECTURE: usize = 200;

/// The commands in a page's fenced blocks, as checks find them: lines that begin like one.
fn commands(page: &str) -> Vec<&'static str> {
    let mut is_inside = false;
    let mut commands = Vec::new();
    for line in file(page).text.lines() {
        if line.starts_with("```") {
            is_inside = !is_inside;
        } else if is_inside && ["cargo", "./", "bash"].iter().any(|begin| line.starts_with(begin)) {
            commands.push(line);
        }
    }
    commands
}

#[test]
fn every_page_is_there() {
    let missing = EXPECTED.iter().filter(|path| !root().join(path).is_file());
    nothing_is_wrong("it is expected and missing", missing.map(ToString::to_string));
}

#[test]
fn the_readme_has_two_commands_for_a_fresh_machine() {
    let commands = commands("README.md");
    let [run, tests] = commands[..] else { panic!("there are two set-up commands: {commands:?}") };
    assert!(run.starts_with("cargo run ") && run.contains(" dev ") && run.contains("--exec "), "{run}");
    let named = run.split_whitespace().filter(|word| word.contains("examples/"));
    let missing: Vec<&str> = named.clone().filter(|path| !root().join(path).is_file()).collect();
    assert!(named.count() >= 2 && missing.is_empty(), "the first command runs what ships: {run}");
    assert!(tests.starts_with("cargo test") || tests.starts_with("./") || tests.starts_with("bash"), "{tests}");
}

#[test]
fn continuous_checks_run_the_tests_as_the_readme_says() {
    assert!(file(".ci/run").text.contains("README.md"), ".ci/run takes its test command from the README");
}

#[test]
fn the_map_is_short() {
    let lines = file("docs/ARCHITECTURE.md").text.lines().count();
    assert!(lines <= MOST_LINES_OF_ARCHITECTURE, "it has {lines} lines, and {MOST_LINES_OF_ARCHITECTURE} are allowed");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let pages = files().iter().filter(|file| file.has_extension("md"));
    let wrong = pages.flat_map(|page| {
        let folder = root().join(&page.path);
        let folder = folder.parent().expect("a page stands in a folder").to_owned();
        let links = page.text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
        let inner = links.filter(|link| !link.is_empty() && !link.contains("://"));
        let broken = inner.filter(move |link| !folder.join(link).exists());
        broken.map(|link| format!("{}: {link}", page.path)).collect::<Vec<_>>()
    });
    nothing_is_wrong("a link leads nowhere", wrong);
}
