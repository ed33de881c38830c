//! What a store says it holds, as names and bytes, so that all stores are judged alike.

use std::collections::BTreeMap;
use std::fmt::Write;

use antfarm_storage::{Fact, LogEngine, StorageError};

/// Everything that can be read back from a store.
pub(crate) type Contents = BTreeMap<String, Vec<u8>>;

/// Facts that workloads keep.
pub(crate) const FACTS: [Fact; 4] = [Fact::Committed, Fact::Purged, Fact::Identity, Fact::PeerDisk(7)];

/// What an engine holds.
pub(crate) fn of_engine(engine: &dyn LogEngine) -> Result<Contents, StorageError> {
    let mut contents = Contents::new();
    let bounds = engine.bounds();
    contents.insert("bounds".to_owned(), format!("{bounds:?}").into_bytes());
    contents.insert("log bytes".to_owned(), engine.log_bytes().to_string().into_bytes());
    for record in engine.read(0, u64::MAX, usize::MAX)? {
        contents.insert(format!("record {:04}", record.index), record.payload.to_vec());
    }
    contents.extend(engine.vote().map(|vote| ("vote".to_owned(), vote)));
    contents.extend(FACTS.into_iter().filter_map(|fact| Some((format!("{fact:?}"), engine.fact(fact)?))));
    Ok(contents)
}

/// In what way one differs from another, in one line.
pub(crate) fn difference(found: &Contents, expected: &Contents) -> String {
    let mut text = String::new();
    for (name, content) in found {
        match expected.get(name) {
            Some(same) if same == content => {}
            Some(other) => {
                write!(text, " {name} is {} instead of {};", brief(content), brief(other)).expect("a string takes all");
            }
            None => write!(text, " {name} ({}) is too much;", brief(content)).expect("a string takes all"),
        }
    }
    for name in expected.keys().filter(|name| !found.contains_key(*name)) {
        write!(text, " {name} is missing;").expect("a string takes all");
    }
    text.trim().trim_end_matches(';').to_owned()
}

fn brief(content: &[u8]) -> String {
    const MOST: usize = 40;
    let head = String::from_utf8_lossy(&content[..content.len().min(MOST)]).escape_debug().to_string();
    if content.len() > MOST { format!("\"{head}…\" of {} bytes", content.len()) } else { format!("\"{head}\"") }
}
