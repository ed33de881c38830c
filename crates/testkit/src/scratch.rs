//! A temporary folder, with which everything ends that runs in it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{kill, processes_in};

/// A temporary folder. Dropping it kills the processes that it has to do with, and removes it.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new folder.
    #[expect(clippy::new_without_default, reason = "two calls make two folders")]
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("antfarm-test-").tempdir().expect("a temporary folder can be made"))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a temporary folder can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        processes_in(self.folder()).into_iter().for_each(kill);
    }
}
