//! A graph is submitted: read with all its faults, then proposed, whole or in parts.

use std::sync::Arc;
use std::time::Duration;

use antfarm_model::document::{self, Tree, Value};
use antfarm_model::{Fault, Graph, Limits, WallTime};
use antfarm_scheduler::{Command, GraphSource, Reply};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use super::Api;
use super::ask::{Asked, Plain};
use super::dated::Dated;
use super::problem::{Kind, Problem};
use super::view::{GraphView, WarningView};

/// Larger bodies are read on a thread that may be held up.
const MAX_INLINE_BYTES: usize = 256 << 10;

/// How long a large graph may wait for its turn to be read, and again to be sent.
const TURN_WITHIN: Duration = Duration::from_secs(10);

/// How long a submission waits until this queen has read the parts; then it is proposed all the same, and holds up what is
/// behind it.
const DRAFTED_WITHIN: Duration = Duration::from_secs(20);

/// How much longer than this queen the others may take to read a graph, at most.
const OTHERS_BEHIND: Duration = Duration::from_secs(1);

/// Parts of an upload that are proposed at the same time.
const PARTS_AT_ONCE: usize = 8;

/// What a graph's bytes may take of an entry: the rest is for what travels with them.
const SHARE_OF_AN_ENTRY: u64 = 2;

/// 201 for a new graph, 200 for the same one again.
pub(super) async fn submit(
    State(api): State<Api>,
    headers: HeaderMap,
    _: Asked<Plain>,
    body: Bytes,
) -> Result<Response, Problem> {
    let limits = api.shared.config.limits.limits();
    let is_ndjson = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/x-ndjson"))
    });
    let known = api.known_tools();
    let now =
        api.hearing().map_or_else(|| api.shared.replica.read(antfarm_scheduler::State::wall), |(_, now)| now.wall);
    let read = {
        let body = body.clone();
        move || read(&body, is_ndjson, &limits, &known, now)
    };
    let read = if body.len() <= MAX_INLINE_BYTES { read() } else { api.read_large(read).await? };
    let Readable { id, bytes, warnings } = read.map_err(Problem::invalid)?;
    drop(body);
    let (source, turn) = api.placed(bytes).await?;
    let Reply::Submitted { new, .. } = api.propose(Command::Submit(source)).await? else {
        return Err(Problem::outcome_unknown());
    };
    drop(turn);
    let warning = |Fault { path, message, .. }| WarningView { path, message };
    let warnings = warnings.into_iter().map(warning).collect();
    let Dated { at, view } = api.graph_view(&id).await?;
    let view = Dated { at, view: GraphView { warnings, ..view } };
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, [(header::LOCATION, format!("/v1/graphs/{id}"))], view).into_response())
}

impl Api {
    fn known_tools(&self) -> Vec<String> {
        self.shared.replica.read(|state| state.manifests().map(|tool| tool.name.to_string()).collect())
    }

    /// Reads a large graph when it is its turn, on a thread that may be held up.
    async fn read_large<T: Send + 'static>(&self, read: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let turn = turn(&self.large_graphs).await?;
        // The turn ends with the reading, also when the client does not wait for it.
        let read = move || (read(), drop(turn)).0;
        Ok(self.shared.env.blocking(read).await)
    }

    /// Small graphs travel in the command itself; of larger ones, the parts go ahead, and their turn ends with the
    /// submission.
    async fn placed(&self, bytes: Vec<u8>) -> Result<(GraphSource, Option<OwnedSemaphorePermit>), Problem> {
        let share = usize::try_from(self.shared.config.limits.entry_bytes.0 / SHARE_OF_AN_ENTRY).unwrap_or(usize::MAX);
        if bytes.len() <= share {
            return Ok((GraphSource::Inline(bytes.into()), None));
        }
        let turn = turn(&self.uploads).await?;
        let upload = self.shared.env.random();
        let parts = (0..).zip(bytes.chunks(share).map(Arc::<[u8]>::from)).collect::<Vec<(u32, Arc<[u8]>)>>();
        let number = u32::try_from(parts.len())
            .map_err(|_| Problem::new(Kind::TooLarge, "the graph has more parts than can be counted: divide it"))?;
        stream::iter(parts)
            .map(|(part, bytes)| self.propose(Command::Upload { upload, part, bytes, parts: number }))
            .buffer_unordered(PARTS_AT_ONCE)
            .try_for_each(async |_| Ok(()))
            .await?;
        self.let_read(upload).await;
        Ok((GraphSource::Uploaded { upload, parts: number }, Some(turn)))
    }

    /// Waits until this queen has read what was uploaded, and about as long again, since the others heard of it later. The
    /// submission is right in any case; who has not read the graph by then holds up its own entries until it has.
    async fn let_read(&self, upload: u64) {
        let began = Instant::now();
        let _ = timeout(DRAFTED_WITHIN, self.shared.replica.drafted(upload)).await;
        sleep(began.elapsed().min(OTHERS_BEHIND)).await;
    }
}

