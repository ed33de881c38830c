//! A file becomes a graph that can be submitted: format, id, faults, body.

use std::path::Path;

use antfarm_client::{Client, ClientError, Submitted};
use antfarm_model::document;
use antfarm_model::{Fault, Graph, Limits, Name};
use clap::ValueEnum;

use crate::body;
use crate::exit::Stop;
use crate::source::Source;
use crate::wfformat::{self, Conversion};

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
        Self::checked(name, bytes, conversion.id.as_ref())
    }

    /// Hands it in. A retry is safe, and is made.
    pub(crate) async fn send(&self, client: &Client) -> Result<Submitted, ClientError> {
        let kind = if self.is_ndjson { "application/x-ndjson" } else { "application/json" };
        client.submit(self.body.clone(), kind).await
    }

    fn checked(name: &str, bytes: &[u8], id: Option<&Name>) -> anyhow::Result<Self> {
        let graph = compile(bytes, &LOCAL_LIMITS, id).map_err(|faults| faulty(name, &lines(&faults)))?;
        let tree = document::parse(bytes, &LOCAL_LIMITS).map_err(|faults| faulty(name, &lines(&faults)))?;
        let json = body::json(&tree, id);
        let is_ndjson = json.len() > NDJSON_FROM_BYTES;
        let body = if is_ndjson { body::ndjson(&tree, id) } else { json };
        Ok(Self { graph, body, is_ndjson })
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
