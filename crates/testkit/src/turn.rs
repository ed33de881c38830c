//! How many clusters run at once on this machine, whatever runs the tests.

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use rustix::fs::{FlockOperation, flock};

use crate::wait_until;

/// More clusters than this would disturb each other's times on two cores.
const AT_ONCE: u32 = 2;

/// A test waits for its turn at most this long: others may be many, and each has its own bounds.
const WITHIN: Duration = Duration::from_mins(30);

/// The right to run a cluster, held until it is dropped.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "the lock on it is the turn")] File);

impl Turn {
    /// Waits until fewer than two clusters run.
    pub fn take() -> Self {
        wait_until("a turn to run a cluster", WITHIN, || {
            let free = (0..AT_ONCE).find_map(|number| {
                let path = lock_folder().join(format!("turn-{number}"));
                let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).ok()?;
                flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
                Some(Self(file))
            });
            free.context("others run")
        })
    }
}

/// A folder of locks that all test processes of this user share. The files in it are empty.
pub(crate) fn lock_folder() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("antfarm-testkit-{user}"));
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    folder
}
