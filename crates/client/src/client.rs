//! What can be asked of a cluster, typed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_model::document::ManifestDocument;
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::address::{path, server, with_query};
use crate::answer::Answer;
use crate::error::ClientError;
use crate::events::EventStream;
use crate::search::Search;
use crate::transport::{Ask, Transport};
use crate::views::{
    AttemptPage, ChangedMember, ClusterView, DecidedNode, ExplanationView, ForagerPage, ForagerView, GraphPage,
    GraphView, LeaderView, NodePage, NodeView, ResultPage, ToolPage,
};

const JSON: &str = "application/json";

/// A cluster, as its clients see it. A clone is the same client.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) transport: Transport,
    pub(crate) servers: Arc<[String]>,
    timeout: Duration,
    /// The position of the queen that answered last: the first to be asked.
    preferred: Arc<AtomicUsize>,
}

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What the former page said is `next`.
    pub after: Option<String>,
    /// How many things; the queen's default, if none.
    pub limit: Option<usize>,
    /// Only what is in this state.
    pub state: Option<String>,
}

/// A graph that was submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    /// Whether it was not there before.
    pub new: bool,
    /// The graph.
    pub graph: GraphView,
    /// The last log entry that this reflects.
    pub index: u64,
}

impl Client {
    /// A client of the queens at these addresses (`http://host:port`), which gives up after `timeout`.
    pub fn new(
        env: Env,
        net: Net,
        servers: &[String],
        token: Option<String>,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        let servers: Vec<String> = servers.iter().map(|text| server(text)).collect::<Result<_, _>>()?;
        if servers.is_empty() {
            return Err(ClientError::NoServer);
        }
        let transport = Transport::new(env, net, token);
        Ok(Self { transport, servers: servers.into(), timeout, preferred: Arc::default() })
    }

    /// The queens that are asked (`host:port`).
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Whether any queen has answered anything, be it that nobody leads.
    pub fn has_answered(&self) -> bool {
        self.transport.has_answered()
    }

    /// Asks until a queen gives an answer that is no «try again».
    pub async fn ask(&self, ask: &Ask) -> Result<Answer, ClientError> {
        let search = Search::new(&self.transport, &self.servers, ask, self.timeout);
        let (answer, server) = search.run(self.preferred()).await?;
        self.preferred.store(server, Ordering::Relaxed);
        Ok(answer)
    }

    pub(crate) fn preferred(&self) -> usize {
        self.preferred.load(Ordering::Relaxed) % self.servers.len()
    }

    async fn read<T: DeserializeOwned>(&self, path: String) -> Result<T, ClientError> {
        self.ask(&Ask::read(path)).await?.json()
    }

    async fn post<T: DeserializeOwned>(&self, path: String, body: &Value) -> Result<T, ClientError> {
        self.ask(&Ask::change(Method::POST, path).with_body(body.to_string(), JSON)).await?.json()
    }

    async fn delete(&self, path: String) -> Result<(), ClientError> {
        self.ask(&Ask::change(Method::DELETE, path)).await.map(|_| ())
    }

    // Graphs.

    /// Submits a graph; `kind` is the media type of the document: `application/json`, `application/yaml` or
    /// `application/x-ndjson`.
    pub async fn submit(&self, document: impl Into<Bytes>, kind: &'static str) -> Result<Submitted, ClientError> {
        let answer = self.ask(&Ask::change(Method::POST, "/v1/graphs").with_body(document, kind)).await?;
        Ok(Submitted { new: answer.status == StatusCode::CREATED, graph: answer.json()?, index: answer.dated()? })
    }

    /// Graphs in submission order.
    pub async fn graphs(&self, page: &Page) -> Result<GraphPage, ClientError> {
        self.read(page.of("/v1/graphs")).await
    }

    /// A graph as it is now.
    pub async fn graph(&self, id: &str) -> Result<GraphView, ClientError> {
        self.read(path("/v1/graphs/{}", &[id])).await
    }

    /// A graph as it is now, and the last log entry that this reflects.
    pub(crate) async fn dated_graph(&self, id: &str) -> Result<(GraphView, u64), ClientError> {
        let answer = self.ask(&Ask::read(path("/v1/graphs/{}", &[id]))).await?;
        Ok((answer.json()?, answer.dated()?))
    }

