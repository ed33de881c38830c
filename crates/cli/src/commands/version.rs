//! `antfarm version`: which build this is.

use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;

/// Print the version of this program
///
/// As a line, or with --json as a document.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/version.txt"))]
pub(crate) struct Version {}

impl Version {
    #[expect(clippy::unused_self, reason = "every command runs the same way")]
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        let version = env!("CARGO_PKG_VERSION");
        console.result(&json!({"version": version}), || format!("antfarm {version}\n"))?;
        Ok(Exit::Done)
    }
}
