//! A folder of fences, and what comes with a fence to it.

use std::path::PathBuf;

use antfarm_testkit::{Command, Finished, Scratch};

/// A key, for tests that need one.
pub(crate) const KEY: &str = "nightly/clean";

/// A folder of fences in a folder for everything else.
pub(crate) struct Fences {
    pub(crate) scratch: Scratch,
}

impl Fences {
    pub(crate) fn new() -> Self {
        let fences = Self { scratch: Scratch::new() };
        let _ = Command::antfarm(["fence", "--init", "--dir", &fences.dir()]).run().exits(0);
        fences
    }

    pub(crate) fn dir(&self) -> String {
        text(self.scratch.path("fences"))
    }

    /// `antfarm fence` with a fence for [`KEY`], and with a command if one is given.
    pub(crate) fn command(&self, fence: u64, options: &[&str], command: &[&str]) -> Command {
        let fence = fence.to_string();
        let dir = self.dir();
        let mut arguments = vec!["fence", "--dir", &dir, "--fence-key", KEY, "--fence", &fence];
        arguments.extend(options);
        if !command.is_empty() {
            arguments.push("--");
            arguments.extend(command);
        }
        Command::antfarm(arguments)
    }

    /// Comes with a fence.
    pub(crate) fn check(&self, fence: u64) -> Finished {
        self.command(fence, &[], &[]).run()
    }

    /// The lines of a file that commands write to.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.scratch.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().expect("temporary folders have plain names")
}
