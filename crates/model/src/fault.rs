//! A fault in a document, by its place.

use std::fmt;

/// One fault in a document. All faults of a document are reported at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, as a path (`nodes.fetch.args.url`, `nodes[3].after[0]`); empty for the whole document.
    pub path: String,
    /// Line and column in the text, both from 1, where they are known.
    pub position: Option<(u32, u32)>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.position {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}