    /// Cancels a graph.
    pub async fn cancel(&self, id: &str) -> Result<GraphView, ClientError> {
        self.post(path("/v1/graphs/{}/cancel", &[id]), &json!({})).await
    }

    /// Assigns nothing more of a graph until it is resumed.
    pub async fn pause(&self, id: &str) -> Result<GraphView, ClientError> {
        self.post(path("/v1/graphs/{}/pause", &[id]), &json!({})).await
    }

    /// Ends a pause.
    pub async fn resume(&self, id: &str) -> Result<GraphView, ClientError> {
        self.post(path("/v1/graphs/{}/resume", &[id]), &json!({})).await
    }

    /// Removes a graph that has ended.
    pub async fn delete_graph(&self, id: &str) -> Result<(), ClientError> {
        self.delete(path("/v1/graphs/{}", &[id])).await
    }

    /// Results of a graph in order.
    pub async fn results(&self, id: &str, page: &Page) -> Result<ResultPage, ClientError> {
        self.read(page.of(&path("/v1/graphs/{}/results", &[id]))).await
    }

    // Nodes.

    /// Nodes in submission order; with a state, single instances.
    pub async fn nodes(&self, graph: &str, page: &Page) -> Result<NodePage, ClientError> {
        self.read(page.of(&path("/v1/graphs/{}/nodes", &[graph]))).await
    }

    /// A node, or an instance of an array node (`fan[3]`).
    pub async fn node(&self, graph: &str, node: &str) -> Result<NodeView, ClientError> {
        self.read(path("/v1/graphs/{}/nodes/{}", &[graph, node])).await
    }

    /// The result of a node, of an array node the list, as JSON text: keys in their order, numbers with all digits.
    pub async fn result_text(&self, graph: &str, node: &str) -> Result<String, ClientError> {
        Ok(self.ask(&Ask::read(path("/v1/graphs/{}/nodes/{}/result", &[graph, node]))).await?.text())
    }

    /// Why an instance is where it is.
    pub async fn explain(&self, graph: &str, node: &str) -> Result<ExplanationView, ClientError> {
        self.read(path("/v1/graphs/{}/nodes/{}/explain", &[graph, node])).await
    }

    /// The attempts at an instance that are remembered.
    pub async fn attempts(&self, graph: &str, node: &str) -> Result<AttemptPage, ClientError> {
        self.read(path("/v1/graphs/{}/nodes/{}/attempts", &[graph, node])).await
    }

    /// The end of an attempt's standard error.
    pub async fn log(&self, graph: &str, node: &str, fence: u64) -> Result<String, ClientError> {
        let template = "/v1/graphs/{}/nodes/{}/attempts/{}/log";
        Ok(self.ask(&Ask::read(path(template, &[graph, node, &fence.to_string()]))).await?.text())
    }

    /// Decides what becomes of an instance in `needs_decision`; `ruling` is the body that the API describes.
    pub async fn decide(&self, graph: &str, node: &str, ruling: &Value) -> Result<DecidedNode, ClientError> {
        self.post(path("/v1/graphs/{}/nodes/{}/decide", &[graph, node]), ruling).await
    }

    // Foragers.

    /// Foragers in registry order.
    pub async fn foragers(&self, page: &Page) -> Result<ForagerPage, ClientError> {
        self.read(page.of("/v1/foragers")).await
    }

    /// A forager with its open attempts.
    pub async fn forager(&self, name: &str) -> Result<ForagerView, ClientError> {
        self.read(path("/v1/foragers/{}", &[name])).await
    }

    /// Assigns nothing more to a forager.
    pub async fn drain(&self, name: &str) -> Result<ForagerView, ClientError> {
        self.post(path("/v1/foragers/{}/drain", &[name]), &json!({})).await
    }

    /// Ends a drain, and a quarantine.
    pub async fn undrain(&self, name: &str) -> Result<ForagerView, ClientError> {
        self.post(path("/v1/foragers/{}/undrain", &[name]), &json!({})).await
    }

