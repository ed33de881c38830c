//! What daemons say in their logs of leaderships and epochs.

use std::fs;

use crate::history::{Scribe, What};
use crate::real::cluster::Cluster;

/// A queen says so when it takes office.
const LEADS: &str = "this queen leads epoch=";

/// And so when it is over, in one way or another.
const LEAVES: &str = "this queen leads no more";

/// A forager says so when it learns of an epoch.
const LEARNT: &str = "a new leader epoch=";

/// Reads the logs of all lives of all processes.
pub(in crate::real) fn read_logs(cluster: &Cluster, scribe: &mut Scribe<'_>) {
    for process in cluster.processes() {
        for life in 1..=process.life() {
            let text = String::from_utf8_lossy(&fs::read(process.log(life)).unwrap_or_default()).into_owned();
            let mut office = None;
            for line in text.lines() {
                if let (Some(epoch), Some(queen)) = (number_behind(line, LEADS), queen(&process.name)) {
                    office = Some((queen, epoch));
                    scribe.write(What::Leads { queen, life, epoch });
                }
                if let Some((queen, epoch)) = office.take_if(|_| line.contains(LEAVES)) {
                    scribe.write(What::Leaves { queen, life, epoch });
                }
                if let Some(epoch) = number_behind(line, LEARNT) {
                    scribe.write(What::Learnt { forager: process.name.clone(), life, epoch });
                }
            }
        }
    }
}

fn number_behind(line: &str, mark: &str) -> Option<u64> {
    let (_, behind) = line.split_once(mark)?;
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn queen(process: &str) -> Option<u16> {
    process.strip_prefix("queen-")?.parse().ok()
}
