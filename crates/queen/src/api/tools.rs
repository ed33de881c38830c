//! Tools: their manifests.

use antfarm_model::document::ManifestDocument;
use antfarm_model::{Fault, Manifest};
use antfarm_scheduler::Command;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Api;
use super::ask::{Asked, Page, Plain, json};
use super::nodes::path_name;
use super::problem::Problem;

#[derive(Serialize)]
pub(super) struct ToolPage {
    tools: Vec<ManifestDocument>,
    next: Option<String>,
}

/// By name; `after` is one.
pub(super) async fn list(State(api): State<Api>, Asked(page): Asked<Page>) -> Result<Json<ToolPage>, Problem> {
    let limit = page.limit()?;
    if page.state.is_some() {
        return Err(Problem::bad_request("tools have no state to ask for"));
    }
    let (tools, next) = api.shared.replica.read(|state| {
        let later = |tool: &&Manifest| page.after.as_deref().is_none_or(|after| tool.name.as_str() > after);
        let mut manifests = state.manifests().filter(later);
        let shown: Vec<&Manifest> = manifests.by_ref().take(limit).collect();
        let next = manifests.next().and(shown.last()).map(|last| last.name.to_string());
        (shown.into_iter().map(ManifestDocument::from).collect(), next)
    });
    Ok(Json(ToolPage { tools, next }))
}

pub(super) async fn show(
    State(api): State<Api>,
    Path(name): Path<String>,
    _: Asked<Plain>,
) -> Result<Json<ManifestDocument>, Problem> {
    let manifest = api.shared.replica.read(|state| state.manifest(&name).map(ManifestDocument::from));
    manifest.map(Json).ok_or_else(|| {
        Problem::not_found(format!(
            "there is no tool {name:?} with a manifest: `antfarm tool list` shows those that are there"
        ))
    })
}

/// Declares a tool, or changes its manifest for graphs that are submitted later. The body may leave the name out.
pub(super) async fn put(
    State(api): State<Api>,
    Path(name): Path<String>,
    _: Asked<Plain>,
    body: Bytes,
) -> Result<Json<ManifestDocument>, Problem> {
    let manifest = manifest(&name, json(&body)?)?;
    let answer = ManifestDocument::from(&manifest);
    api.propose(Command::PutTool(manifest)).await?;
    Ok(Json(answer))
}

/// Withdraws a manifest; refused while a graph that uses it has not been removed.
pub(super) async fn delete(
    State(api): State<Api>,
    Path(name): Path<String>,
    _: Asked<Plain>,
) -> Result<StatusCode, Problem> {
    api.propose(Command::DeleteTool { name: path_name(&name)? }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn manifest(name: &str, mut body: Map<String, Value>) -> Result<Manifest, Problem> {
    path_name(name)?;
    let stated = body.entry("name").or_insert_with(|| Value::String(name.to_owned()));
    if stated != name {
        let message = format!("must be {name}, as in the address, or left out; it is {stated}");
        return Err(Problem::invalid(vec![Fault { path: "name".into(), position: None, message }]));
    }
    let document: ManifestDocument = serde_json::from_value(Value::Object(body)).map_err(|error| {
        Problem::invalid(vec![Fault { path: String::new(), position: None, message: error.to_string() }])
    })?;
    Manifest::try_from(document).map_err(Problem::invalid)
}

#[cfg(test)]
mod tests {
    use super::super::problem::Kind;
    use super::*;

    fn read(name: &str, body: &str) -> Result<Manifest, Problem> {
        manifest(name, json(body.as_bytes())?)
    }

    #[test]
    fn the_name_may_stand_in_the_address_only() {
        let named = read("resize", r#"{"name": "resize", "cost_class": "cpu"}"#);
        assert_eq!(named, read("resize", r#"{"cost_class": "cpu"}"#));
        assert_eq!(named.map(|manifest| manifest.name.to_string()), Ok("resize".into()));
    }

    #[test]
    fn faults_of_a_manifest_have_paths() {
        let paths = |body| {
            let problem = read("resize", body).expect_err("it has faults");
            assert_eq!(problem.kind, Kind::Invalid);
            problem.faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(r#"{"name": "other", "cost_class": "cpu"}"#), ["name"]);
        assert_eq!(paths(r#"{"cost_class": "cpu", "timeout": "soon", "retries": 100000}"#), ["timeout", "retries"]);
        assert_eq!(paths(r#"{"cost_class": "gpu"}"#), [""]);
    }
}
