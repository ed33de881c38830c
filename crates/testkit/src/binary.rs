//! The program under test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the real `antfarm`: what `ANTFARM_BIN` says, else built once by each process that asks, with the profile
/// and into the target folder of that process itself.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let binary = BINARY.get_or_init(|| match std::env::var_os("ANTFARM_BIN") {
        Some(path) => Some(PathBuf::from(path)),
        None => build(),
    });
    binary.as_deref().expect("the binary does not build; mend it, or set ANTFARM_BIN to test one that does")
}

/// Nothing if it does not build; cargo has said why.
fn build() -> Option<PathBuf> {
    // Tests run as TARGET/PROFILE/deps/NAME-HASH, other programs as TARGET/PROFILE/NAME.
    let program = std::env::current_exe().expect("a process knows its program");
    let mut folders = program.ancestors().skip(1).skip_while(|folder| folder.ends_with("deps"));
    let profile_folder = folders.next().expect("a program stands in the folder of its profile");
    let profile = match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let target = profile_folder.parent().expect("a profile stands in the target folder");
    // The whole workspace is named so that features are those of `cargo test`, and nothing is compiled twice.
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--workspace", "--bin", "antfarm", "--profile", profile])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", target)
        .status();
    let status = built.expect("cargo can be run");
    status.success().then(|| profile_folder.join("antfarm"))
}
