//! Hostile bytes for every decoder, for as long as somebody likes: the targets stand in the tests of the crates.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;

/// How long, and with what.
#[derive(Debug, Args)]
pub(crate) struct FuzzArguments {
    /// How long each target runs.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Only targets whose name has this in it.
    #[arg(long)]
    target: Option<String>,
    /// What all mutations follow from.
    #[arg(long)]
    seed: Option<u64>,
}

/// What a target's line begins with when it has passed.
const PASSED: &str = "fuzzed ";

/// Runs the targets, and prints a line for each.
pub(crate) fn fuzz(arguments: &FuzzArguments) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--release", "--workspace", "--exclude", "chaos", "--exclude", "antfarm-tests"]);
    command.args(["--lib", "--bins", "--test", "specs", "--no-fail-fast"]);
    command.args([arguments.target.as_deref().unwrap_or("fuzz::"), "--", "--nocapture"]);
    command.env("ANTFARM_FUZZ_SECONDS", arguments.seconds.to_string());
    command.envs(arguments.seed.map(|seed| ("ANTFARM_SEED", seed.to_string())));
    let mut tests = command.stdout(Stdio::piped()).spawn().context("cargo does not start")?;
    let output = tests.stdout.take().context("it was asked for")?;
    let mut passed = 0;
    for line in BufReader::new(output).lines() {
        let line = line.context("what the tests print is no text")?;
        if let Some(told) = line.strip_prefix(PASSED) {
            println!("{told}");
            passed += 1;
        }
    }
    if !tests.wait()?.success() {
        bail!("a target failed: what it said stands above, with the input and its seed");
    }
    println!("{passed} targets, {} s each", arguments.seconds);
    Ok(())
}
