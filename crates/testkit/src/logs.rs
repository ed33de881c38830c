//! The ends of logs, for whoever reads why a test failed.

use std::fs;
use std::path::Path;

/// Lines that are shown of each log.
const LAST_LINES: usize = 25;

/// Prints the end of each log in a folder (`*.log`).
pub fn print_log_tails(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    paths.sort();
    for path in paths {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        println!("--- the end of {}", path.display());
        for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
            println!("{line}");
        }
    }
}
