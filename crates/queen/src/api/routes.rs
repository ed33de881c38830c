//! What there is: every path with its methods, who answers it, and how large its body may be.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post, put};

use super::dated::INDEX;
use super::leader::{Care, Certainty, at_leader};
use super::problem::{Kind, Problem};
use super::{
    Api, attempts, cluster, decide, events, explain, foragers, graphs, health, members, nodes, results, submit, tools,
};

/// The longest body of a request that submits no graph.
const MAX_SMALL_BODY: u64 = 1 << 20;

const OPENAPI: &str = include_str!("openapi.json");

const FRONT_PAGE: &str = include_str!("front_page.html");

/// A path and what may be done with it.
struct Route {
    path: &'static str,
    /// As `openapi.json` names them.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test of openapi.json compares them"))]
    methods: &'static [&'static str],
    handlers: MethodRouter<Api>,
    /// How the leader answers; nothing if the queen that is asked does.
    care: Option<Care>,
}

/// All routes of the API.
pub(super) fn router(api: Api) -> Router {
    let mut router = Router::new();
    for route in routes(api.shared.config.limits.graph_bytes.0) {
        let handlers = match route.care {
            Some(care) => route.handlers.layer(from_fn_with_state((api.clone(), care), at_leader)),
            None => route.handlers,
        };
        router = router.route(route.path, handlers);
    }
    router
        .fallback(async || Problem::not_found("there is nothing at this address: /openapi.json lists what there is"))
        .method_not_allowed_fallback(async || {
            Problem::new(Kind::MethodNotAllowed, "this method is not known here: /openapi.json lists what there is")
        })
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(api.clone(), with_index))
        .with_state(api)
}

fn routes(graph_bytes: u64) -> Vec<Route> {
    let care = |certainty, body_bytes| Some(Care { certainty, body_bytes });
    let current = care(Certainty::Current, MAX_SMALL_BODY);
    let proposed = care(Certainty::Quorum, MAX_SMALL_BODY);
    let submitted = care(Certainty::Quorum, graph_bytes);
    let route = |path, methods, handlers, care| Route { path, methods, handlers, care };
    vec![
        route("/", &["get"], get(front_page), None),
        route("/openapi.json", &["get"], get(openapi), None),
        route("/healthz", &["get"], get(health::alive), None),
        route("/readyz", &["get"], get(health::ready), None),
        route("/metrics", &["get"], get(health::metrics), None),
        route("/v1/events", &["get"], get(events::stream), None),
        route("/v1/forager", &["get"], get(forager), None),
        route("/v1/cluster", &["get"], get(cluster::show), None),
        route("/v1/cluster/members", &["post"], post(members::put), proposed),
        route("/v1/cluster/members/{id}", &["delete"], delete(members::delete), proposed),
        route("/v1/cluster/transfer", &["post"], post(cluster::transfer), current),
        route("/v1/graphs", &["get"], get(graphs::list), current),
        route("/v1/graphs", &["post"], post(submit::submit), submitted),
        route("/v1/graphs/{id}", &["get", "delete"], get(graphs::show).delete(graphs::delete), current),
        route("/v1/graphs/{id}/cancel", &["post"], post(graphs::cancel), current),
        route("/v1/graphs/{id}/pause", &["post"], post(graphs::pause), current),
        route("/v1/graphs/{id}/resume", &["post"], post(graphs::resume), current),
        route("/v1/graphs/{id}/results", &["get"], get(results::list), current),
        route("/v1/graphs/{id}/nodes", &["get"], get(nodes::list), current),
        route("/v1/graphs/{id}/nodes/{node}", &["get"], get(nodes::show), current),
        route("/v1/graphs/{id}/nodes/{node}/result", &["get"], get(results::show), current),
        route("/v1/graphs/{id}/nodes/{node}/explain", &["get"], get(explain::show), current),
        route("/v1/graphs/{id}/nodes/{node}/attempts", &["get"], get(attempts::list), current),
        route("/v1/graphs/{id}/nodes/{node}/attempts/{fence}/log", &["get"], get(attempts::log), current),
        route("/v1/graphs/{id}/nodes/{node}/decide", &["post"], post(decide::post), current),
        route("/v1/foragers", &["get"], get(foragers::list), current),
        route("/v1/foragers/{name}", &["get"], get(foragers::show), current),
        route("/v1/foragers/{name}/drain", &["post"], post(foragers::drain), current),
        route("/v1/foragers/{name}/undrain", &["post"], post(foragers::undrain), current),
        route("/v1/tools", &["get"], get(tools::list), current),
        route("/v1/tools/{name}", &["get"], get(tools::show), current),
        route("/v1/tools/{name}", &["put", "delete"], put(tools::put).delete(tools::delete), proposed),
    ]
}

async fn front_page() -> Html<&'static str> {
    Html(FRONT_PAGE)
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}

/// The forager protocol.
async fn forager(State(api): State<Api>, upgrade: axum::extract::WebSocketUpgrade) -> Response {
    crate::sessions::upgrade(api.shared, upgrade)
}

/// A read reflects what was applied before it began, and a change what was applied when it was done.
async fn with_index(State(api): State<Api>, request: Request, next: Next) -> Response {
    let applied = || api.shared.replica.read(|state| state.applied().index);
    let before = (request.method() == Method::GET).then(applied);
    let mut response = next.run(request).await;
    if !response.headers().contains_key(INDEX) {
        response.headers_mut().insert(INDEX, HeaderValue::from(before.unwrap_or_else(applied).0));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn openapi_describes_every_route_and_no_other() {
        let document: Value = serde_json::from_str(OPENAPI).expect("it is JSON");
        let described: BTreeSet<(String, String)> = document["paths"]
            .as_object()
            .expect("paths is a map")
            .iter()
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().expect("methods are a map").keys();
                methods.filter(|key| *key != "parameters").map(|method| (path.clone(), method.clone()))
            })
            .collect();
        let served: BTreeSet<(String, String)> = routes(1)
            .iter()
            .flat_map(|route| route.methods.iter().map(|method| (route.path.to_owned(), (*method).to_owned())))
            .collect();
        assert_eq!(described, served);
    }

    #[test]
    fn every_reference_in_openapi_leads_somewhere() {
        fn check(document: &Value, value: &Value) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(reference)) = map.get("$ref") {
                        let pointer = reference.strip_prefix('#').expect("references stay in the document");
                        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
                    }
                    map.values().for_each(|value| check(document, value));
                }
                Value::Array(list) => list.iter().for_each(|value| check(document, value)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let document: Value = serde_json::from_str(OPENAPI).expect("it is JSON");
        check(&document, &document);
    }
}
