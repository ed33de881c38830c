//! Who looks on: readers of the event stream, and who asks each queen again and again what it says of itself.

use std::time::Duration;

use antfarm_client::{Answer, Ask, ClientError, EventStream};
use serde_json::Value;

use super::chronicle::Pen;
use super::field::{Field, PATIENCE};
use crate::history::{Event, ForagerSeen, QueenStatus, What};

/// Between two looks at the metrics of a queen.
const LOOK_EVERY: Duration = Duration::from_millis(600);

/// Every so many looks, the digest and the foragers are asked for, too.
const DIGEST_EVERY: usize = 3;

/// A queen that stands still is not waited for longer.
const LOOK_WITHIN: Duration = Duration::from_millis(700);

/// A reader that is told that no queen goes on tries again after this.
const TRY_EVERY: Duration = Duration::from_millis(100);

/// Reads events until the run closes, first from the queen with the reader's number.
pub(super) async fn read_events(field: Field, number: u16) {
    let mut pen = field.chronicle.pen(format!("watch-{number}"));
    let queens: Vec<u16> = field.queens_from(number).collect();
    let mut after = 0;
    while field.is_open() {
        let mut stream = field.client(&queens, PATIENCE).events(Some(after), None);
        pen.write(What::Stream { queen: number, after });
        let error = follow(&field, &mut pen, &mut stream, &mut after).await;
        if let Some(oldest) = oldest(error.as_ref()) {
            pen.write(What::Gap { after, resumed_after: oldest });
            after = oldest;
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// Writes down entry after entry until nobody goes on with the stream.
async fn follow(field: &Field, pen: &mut Pen, stream: &mut EventStream, after: &mut u64) -> Option<ClientError> {
    let mut entry: Vec<Event> = Vec::new();
    while field.is_open() {
        // Events of an entry come together: what does not come at once is not there.
        let wait = if entry.is_empty() { PATIENCE } else { Duration::ZERO };
        match tokio::time::timeout(wait, stream.next()).await {
            Ok(Ok(event)) => {
                if event.index != *after && !entry.is_empty() {
                    pen.write(What::Entry { index: *after, events: std::mem::take(&mut entry) });
                }
                *after = event.index;
                entry.push(serde_json::from_value(event.document).ok()?);
            }
            Ok(Err(error)) => return Some(error),
            Err(_) if entry.is_empty() => {}
            Err(_) => pen.write(What::Entry { index: *after, events: std::mem::take(&mut entry) }),
        }
    }
    None
}

/// After which index somebody would go on, as a refusal says.
fn oldest(error: Option<&ClientError>) -> Option<u64> {
    let Some(ClientError::Refused(problem)) = error else { return None };
    let (_, behind) = problem.detail.split_once("since=").filter(|_| problem.status == 410)?;
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Polls a queen until the run closes.
pub(super) async fn poll(field: Field, queen: u16) {
    let mut pen = field.chronicle.pen(format!("poll-{queen}"));
    for look in 0_usize.. {
        if !field.is_open() {
            return;
        }
        status(&field, queen, &mut pen).await;
        if look.is_multiple_of(DIGEST_EVERY) {
            position(&field, queen, &mut pen).await;
            foragers(&field, queen, &mut pen).await;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Asks for something; nothing if nobody answers, or if the process was another one afterwards.
async fn get(field: &Field, queen: u16, path: &str) -> Option<(u32, Answer)> {
    let life = field.life_of(queen);
    let answer = field.client(&[queen], LOOK_WITHIN).ask(&Ask::read(path)).await.ok()?;
    (life == field.life_of(queen)).then_some((life, answer))
}

async fn status(field: &Field, queen: u16, pen: &mut Pen) {
    let Some((life, answer)) = get(field, queen, "/metrics").await else { return };
    if let Some(status) = QueenStatus::read(queen, life, &answer.text()) {
        pen.write(What::Status(status));
    }
}

/// How far a queen is, and its digest there; also returned, with the whole answer.
pub(super) async fn position(field: &Field, queen: u16, pen: &mut Pen) -> Option<Value> {
    let (life, answer) = get(field, queen, "/v1/cluster?consistency=stale").await?;
    let cluster: Value = answer.json().ok()?;
    let (applied, digest) = (cluster["applied_index"].as_u64()?, cluster["state_digest"].as_str()?.to_owned());
    pen.write(What::Position { queen, life, applied, digest });
    Some(cluster)
}

async fn foragers(field: &Field, queen: u16, pen: &mut Pen) {
    let Some((_, answer)) = get(field, queen, "/v1/foragers").await else { return };
    let (Some(index), Ok(page)) = (answer.index, answer.json::<Value>()) else { return };
    pen.write(What::Foragers { index, foragers: ForagerSeen::read_all(&page) });
}
