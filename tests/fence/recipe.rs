//! The blocks of `docs/fencing.md`, by their names, and the programs that they need.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The block behind `<!-- recipe: NAME -->`, to the letter.
pub(crate) fn recipe(name: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/fencing.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let mark = format!("<!-- recipe: {name} -->\n```");
    let (_, behind) = page.split_once(&mark).unwrap_or_else(|| panic!("the page has no recipe {name}"));
    let (_, behind) = behind.split_once('\n').expect("the block begins");
    let (block, _) = behind.split_once("\n```").expect("the block ends");
    format!("{block}\n")
}

/// A program that the machine may lack: then the test that needs it is left out, and says so. With `ANTFARM_NO_SKIP`, as
/// in continuous checks, it fails.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.or_else(|| {
        left_out(&format!("there is no {name}"));
        None
    })
}

/// Says that a test is left out, and why.
pub(crate) fn left_out(why: &str) {
    assert!(std::env::var_os("ANTFARM_NO_SKIP").is_none(), "{why}, and ANTFARM_NO_SKIP is set");
    println!("left out: {why}");
}

/// A program that is ended after a minute.
pub(crate) fn bounded(program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", "60"]).arg(program);
    command
}
