//! A WfFormat 1.5 document as it stands in its file, and what makes it sound.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Task;

/// What we need of a document; all the rest of it is passed over.
#[derive(Deserialize)]
pub(super) struct Document {
    #[serde(default)]
    name: String,
    workflow: Workflow,
}

#[derive(Deserialize)]
struct Workflow {
    specification: Specification,
    #[serde(default)]
    execution: Execution,
}

#[derive(Deserialize)]
struct Specification {
    tasks: Vec<SpecifiedTask>,
}

#[derive(Deserialize)]
struct SpecifiedTask {
    id: String,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    children: Vec<String>,
}

#[derive(Deserialize, Default)]
struct Execution {
    #[serde(default)]
    tasks: Vec<ExecutedTask>,
}

#[derive(Deserialize)]
struct ExecutedTask {
    id: String,
    #[serde(rename = "runtimeInSeconds")]
    runtime_s: Option<f64>,
}

/// Whether a text is such a document, by the fields that only they have.
pub(crate) fn is_wfformat(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Marks {
        #[serde(rename = "schemaVersion")]
        _schema_version: IgnoredAny,
        #[serde(rename = "workflow")]
        _workflow: IgnoredAny,
    }
    serde_json::from_slice::<Marks>(bytes).is_ok()
}

impl Document {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|why| format!("no WfFormat 1.5 document: {why}"))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The tasks in document order, or everything that is wrong with their links.
    pub(super) fn tasks(&self) -> Result<Vec<Task<'_>>, Vec<String>> {
        let specified = &self.workflow.specification.tasks;
        let mut faults = Vec::new();
        if specified.is_empty() {
            faults.push("workflow.specification.tasks is empty; a graph has at least one node".to_owned());
        }
        let mut parents_of = BTreeMap::new();
        for task in specified {
            let parents: BTreeSet<&str> = task.parents.iter().map(String::as_str).collect();
            if parents_of.insert(task.id.as_str(), parents).is_some() {
                faults.push(format!("task {}: another task has this id", task.id));
            }
        }
        for task in specified {
            check_links(task, &parents_of, &mut faults);
        }
        let executed = &self.workflow.execution.tasks;
        let runtimes: BTreeMap<&str, Option<f64>> =
            executed.iter().map(|task| (task.id.as_str(), task.runtime_s)).collect();
        let tasks = specified.iter().map(|task| Task {
            id: &task.id,
            parents: distinct(&task.parents),
            runtime_s: runtimes.get(task.id.as_str()).copied().flatten(),
        });
        if faults.is_empty() { Ok(tasks.collect()) } else { Err(faults) }
    }
}

/// Both ends of a link must tell of it, lest an order be lost silently.
fn check_links(task: &SpecifiedTask, parents_of: &BTreeMap<&str, BTreeSet<&str>>, faults: &mut Vec<String>) {
    for parent in &task.parents {
        if !parents_of.contains_key(parent.as_str()) {
            faults.push(format!("task {}: its parent {parent} is no task of this workflow", task.id));
        }
    }
    for child in &task.children {
        match parents_of.get(child.as_str()) {
            None => faults.push(format!("task {}: its child {child} is no task of this workflow", task.id)),
            Some(parents) if !parents.contains(task.id.as_str()) => {
                faults.push(format!("task {}: its child {child} does not name it as a parent", task.id));
            }
            Some(_) => {}
        }
    }
}

/// In their order, each once.
fn distinct(names: &[String]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    names.iter().map(String::as_str).filter(|name| seen.insert(*name)).collect()
}
