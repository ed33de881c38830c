//! The binary `antfarm`: a cluster's daemons, and all that people do with it from a shell.

mod bench;
mod body;
mod cli;
mod commands;
mod connection;
mod console;
mod conversion_args;
mod daemon;
mod dev;
mod exit;
mod fate;
mod faults;
mod fence;
#[cfg(test)]
mod fuzz;
mod graph_file;
mod help;
mod hints;
mod huge_pages;
mod interrupts;
mod programs;
mod source;
mod table;
mod tools_file;
mod watch;
mod wfformat;
mod words;

use std::process::ExitCode;

use cli::Cli;
use exit::Exit;

/// Faster than the system's where many threads take and give small pieces (docs/decisions/0008-jemalloc.md).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    if commands::keeper::is_sentry() {
        return commands::keeper::Sentry::run().into();
    }
    let cli = Cli::read(); // ends with exit status 2 by itself
    let console = cli.console();
    match cli.run(&console) {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.end_progress();
            console.tell(&format!("antfarm: {error:#}"));
            Exit::of(&error).into()
        }
    }
}
