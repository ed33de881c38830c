//! `docs/deploy.md` as a list of steps: files to write and commands to run, each on the hosts that it names.

use std::path::Path;

use anyhow::{Context, ensure};

/// Where commands are run that are for no host.
pub(crate) const CHECKOUT: &str = "your checkout";

/// What one block tells to do.
#[derive(Debug)]
pub(crate) struct Step {
    /// The heading above it.
    pub(crate) section: String,
    /// Where, in this order; or in the checkout.
    pub(crate) on: Vec<String>,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    /// To write a file.
    File { path: String, text: String },
    /// To run lines with a shell.
    Commands(String),
}

/// All steps, in the order of the page.
pub(crate) fn steps() -> Vec<Step> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/deploy.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let mut steps = Vec::new();
    let mut section = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut section);
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let step = step(&section, language, &block);
        steps.push(step.unwrap_or_else(|why| panic!("docs/deploy.md, {section}: {why:#}\n{}", block.join("\n"))));
    }
    steps
}

/// The first line of a block says where it belongs: `# HOST, HOST` commands, `# HOST, HOST: PATH` a file.
fn step(section: &str, language: &str, block: &[&str]) -> anyhow::Result<Step> {
    let first = block.first().and_then(|first| first.strip_prefix("# "));
    let first = first.context("the first line of a block says on which hosts it is for")?;
    let text = format!("{}\n", block.join("\n"));
    let (hosts, what) = match first.split_once(": ") {
        Some((hosts, path)) => (hosts, What::File { path: path.to_owned(), text }),
        None => (first, What::Commands(text)),
    };
    let is_shell = language == "sh";
    ensure!(is_shell || matches!(what, What::File { .. }), "commands are for sh, not for {language:?}");
    let on = hosts.split(", ").map(str::to_owned).collect();
    Ok(Step { section: section.to_owned(), on, what })
}
