//! Asks a queen again and again what it says of itself.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::history::{ForagerSeen, Membership, Progress, QueenStatus, Scribe, What, metric};
use crate::real::field::Field;

/// Between two looks at the metrics of a queen.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Every so many looks, the digest and the foragers are asked for, too.
const DIGEST_EVERY: usize = 4;

/// A queen that stands still is not waited for longer.
const PATIENCE: Duration = Duration::from_millis(700);

/// Polls a queen until the run closes.
pub(in crate::real) fn poll(field: &Field<'_>, queen: u16) {
    let mut scribe = field.recorder.scribe(format!("poll-{queen}"));
    let mut voters = BTreeSet::new();
    for look in 0_usize.. {
        if !field.is_open() {
            return;
        }
        status(field, queen, &mut scribe);
        if look.is_multiple_of(DIGEST_EVERY) {
            let cluster = position(field, queen, &mut scribe);
            if let Some(cluster) = cluster {
                members(queen, &cluster, &mut voters, &mut scribe);
            }
            foragers(field, queen, &mut scribe);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Asks for something; nothing if nobody answers, or if the process was another one afterwards.
fn get(field: &Field<'_>, queen: u16, path: &str) -> Option<(u32, u64, String)> {
    let life = field.cluster.life_of_queen(queen);
    let answer = field.cluster.http(queen).within(PATIENCE).get(path).ok()?;
    let index = answer.headers.get("antfarm-index")?.parse().ok()?;
    let same = answer.status == 200 && life == field.cluster.life_of_queen(queen);
    same.then_some((life, index, answer.body))
}

fn status(field: &Field<'_>, queen: u16, scribe: &mut Scribe<'_>) {
    let Some((life, _, metrics)) = get(field, queen, "/metrics") else { return };
    if let Some(status) = QueenStatus::read(queen, life, &metrics) {
        scribe.write(What::Status(status));
        let number = |name| metric(&metrics, name);
        if let (Some(applied), Some(committed)) = (number("antfarm_applied_index"), number("antfarm_commit_index")) {
            let (purged, snapshot, last) = (None, None, None); // metrics do not say
            scribe.write(What::Progress(Progress {
                queen,
                life,
                term: status.epoch,
                purged,
                snapshot,
                applied,
                committed,
                last,
            }));
        }
    }
}

/// How far a queen is, and its digest there; also returned, with the whole answer.
pub(in crate::real) fn position(field: &Field<'_>, queen: u16, scribe: &mut Scribe<'_>) -> Option<Value> {
    let (life, _, body) = get(field, queen, "/v1/cluster?consistency=stale")?;
    let cluster: Value = serde_json::from_str(&body).ok()?;
    let (applied, digest) = (cluster["applied_index"].as_u64()?, cluster["state_digest"].as_str()?.to_owned());
    scribe.write(What::Position { queen, life, applied, digest });
    Some(cluster)
}

/// Who votes, if that is not what it was at the last look.
fn members(queen: u16, cluster: &Value, former: &mut BTreeSet<u16>, scribe: &mut Scribe<'_>) {
    let members = cluster["members"].as_array().into_iter().flatten().filter(|member| member["voter"] == true);
    let voters: BTreeSet<u16> = members.filter_map(|member| member["id"].as_u64()?.try_into().ok()).collect();
    let Some(index) = cluster["applied_index"].as_u64().filter(|_| !voters.is_empty() && voters != *former) else {
        return;
    };
    former.clone_from(&voters);
    scribe.write(What::Members { queen, membership: Membership { index, voters: vec![voters] } });
}

/// How many foragers take work, if a queen who knows the leader answers.
pub(super) fn ready_foragers(field: &Field<'_>, queen: u16) -> Option<usize> {
    let (_, _, body) = get(field, queen, "/v1/foragers")?;
    let page: Value = serde_json::from_str(&body).ok()?;
    Some(page["foragers"].as_array()?.iter().filter(|one| one["state"] == "ready").count())
}

fn foragers(field: &Field<'_>, queen: u16, scribe: &mut Scribe<'_>) {
    let Some((_, index, body)) = get(field, queen, "/v1/foragers") else { return };
    let Ok(page) = serde_json::from_str::<Value>(&body) else { return };
    scribe.write(What::Foragers { index, foragers: ForagerSeen::read_all(&page) });
}
