//! Every command says what it is for and shows examples, and every example, here and in the pages, is a command line that
//! this program takes.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use super::overview::GROUPS;
use super::shell::calls;
use crate::cli::Cli;

/// What a terminal of eighty columns shows in one line.
const MOST_COLUMNS: usize = 78;

/// All commands that people see, with their paths (`antfarm graph show`).
fn commands() -> Vec<(String, Command)> {
    fn collect(command: &Command, path: &str, all: &mut Vec<(String, Command)>) {
        let path = format!("{path} {}", command.get_name()).trim_start().to_owned();
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help");
        visible.for_each(|one| collect(one, &path, all));
        all.push((path, command.clone()));
    }
    let mut all = Vec::new();
    collect(&Cli::command(), "", &mut all);
    all
}

fn after_help(command: &Command) -> String {
    command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
}

/// The lines below a title, up to the next one.
fn section<'t>(text: &'t str, title: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| line.is_empty() || line.starts_with(' ')).filter(|line| !line.is_empty()).collect()
}

/// Nothing, if this program takes it. What a forager puts into the environment of tools is there.
fn fault(call: &[String]) -> Option<String> {
    let mut given = call.to_vec();
    if given.get(1).is_some_and(|command| command == "fence") && !call.iter().any(|word| word == "--init") {
        given.splice(2..2, ["--fence".to_owned(), "1".to_owned()]);
    }
    match Cli::command().try_get_matches_from(given) {
        Ok(_) => None,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => None,
        Err(error) => Some(format!("{}: {error}", call.join(" "))),
    }
}

#[test]
fn every_command_says_what_it_is_for_and_shows_an_example_of_itself() {
    for (path, command) in commands() {
        let (about, long) = (command.get_about().map(ToString::to_string), command.get_long_about());
        assert!(about.is_some(), "{path} has no sentence about it");
        let is_described = long.is_some_and(|long| Some(long.to_string()) != about);
        assert!(is_described || command.has_subcommands(), "{path} has no description");
        let examples = section(&after_help(&command), "Examples:").join("\n");
        assert!(examples.contains(&path), "{path} --help shows no example of it");
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            assert!(argument.get_help().is_some(), "{path}: {} has no help", argument.get_id());
        }
    }
}

#[test]
fn every_command_that_runs_tells_its_exit_status_and_what_to_see_also() {
    for (path, command) in commands() {
        let text = after_help(&command);
        assert!(command.has_subcommands() || !section(&text, "Exit status:").is_empty(), "{path} tells no exit status");
        let also = section(&text, "See also:");
        assert!(!also.is_empty(), "{path} tells nothing to see also");
        let named = also.iter().flat_map(|line| line.split(',')).map(str::trim);
        for name in named.filter_map(|name| name.strip_prefix("antfarm ")) {
            let words = name.split_whitespace().take_while(|word| !word.starts_with(['-', '(']));
            let root = Cli::command();
            let found = words.clone().try_fold(&root, |command, word| command.find_subcommand(word));
            assert!(found.is_some() || name == "help", "{path}: see also {name}, which is no command");
        }
    }
}

#[test]
fn every_example_is_a_command_line_that_this_program_takes() {
    for (path, command) in commands() {
        for line in section(&after_help(&command), "Examples:") {
            for call in calls(line) {
                assert_eq!(fault(&call), None, "{path}: {line}");
            }
        }
    }
}

#[test]
fn texts_fit_into_a_terminal_without_being_broken() {
    for (path, command) in commands() {
        for line in after_help(&command).lines() {
            assert!(line.chars().count() <= MOST_COLUMNS, "{path}: {line}");
        }
    }
}

#[test]
fn no_text_is_left_without_a_command() {
    let names: Vec<String> = commands()
        .into_iter()
        .map(|(path, _)| path.strip_prefix("antfarm ").unwrap_or("antfarm").replace(' ', "-"))
        .collect();
    for text in files("crates/cli/src/help", "txt") {
        let stem = text.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(names.contains(&stem), "{} belongs to no command", text.display());
    }
}

#[test]
fn every_command_of_the_pages_and_of_the_examples_is_one_that_this_program_takes() {
    let pages =
        [vec![root().join("README.md")], files("docs", "md"), files("examples", "md"), files("examples", "yaml")];
    let mut checked = 0;
    for page in pages.concat() {
        let text = fs::read_to_string(&page).expect("a page can be read");
        for line in text.lines() {
            let line = line.trim_start_matches(['#', ' ', '$']);
            let line =
                line.split_once(" --bin antfarm -- ").map_or(line.to_owned(), |(_, call)| format!("antfarm {call}"));
            for call in calls(&line).into_iter().filter(|_| line.starts_with("antfarm ")) {
                checked += 1;
                assert_eq!(fault(&call), None, "{}: {line}", page.display());
            }
        }
    }
    assert!(checked > 20, "only {checked} commands were found");
}

#[test]
fn the_overview_has_every_command_once() {
    let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    grouped.sort_unstable();
    let command = Cli::command();
    let visible = command.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name);
    let mut visible: Vec<&str> = visible.filter(|name| *name != "help").collect();
    visible.sort_unstable();
    assert_eq!(grouped, visible);
    let help = super::grouped(Cli::command()).render_help().to_string();
    assert!(visible.iter().all(|name| help.contains(&format!("\n  {name} "))), "{help}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder that end so, in their order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    found.sort();
    found
}
