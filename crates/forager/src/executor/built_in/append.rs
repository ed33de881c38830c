//! `append`: a ledger, by which tests and drills see what ran.

use std::path::{Path, PathBuf};
use std::time::Duration;

use antfarm_protocol::{FailureKind, Outcome};
use antfarm_storage::{Disk, DiskLock, StorageError};
use serde::{Deserialize, Serialize};

use super::{failed, read, succeeded};
use crate::executor::{Job, Surroundings};

/// How often a ledger that somebody else has locked is tried again.
const LOCK_POLL: Duration = Duration::from_millis(3);

/// A ledger that stays locked for longer fails the attempt, which may be tried again.
const LOCK_WITHIN: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Args {
    path: PathBuf,
    #[serde(default)]
    ms: u64,
    #[serde(default)]
    guard: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    graph: &'a str,
    node: &'a str,
    index: u32,
    attempt: u32,
    fence: u64,
    epoch: u64,
    forager: &'a str,
    at: u64,
}

/// The part of a line that the guard looks at.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    graph: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    node: std::borrow::Cow<'a, str>,
    index: u32,
    fence: u64,
}

/// Appends a line, works, appends another. With `guard` the second only if no higher fence of that instance stands there.
pub(super) async fn append(job: &Job, around: &Surroundings) -> Outcome {
    let args: Args = match read(&job.assign.work.args) {
        Ok(args) => args,
        Err(failed) => return failed,
    };
    if !args.path.is_absolute() {
        let message = format!("`path` must be absolute, and {} is not", args.path.display());
        return failed(FailureKind::NotStarted, message);
    }
    if let Err(error) = write(job, around, &args.path, "start") {
        return failed(FailureKind::NotStarted, error.to_string());
    }
    tokio::time::sleep(Duration::from_millis(args.ms)).await;
    let ended = if args.guard {
        end_guarded(job, around, &args.path).await
    } else {
        write(job, around, &args.path, "end").map(|()| None)
    };
    match ended {
        Ok(None) => succeeded(),
        Ok(Some(refused)) => refused,
        Err(error) => failed(FailureKind::Exit, error.to_string()),
    }
}

async fn end_guarded(job: &Job, around: &Surroundings, path: &Path) -> Result<Option<Outcome>, StorageError> {
    let _lock = match lock(around.disk.as_ref(), path).await {
        Err(error @ StorageError::Locked { .. }) => {
            return Ok(Some(failed(FailureKind::Temporary, error.to_string())));
        }
        lock => lock?,
    };
    let ledger = around.disk.read(path)?;
    if let Some(higher) = higher_fence(&ledger, job) {
        let message = format!(
            "refused by the fence: {higher} stands in the ledger, and this attempt has {}",
            job.assign.attempt.fence
        );
        return Ok(Some(failed(FailureKind::Fenced, message)));
    }
    write(job, around, path, "end").map(|()| None)
}

async fn lock(disk: &dyn Disk, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
    let tries = LOCK_WITHIN.as_millis() / LOCK_POLL.as_millis();
    for _ in 0..tries {
        match disk.lock(path) {
            Err(StorageError::Locked { .. }) => tokio::time::sleep(LOCK_POLL).await,
            answer => return answer,
        }
    }
    disk.lock(path)
}

/// A fence of the same instance that is higher than the job's own. Lines that are none are passed over.
fn higher_fence(ledger: &[u8], job: &Job) -> Option<u64> {
    let assign = &job.assign;
    let lines = ledger.split(|byte| *byte == b'\n');
    let written = lines.filter_map(|line| serde_json::from_slice::<Written<'_>>(line).ok());
    let same = written.filter(|line| {
        line.graph == assign.work.graph_id.as_str()
            && line.node == assign.work.node_id.as_str()
            && line.index == assign.attempt.index
    });
    same.map(|line| line.fence).filter(|fence| *fence > assign.attempt.fence.0).max()
}

/// One write of one line, at the end of the file whoever else writes there.
fn write(job: &Job, around: &Surroundings, path: &Path, event: &'static str) -> Result<(), StorageError> {
    let assign = &job.assign;
    let line = Line {
        event,
        graph: assign.work.graph_id.as_str(),
        node: assign.work.node_id.as_str(),
        index: assign.attempt.index,
        attempt: assign.attempt_number,
        fence: assign.attempt.fence.0,
        epoch: assign.epoch.0,
        forager: around.forager.as_str(),
        at: around.env.wall_ms(),
    };
    let mut bytes = serde_json::to_vec(&line).expect("a line is plain JSON");
    bytes.push(b'\n');
    around.disk.append(path)?.write(&bytes)
}
