//! What a former process left: its keeper goes on with some of it, and the rest is of unknown fate.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use antfarm_protocol::{AttemptRef, Outcome};

use crate::error::StartError;
use crate::journal::{Journal, Open, Remembered};
use crate::keeper::{Connection, KeeperError, Keeping};
use crate::process::{Leftover, Unkillable};
use crate::report::Report;

/// Leaves in `remembered.open` what the keeper has, running or ended. Everything else that was started is interrupted, after
/// making sure that nothing of it is alive.
pub(crate) async fn take_over(
    journal: &mut Journal,
    remembered: &mut Remembered,
    (keeping, found): (&Keeping, Option<&Connection>),
    data: &Path,
    rebooted: bool,
) -> Result<(), StartError> {
    let kept = kept(found);
    let open = std::mem::take(&mut remembered.open);
    let (open, lost): (BTreeMap<_, _>, BTreeMap<_, _>) =
        open.into_iter().partition(|(attempt, _)| kept.contains(attempt));
    remembered.open = open;
    // What ran before the machine booted is gone, and its numbers are strangers'.
    if !rebooted {
        end(keeping, &lost, found.is_none().then_some(data)).await?;
    }
    if !lost.is_empty() {
        tracing::warn!(attempts = lost.len(), "attempts of a former process were interrupted");
    }
    for attempt in lost.into_keys() {
        let report = Report::result(attempt, Outcome::Interrupted);
        journal.note_end_durably(report.clone())?;
        remembered.reports.insert(attempt, report);
    }
    Ok(journal.commit()?)
}

/// What the keeper runs and the journal does not want to be run.
pub(crate) fn unwanted(remembered: &Remembered, found: Option<&Connection>) -> Vec<AttemptRef> {
    kept(found).into_iter().filter(|attempt| !remembered.open.contains_key(attempt)).collect()
}

/// Makes the folder for programs. What is in it is the keeper's, if there is one, and of no use otherwise.
pub(crate) async fn tidy(folder: &Path, found: Option<&Connection>) -> io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    if found.is_some() {
        return Ok(());
    }
    let mut entries = tokio::fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        if entry.file_type().await?.is_dir() {
            tokio::fs::remove_dir_all(entry.path()).await?;
        } else {
            tokio::fs::remove_file(entry.path()).await?;
        }
    }
    Ok(())
}

fn kept(found: Option<&Connection>) -> BTreeSet<AttemptRef> {
    found.iter().flat_map(|found| &found.held).map(|held| held.attempt).collect()
}

async fn end(keeping: &Keeping, lost: &BTreeMap<AttemptRef, Open>, gone: Option<&Path>) -> Result<(), KeeperError> {
    let left: Vec<_> = lost.values().map(|open| Leftover { mark: open.mark, program: open.process }).collect();
    match keeping.end_leftovers(&left, gone).await {
        Ok(0) => Ok(()),
        Ok(processes) => {
            tracing::warn!(processes, "a former process had left these running; they were killed");
            Ok(())
        }
        Err(Unkillable(processes)) => Err(KeeperError::Unkillable(processes)),
    }
}