    // Tools.

    /// Tools with a manifest, by name.
    pub async fn tools(&self, page: &Page) -> Result<ToolPage, ClientError> {
        self.read(page.of("/v1/tools")).await
    }

    /// A tool's manifest.
    pub async fn tool(&self, name: &str) -> Result<ManifestDocument, ClientError> {
        self.read(path("/v1/tools/{}", &[name])).await
    }

    /// Declares a tool, or changes its manifest for graphs that are submitted later.
    pub async fn put_tool(&self, manifest: &ManifestDocument) -> Result<ManifestDocument, ClientError> {
        let body = json!(manifest).to_string();
        let address = path("/v1/tools/{}", &[&manifest.name]);
        self.ask(&Ask::change(Method::PUT, address).with_body(body, JSON)).await?.json()
    }

    /// Withdraws a manifest.
    pub async fn delete_tool(&self, name: &str) -> Result<(), ClientError> {
        self.delete(path("/v1/tools/{}", &[name])).await
    }

    // The cluster.

    /// The cluster, as some queen sees it.
    pub async fn cluster(&self) -> Result<ClusterView, ClientError> {
        self.read("/v1/cluster".to_owned()).await
    }

    /// Who leads, as far as the queen knows that answers: less work for her than the whole cluster.
    pub async fn leader(&self) -> Result<LeaderView, ClientError> {
        self.read("/v1/cluster?scope=member".to_owned()).await
    }

    /// The cluster, as each queen sees it, in the order of [`Client::servers`]; nothing from those that do not answer.
    pub async fn cluster_of_each(&self) -> Vec<Option<ClusterView>> {
        let asked = self.servers.iter().map(async |server| {
            let answer = timeout(self.timeout, self.transport.ask(server, &Ask::read("/v1/cluster"))).await;
            answer.ok()?.ok()?.json().ok()
        });
        futures_util::future::join_all(asked).await
    }

    /// Hands leadership to a member, or to the voter with the longest log, and tells to whom.
    pub async fn transfer(&self, to: Option<u64>) -> Result<u64, ClientError> {
        // Sent again, the request must not hand over once more.
        let from = self.leader().await?.leader;
        let answer: Value = self.post("/v1/cluster/transfer".to_owned(), &json!({ "to": to, "from": from })).await?;
        answer["leader"].as_u64().ok_or_else(|| ClientError::NotUnderstood {
            server: self.servers[self.preferred()].clone(),
            why: "it does not say who leads".to_owned(),
        })
    }

    /// Adds a queen as a learner, and tells how it stands among the members.
    pub async fn add_member(&self, id: u64, http: &str, raft: &str) -> Result<ChangedMember, ClientError> {
        self.put_member(&json!({ "id": id, "http": http, "raft": raft })).await
    }

    /// Makes a learner a voter, if it has what was committed.
    pub async fn promote_member(&self, id: u64) -> Result<ChangedMember, ClientError> {
        self.put_member(&json!({ "id": id, "voter": true })).await
    }

    /// Removes a member for ever; `force` also if no majority of the others can be reached.
    pub async fn remove_member(&self, id: u64, force: bool) -> Result<(), ClientError> {
        let force = force.then(|| "true".to_owned());
        self.delete(with_query(&path("/v1/cluster/members/{}", &[&id.to_string()]), &[("force", force)])).await
    }

    async fn put_member(&self, member: &Value) -> Result<ChangedMember, ClientError> {
        self.post("/v1/cluster/members".to_owned(), member).await
    }

    /// What changes after a log index, or from now on; of one graph, or of all.
    pub fn events(&self, since: Option<u64>, graph: Option<&str>) -> EventStream {
        EventStream::new(self.clone(), since, graph.map(ToOwned::to_owned), self.timeout)
    }
}

impl Page {
    /// The first things, as many as the queen gives.
    pub fn first() -> Self {
        Self::default()
    }

    fn of(&self, path: &str) -> String {
        let limit = self.limit.map(|limit| limit.to_string());
        with_query(path, &[("state", self.state.clone()), ("after", self.after.clone()), ("limit", limit)])
    }
}
