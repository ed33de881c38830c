//! `antfarm --help`: the commands in the order in which one meets them, in groups.

use std::fmt::Write as _;

use clap::Command;

/// The commands, by what they are for.
pub(super) const GROUPS: [(&str, &[&str]); 5] = [
    ("Try it on this machine", &["dev"]),
    ("Graphs, from the file to the result", &["check", "submit", "graph", "node", "events"]),
    ("The cluster", &["cluster", "forager", "tool"]),
    ("In the scripts of tools", &["fence"]),
    ("Daemons, and this program", &["queen", "config", "bench", "completions", "version"]),
];

/// Cells for the name of a command.
const NAME: usize = 13;

/// The command line, whose help shows its commands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{heading}{title}:{heading:#}"); // a String takes all
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:NAME$}{literal:#}{about}"); // a String takes all
        }
        text.push('\n');
    }
    let _ = write!(text, "{heading}Options of every command:{heading:#}\n{{options}}{{after-help}}"); // a String takes all
    text
}
