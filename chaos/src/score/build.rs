//! The build that can make mistakes, in a target folder of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::ScoreArguments;

/// What it is built with: what every build has, and the mistakes.
const FLAGS: &str = "--cfg tokio_unstable --cfg planted_bugs";

/// Optimised, with assertions.
const PROFILE: &str = "planted";

/// Builds this program with mistakes in it, and has that tell the score.
pub(super) fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the package stands in the workspace")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).env("RUSTFLAGS", FLAGS);
    command.args(["run", "--quiet", "--locked", "--profile", PROFILE, "--package", "chaos", "--target-dir"]);
    command.arg(target_folder(root)).args(["--", "score"]);
    if !arguments.bugs.is_empty() {
        let bugs: Vec<String> = arguments.bugs.iter().map(ToString::to_string).collect();
        command.args(["--bugs", &bugs.join(",")]);
    }
    if let Some(number) = arguments.rotate {
        command.args(["--rotate", &number.to_string()]);
    }
    let status = command.status().context("cargo cannot be run")?;
    if !status.success() {
        bail!("the score is not what it must be");
    }
    Ok(())
}

/// Below the folder of normal builds, so that neither build undoes the other.
fn target_folder(root: &Path) -> PathBuf {
    let normal = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    root.join(normal).join("planted")
}
