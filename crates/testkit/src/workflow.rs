//! Recorded workflows (WfCommons WfFormat 1.5) beside the checkout: real shapes of graphs.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A workflow's shape, read independently of how `antfarm submit` reads it.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// The file.
    pub path: PathBuf,
    /// The tasks, by their ids.
    pub tasks: Vec<String>,
    /// Parent and child.
    pub edges: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Document {
    workflow: Body,
}

#[derive(Deserialize)]
struct Body {
    specification: Specification,
}

#[derive(Deserialize)]
struct Specification {
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    id: String,
    parents: Vec<String>,
}

/// All workflows, or none with a message, where the folder is not beside the checkout.
pub fn workflows() -> Vec<Workflow> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = fs::read_dir(&folder).expect("the folder of workflows can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.iter().map(|path| Workflow::read(path)).collect()
}

impl Workflow {
    /// The one in that file, or nothing with a message, where the folder is not beside the checkout.
    pub fn named(file: &str) -> Option<Self> {
        Some(Self::read(&folder()?.join(file)))
    }

    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let document: Document =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let tasks = document.workflow.specification.tasks;
        let edges = tasks.iter().flat_map(|task| task.parents.iter().map(|parent| (parent.clone(), task.id.clone())));
        let edges = edges.collect();
        Self { path: path.to_owned(), tasks: tasks.into_iter().map(|task| task.id).collect(), edges }
    }

    /// The name of the file without its extension, which is the id of the graph, too.
    pub fn name(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).expect("the file has a name in UTF-8")
    }

    /// The path, for a command line.
    pub fn file(&self) -> &str {
        self.path.to_str().expect("the file has a path in UTF-8")
    }

    /// The ids of its tasks.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().map(String::as_str)
    }

    /// Parent and child.
    pub fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.iter().map(|(parent, child)| (parent.as_str(), child.as_str()))
    }
}

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/workflows");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the recorded workflows are not beside the checkout, in ../shared/workflows");
    None
}