/// Waits for one of few turns.
async fn turn(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    match timeout(TURN_WITHIN, turns.clone().acquire_owned()).await {
        Ok(Ok(turn)) => Ok(turn),
        Ok(Err(_)) | Err(_) => Err(Problem::overloaded("too many large graphs wait to be read: try again in a moment")),
    }
}

/// A graph that can be proposed.
pub(super) struct Readable {
    id: String,
    /// Its bytes for the log.
    bytes: Vec<u8>,
    /// What speaks against it all the same.
    warnings: Vec<Fault>,
}

/// A graph; or everything that is wrong with it, unknown tools among it.
pub(super) fn read(
    body: &[u8],
    is_ndjson: bool,
    limits: &Limits,
    known: &[String],
    now: WallTime,
) -> Result<Readable, Vec<Fault>> {
    let parsed = if is_ndjson { document::parse_ndjson_graph(body, limits) } else { document::graph(body, limits) };
    let tree = || if is_ndjson { None } else { document::parse(body, limits).ok() };
    match parsed {
        Ok(graph) if uses_only(&graph, known) => {
            Ok(Readable { id: graph.id.to_string(), bytes: GraphSource::encode(&graph), warnings: graph.warnings(now) })
        }
        Ok(graph) => Err(tree().map_or_else(|| unknown_in_graph(&graph, known), |tree| unknown_in_tree(&tree, known))),
        Err(mut faults) => {
            faults.extend(tree().map(|tree| unknown_in_tree(&tree, known)).unwrap_or_default());
            faults.sort_by_key(|fault| (fault.position.is_none(), fault.position));
            Err(faults)
        }
    }
}

fn uses_only(graph: &Graph, known: &[String]) -> bool {
    graph.nodes.iter().all(|node| is_known(node.tool.as_str(), known))
}

/// `known` is in order.
fn is_known(tool: &str, known: &[String]) -> bool {
    known.binary_search_by(|name| name.as_str().cmp(tool)).is_ok()
}

fn unknown_in_graph(graph: &Graph, known: &[String]) -> Vec<Fault> {
    let unknown = graph.nodes.iter().filter(|node| !is_known(node.tool.as_str(), known));
    unknown.take(document::MAX_FAULTS).map(|node| fault(node.id.as_str(), None, node.tool.as_str(), known)).collect()
}

/// As above, with the places in the text.
fn unknown_in_tree(tree: &Tree<'_>, known: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (id, node) in entries(tree).filter(|(key, _)| *key == "nodes").flat_map(|(_, nodes)| entries(nodes)) {
        for (_, tool) in entries(node).filter(|(key, _)| *key == "tool") {
            if let Value::String(name) = &tool.value
                && !is_known(name, known)
                && faults.len() < document::MAX_FAULTS
            {
                faults.push(fault(id, Some(tool.position), name, known));
            }
        }
    }
    faults
}

fn entries<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = (&'t str, &'t Tree<'t>)> {
    let entries = if let Value::Map(entries) = &tree.value { entries.as_slice() } else { &[] };
    entries.iter().map(|(key, value)| (key.text.as_ref(), value))
}

fn fault(node: &str, position: Option<(u32, u32)>, tool: &str, known: &[String]) -> Fault {
    let meant = document::did_you_mean(tool, known.iter().map(String::as_str));
    let message =
        format!("the tool {tool} has no manifest: declare it with `antfarm tool apply`, or correct the name{meant}");
    Fault { path: format!("nodes.{node}.tool"), position, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(body: &str, is_ndjson: bool) -> Vec<String> {
        let known = ["echo".to_owned(), "sleep".to_owned()];
        match read(body.as_bytes(), is_ndjson, &Limits::default(), &known, WallTime(0)) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn known_tools_are_no_fault() {
        assert!(faults(r#"{"id": "g", "nodes": {"a": {"tool": "echo"}}}"#, false).is_empty());
        assert!(faults("{\"id\": \"g\"}\n{\"id\": \"a\", \"tool\": \"sleep\"}\n", true).is_empty());
    }

    #[test]
    fn unknown_tools_are_told_with_the_other_faults_by_place() {
        let told = faults("id: g\nnodes:\n  a: {tool: ecko}\n  b: {tool: echo, after: [c]}\n", false);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].starts_with("3:13: nodes.a.tool: the tool ecko has no manifest"), "{told:?}");
        assert!(told[0].ends_with("correct the name; did you mean \"echo\"?"), "{told:?}");
        assert!(told[1].starts_with("4:27: nodes.b.after[0]"), "{told:?}");
    }

    #[test]
    fn unknown_tools_of_many_lines_are_told_too() {
        let told = faults("{\"id\": \"g\"}\n{\"id\": \"a\", \"tool\": \"x\"}\n", true);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("nodes.a.tool: the tool x has no manifest"), "{told:?}");
    }
}
