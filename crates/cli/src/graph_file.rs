//! A file becomes a graph that can be submitted: format, id, faults, body.

use std::path::Path;

use antfarm_client::{Client, Submitted};
use antfarm_model::document;
use antfarm_model::{Fault, Graph, Limits, Name};
use clap::ValueEnum;

use crate::exit::Stop;
use crate::source::{self, Source};
use crate::wfformat::{self, Conversion};
use crate::{body, faults, hints, words};

/// Graphs whose JSON is longer than this travel as one node per line.
const NDJSON_FROM_BYTES: usize = 8 << 20;

/// How large a graph may be before the cluster is asked, whose own limits may be anything below.
const LOCAL_LIMITS: Limits = Limits {
    graph_bytes: 256 << 20,
    nodes: 10_000_000,
    entry_bytes: 64 << 20,
    result_bytes: 16 << 20,
    frame_bytes: 128 << 20,
};

/// What a file may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Look at the content: what has `schemaVersion` and `workflow` is wfformat
    Auto,
    /// A graph in YAML or JSON
    Antfarm,
    /// A workflow of WfCommons in WfFormat 1.5
    Wfformat,
}

/// A graph that is ready to be submitted.
pub(crate) struct Submission {
    /// The graph, checked.
    pub(crate) graph: Graph,
    /// The file, as messages call it.
    pub(crate) file: String,
    /// What stood in the file; nothing if it was converted, since then its lines are not those of the graph.
    text: Option<Vec<u8>>,
    /// What the cluster is sent.
    body: String,
    /// Whether the body has one node per line.
    is_ndjson: bool,
}

impl Submission {
    /// Reads and checks a file. `conversion` says how a workflow becomes a graph, and which id a graph gets.
    pub(crate) fn read(path: &Path, format: Format, conversion: &Conversion) -> anyhow::Result<Self> {
        let source = Source::read(path)?;
        let Source { name, bytes } = &source;
        if format == Format::Wfformat || (format == Format::Auto && wfformat::is_wfformat(bytes)) {
            let id = conversion.id.clone().or_else(|| stem(path));
            let converted = Conversion { id, ..conversion.clone() }.convert(bytes);
            let json = converted.map_err(|faults| faulty(name, &faults))?;
            return Self::checked(name, json.as_bytes(), None);
        }
        let checked = Self::checked(name, bytes, conversion.id.as_ref())?;
        Ok(Self { text: Some(source.bytes), ..checked })
    }

    /// Hands it in. A retry is safe, and is made. Faults that the cluster finds are told by their lines in the file.
    pub(crate) async fn send(&self, client: &Client) -> anyhow::Result<Submitted> {
        let kind = if self.is_ndjson { "application/x-ndjson" } else { "application/json" };
        client.submit(self.body.clone(), kind).await.map_err(|error| {
            let tree = self.text.as_ref().and_then(|text| document::parse(text, &LOCAL_LIMITS).ok());
            faults::told(&self.file, tree.as_ref(), error)
        })
    }

    /// Nodes and, where array nodes make them more, instances.
    pub(crate) fn sizes(&self) -> String {
        words::sizes(
            self.graph.nodes.len() as u64,
            self.graph.nodes.iter().map(|node| u64::from(node.instances())).sum(),
        )
    }

    /// What people are told once it is handed in.
    pub(crate) fn told(&self, answer: &Submitted) -> String {
        let id = self.graph.id.as_str();
        if answer.new {
            return format!("{id} submitted: {}", self.sizes());
        }
        if answer.graph.finished_at.is_none() {
            return format!("{id} was submitted before; it is there once, and goes on");
        }
        let (state, next) = (&answer.graph.state, hints::next_id(id));
        let file = if self.file == source::STANDARD_INPUT { "-" } else { &self.file };
        format!(
            "{id} was submitted before and is {state}: nothing runs again\n  run it again: antfarm submit --id {next} {file}"
        )
    }

    fn checked(name: &str, bytes: &[u8], id: Option<&Name>) -> anyhow::Result<Self> {
        let graph = compile(bytes, &LOCAL_LIMITS, id).map_err(|faults| faulty(name, &lines(&faults)))?;
        let tree = document::parse(bytes, &LOCAL_LIMITS).map_err(|faults| faulty(name, &lines(&faults)))?;
        let json = body::json(&tree, id);
        let is_ndjson = json.len() > NDJSON_FROM_BYTES;
        let body = if is_ndjson { body::ndjson(&tree, id) } else { json };
        Ok(Self { graph, file: name.to_owned(), text: None, body, is_ndjson })
    }
}

/// Compiles a graph, with another id if there is one.
pub(crate) fn compile(bytes: &[u8], limits: &Limits, id: Option<&Name>) -> Result<Graph, Vec<Fault>> {
    match id {
        Some(id) => document::graph_with_id(bytes, limits, id),
        None => document::graph(bytes, limits),
    }
}

/// A workflow is called as its file is; standard input has no name of its own.
fn stem(path: &Path) -> Option<Name> {
    let stem = path.file_stem().filter(|_| path.as_os_str() != "-")?;
    Name::new(&wfformat::sanitised(&stem.to_string_lossy())).ok()
}

fn lines(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

fn faulty(name: &str, faults: &[String]) -> anyhow::Error {
    let faults: Vec<String> = faults.iter().map(|fault| format!("  {name}:{fault}")).collect();
    Stop::refused(format!("{name} is not submitted: it is no valid graph\n{}", faults.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_is_called_as_its_file_is() {
        assert_eq!(stem(Path::new("some/montage 05.json")), Name::new("montage_05").ok());
        assert_eq!(stem(Path::new("-")), None);
    }
}
