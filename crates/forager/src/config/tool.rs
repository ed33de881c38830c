//! A tool that is a program.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A tool that is a program of this machine. A graph can name it, and cannot bring one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolProgram {
    /// The program, as an absolute path or a bare name that `PATH` knows, and its arguments. No shell is involved.
    pub command: Vec<String>,
}

impl ToolProgram {
    /// Whether the program is a path, and not from the root.
    pub(super) fn is_relative(&self) -> bool {
        self.command.first().is_some_and(|program| program.contains('/') && !program.starts_with('/'))
    }

    pub(super) fn resolve(&mut self, folder: &Path) {
        if self.is_relative()
            && let Some(program) = self.command.first_mut()
        {
            *program = folder.join(&*program).to_string_lossy().into_owned();
        }
    }
}
