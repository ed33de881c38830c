//! The event stream: server-sent events in log order, resumable by log index at any queen.

use std::fmt::Write as _;
use std::time::Duration;

use antfarm_model::LogIndex;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::Api;
use super::ask::{Asked, Consistency};
use super::problem::{Kind, Problem};
use crate::events::{EventReader, Gone, Published};

/// A silent stream says that it is alive, and how far it is, so often.
const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// After how many milliseconds to come back when the stream breaks.
const COME_BACK_AFTER_MS: u64 = 500;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct From {
    since: Option<u64>,
    graph: Option<String>,
    #[serde(default, rename = "consistency")]
    _consistency: Consistency,
}

/// A stream on its way to one client.
struct Streaming {
    api: Api,
    reader: EventReader,
    graph: Option<String>,
    /// Everything up to here was sent or is not wanted.
    position: LogIndex,
    /// When to say that it is alive, unless there is something to tell before.
    alive_at: Instant,
    /// What the stream begins with: from where, so that a client that breaks off at once can come back there.
    greeting: Option<String>,
    _permit: OwnedSemaphorePermit,
}

/// What comes after `Last-Event-ID` or `?since=`, or from now on.
pub(super) async fn stream(
    State(api): State<Api>,
    headers: HeaderMap,
    Asked(from): Asked<From>,
) -> Result<Response, Problem> {
    let permit = api.event_streams.clone().try_acquire_owned();
    let permit = permit.map_err(|_| Problem::overloaded("too many event streams are open here: ask another queen"))?;
    let since =
        match headers.get(LAST_EVENT_ID) {
            Some(last) => Some(last.to_str().ok().and_then(|last| last.parse().ok()).ok_or_else(|| {
                Problem::bad_request("Last-Event-ID must be the id of an event, which is a log index")
            })?),
            None => from.since,
        };
    if !api.is_in_touch() {
        return Err(Problem::new(
            Kind::NotReady,
            "this queen is out of touch with the others, and would miss what happens: ask another",
        ));
    }
    let since = since.map_or_else(|| api.shared.events.head(), LogIndex);
    let reader = api.shared.events.after(since).map_err(|Gone { oldest }| {
        Problem::new(
            Kind::Gone,
            format!("events after {since} are not kept here (any more): look at the state, then come back with since={oldest}"),
        )
    })?;
    let greeting = format!("retry: {COME_BACK_AFTER_MS}\nid: {since}\n\n");
    let streaming = Streaming {
        api,
        reader,
        graph: from.graph,
        position: since,
        alive_at: Instant::now() + ALIVE_EVERY,
        greeting: Some(greeting),
        _permit: permit,
    };
    let body = Body::from_stream(stream::unfold(streaming, async |mut streaming| {
        let text = streaming.next().await?;
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(text)), streaming))
    }));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

impl Streaming {
    /// The next piece of the stream; nothing when what comes next is gone, or would not be heard of here.
    async fn next(&mut self) -> Option<String> {
        if let Some(greeting) = self.greeting.take() {
            return Some(greeting);
        }
        let text = self.news().await?;
        self.alive_at = Instant::now() + ALIVE_EVERY;
        Some(text)
    }

    async fn news(&mut self) -> Option<String> {
        while self.api.is_in_touch() {
            let head = self.api.shared.events.head();
            match timeout_at(self.alive_at, self.reader.next()).await {
                Ok(Ok(events)) => {
                    let text = written(events.iter().map(AsRef::as_ref), self.graph.as_deref());
                    self.has_passed(events.last().map_or(head, |last| last.index));
                    if !text.is_empty() {
                        return Some(text);
                    }
                }
                Ok(Err(Gone { .. })) => return None,
                // Nothing came since `head` was read, so everything up to there was passed.
                Err(_) => self.has_passed(head),
            }
            // What other graphs do must not keep a stream silent.
            if Instant::now() >= self.alive_at {
                return Some(format!(": alive\nid: {}\n\n", self.position));
            }
        }
        None
    }

    /// A queen that is behind may be at an earlier entry than its reader.
    fn has_passed(&mut self, index: LogIndex) {
        self.position = self.position.max(index);
    }
}

/// Events as server-sent ones. Only the last one of an entry carries the id, so that a client that breaks off in the
/// middle of an entry gets all of it again.
fn written<'a>(events: impl Iterator<Item = &'a Published>, graph: Option<&str>) -> String {
    let is_wanted =
        |event: &&Published| graph.is_none_or(|wanted| event.graph.as_ref().is_some_and(|id| id.as_str() == wanted));
    let mut text = String::new();
    let mut events = events.filter(is_wanted).peekable();
    while let Some(event) = events.next() {
        if events.peek().is_none_or(|next| next.index != event.index) {
            let _ = writeln!(text, "id: {}", event.index); // writing to a String cannot fail
        }
        let _ = write!(text, "data: {}\n\n", event.json);
    }
    text
}

#[cfg(test)]
mod tests {
    use antfarm_model::Name;

    use super::*;

    fn event(index: u64, graph: Option<&str>, json: &str) -> Published {
        let graph = graph.map(|id| Name::new(id).expect("a name"));
        Published { index: LogIndex(index), graph, json: json.into() }
    }

    #[test]
    fn only_the_last_event_of_an_entry_carries_its_id() {
        let events = [event(7, None, "1"), event(7, Some("g"), "2"), event(9, Some("h"), "3")];
        assert_eq!(written(events.iter(), None), "data: 1\n\nid: 7\ndata: 2\n\nid: 9\ndata: 3\n\n");
    }

    #[test]
    fn a_stream_of_one_graph_has_its_events_only() {
        let events = [event(7, Some("g"), "1"), event(7, Some("h"), "2"), event(8, None, "3")];
        assert_eq!(written(events.iter(), Some("g")), "id: 7\ndata: 1\n\n");
        assert_eq!(written(events.iter(), Some("x")), "");
    }
}
