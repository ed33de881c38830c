//! A cluster of queens in one process.

use std::sync::Arc;
use std::time::Duration;

use antfarm_client::views::{ClusterView, GraphView};
use antfarm_client::{Answer, Ask, Client, ClientError, Problem};
use antfarm_env::{Env, Net, SystemEnvironment};
use antfarm_model::document::ManifestDocument;
use antfarm_model::{CostClass, Manifest, Name};
use antfarm_queen::{Queen, QueenConfig, QueenHandle};
use antfarm_replication::SystemRuntime;
use antfarm_storage::{MemoryDisk, MemoryEngine};

use crate::network::MemoryNetwork;

/// No test waits longer for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Queens in one process, with ids from 1.
pub(crate) struct Cluster {
    pub(crate) network: MemoryNetwork,
    env: Env,
    /// By position; nothing where one was killed.
    queens: Vec<Option<QueenHandle>>,
}

pub(crate) fn http(id: usize) -> String {
    format!("127.0.0.1:{}", 7100 + id)
}

pub(crate) fn raft(id: usize) -> String {
    format!("127.0.0.1:{}", 7200 + id)
}

impl Cluster {
    /// Starts that many queens, and waits until one leads and knows the tool `echo`.
    pub(crate) async fn of(number: usize, overrides: &[(&str, &str)]) -> Self {
        let network = MemoryNetwork::default();
        let env = Env::new(SystemEnvironment::current());
        let mut queens = Vec::new();
        for id in 1..=number {
            let overrides = overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let config = QueenConfig::parse(&text(id, number), &overrides.collect::<Vec<_>>()).expect("it is valid");
            let (engine, disk) = (Arc::new(MemoryEngine::new()), Arc::new(MemoryDisk::new()));
            let net = Net::new(network.clone());
            let queen = Queen::start::<SystemRuntime>(env.clone(), engine, disk, net, config).await;
            queens.push(Some(queen.expect("it starts")));
        }
        let cluster = Self { network, env, queens };
        let manifest = Manifest::new(Name::new("echo").expect("a name"), CostClass::Io);
        cluster.client().put_tool(&ManifestDocument::from(&manifest)).await.expect("a leader is elected");
        cluster
    }

    /// A client of all queens.
    pub(crate) fn client(&self) -> Client {
        self.client_of(&(1..=self.queens.len()).collect::<Vec<_>>())
    }

    /// A client of some queens.
    pub(crate) fn client_of(&self, ids: &[usize]) -> Client {
        let servers: Vec<String> = ids.iter().map(|id| format!("http://{}", http(*id))).collect();
        Client::new(self.env.clone(), Net::new(self.network.clone()), &servers, None, PATIENCE).expect("addresses are valid")
    }

    /// The id of the queen that leads.
    pub(crate) async fn leader(&self) -> usize {
        let view: ClusterView = self.client().cluster().await.expect("a queen answers");
        usize::try_from(view.leader.expect("one leads")).expect("ids are small")
    }

    /// The ids of the queens that do not lead.
    pub(crate) async fn followers(&self) -> Vec<usize> {
        let leader = self.leader().await;
        (1..=self.queens.len()).filter(|id| *id != leader).collect()
    }

    /// Stops a queen in order.
    pub(crate) async fn stop(&mut self, id: usize) {
        self.queens[id - 1].take().expect("it runs").stop().await;
    }

    /// Submits a graph of one node, which waits for a forager that never comes.
    pub(crate) async fn submit(&self, id: &str) -> GraphView {
        let document = format!("{{\"id\": \"{id}\", \"nodes\": {{\"a\": {{\"tool\": \"echo\", \"args\": [1]}}}}}}");
        self.client().submit(document, "application/json").await.expect("it is valid").graph
    }
}

fn text(id: usize, number: usize) -> String {
    let members: Vec<String> =
        (1..=number).map(|id| format!("{{id = {id}, http = \"{}\", raft = \"{}\"}}", http(id), raft(id))).collect();
    format!(
        "id = {id}\ncluster_id = \"test\"\ndata_dir = \"/queen\"\nhttp = \"{}\"\nraft = \"{}\"\ninitial_members = [{}]\n",
        http(id),
        raft(id),
        members.join(", ")
    )
}

/// Reads a path, and takes whatever is answered.
pub(crate) async fn read(client: &Client, path: &str) -> Result<Answer, Problem> {
    refused(client.ask(&Ask::read(path)).await)
}

/// The problem that a queen stated.
pub(crate) fn refused<T>(answer: Result<T, ClientError>) -> Result<T, Problem> {
    answer.map_err(|error| match error {
        ClientError::Refused(problem) => problem,
        other @ (ClientError::BadServer(_)
        | ClientError::NoServer
        | ClientError::NoLeader(_)
        | ClientError::OutcomeUnknown(_)
        | ClientError::NotUnderstood { .. }) => panic!("no queen answered: {other}"),
    })
}
