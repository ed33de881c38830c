//! A reader of events that goes on at the next queen where it broke off at one.

use std::time::{Duration, Instant};

use antfarm_testkit::{Events, NoEvents};

use crate::history::{Event, Scribe, What};
use crate::real::config::QUEENS;
use crate::real::field::Field;

/// A stream that is alive says so every 5 s.
const SILENT_FOR: Duration = Duration::from_secs(7);

/// Between two tries.
const TRY_EVERY: Duration = Duration::from_millis(100);

/// Events that no queen has for so long are gone.
const GONE_AFTER: Duration = Duration::from_secs(4);

/// Where a reader is.
struct Place {
    queen: u16,
    after: u64,
    /// Since when nobody opens a stream there, and from where somebody would.
    refused: Option<(Instant, u64)>,
}

/// Reads until the run closes, first from the queen with the reader's number.
pub(in crate::real) fn read_events(field: &Field<'_>, number: u16) {
    let mut scribe = field.recorder.scribe(format!("watch-{number}"));
    let mut place = Place { queen: number, after: 0, refused: None };
    while field.is_open() {
        let http = field.cluster.http(place.queen).within(SILENT_FOR);
        match Events::after(http, place.after) {
            Ok(events) => {
                scribe.write(What::Stream { queen: place.queen, after: place.after });
                place.refused = None;
                place.after = read_stream(field, &mut scribe, events, place.after);
            }
            Err(error) => {
                if let Some(oldest) = error.downcast_ref::<NoEvents>().and_then(oldest) {
                    place.refuse(oldest, &mut scribe);
                }
                std::thread::sleep(TRY_EVERY);
            }
        }
        place.queen = place.queen % QUEENS + 1;
    }
}

impl Place {
    /// A queen has no events from here on. When that has been so for a while, the reader goes on where it can.
    fn refuse(&mut self, oldest: u64, scribe: &mut Scribe<'_>) {
        let (since, least) = *self.refused.get_or_insert((Instant::now(), oldest));
        let least = least.min(oldest);
        self.refused = Some((since, least));
        if since.elapsed() > GONE_AFTER {
            scribe.write(What::Gap { after: self.after, resumed_after: least });
            self.after = least;
            self.refused = None;
        }
    }
}

/// Reads a stream to its end, entry by entry. Where it is then: an entry that was not read to its end comes again.
fn read_stream(field: &Field<'_>, scribe: &mut Scribe<'_>, mut stream: Events, after: u64) -> u64 {
    let mut entry = Vec::new();
    let mut upto = after;
    while field.is_open() {
        let Ok(document) = stream.next_event() else { break };
        let Some(index) = document["index"].as_u64() else { break };
        let Ok(event) = serde_json::from_value::<Event>(document) else { break };
        entry.push(event);
        if stream.last_id() == index {
            scribe.write(What::Entry { index, events: std::mem::take(&mut entry) });
            upto = index;
        }
    }
    if entry.is_empty() && stream.last_id() > upto {
        upto = stream.last_id();
    }
    scribe.write(What::Read { upto });
    upto
}

/// After which index a queen would open a stream, as its refusal says.
fn oldest(refusal: &NoEvents) -> Option<u64> {
    let (_, behind) = refusal.problem.split_once("since=").filter(|_| refusal.status == 410)?;
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
