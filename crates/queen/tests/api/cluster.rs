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
use tokio::time::Instant;

use crate::clocks::Clocks;
use crate::network::MemoryNetwork;

/// No test waits longer for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Queens in one process, with ids from 1.
pub(crate) struct Cluster {
    pub(crate) network: MemoryNetwork,
    /// Those of all queens.
    pub(crate) clocks: Clocks,
    env: Env,
    configs: Vec<QueenConfig>,
    /// By position; what outlives the queens.
    engines: Vec<Arc<MemoryEngine>>,
    disks: Vec<Arc<MemoryDisk>>,
    /// By position; nothing where one was stopped.
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
        let (env, clocks) = (Env::new(SystemEnvironment::current()), Clocks::new());
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let config = |id| QueenConfig::parse(&text(id, number), &overrides).expect("it is valid");
        let mut cluster = Self {
            network,
            clocks,
            env,
            configs: (1..=number).map(config).collect(),
            engines: (1..=number).map(|_| Arc::new(MemoryEngine::new())).collect(),
            disks: (1..=number).map(|_| Arc::new(MemoryDisk::new())).collect(),
            queens: (1..=number).map(|_| None).collect(),
        };
        for id in 1..=number {
            cluster.start(id).await;
        }
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
        self.client_within(ids, PATIENCE)
    }

    /// A client of some queens that gives up earlier.
    pub(crate) fn client_within(&self, ids: &[usize], timeout: Duration) -> Client {
        let servers: Vec<String> = ids.iter().map(|id| format!("http://{}", http(*id))).collect();
        Client::new(self.env.clone(), Net::new(self.network.clone()), &servers, None, timeout)
            .expect("addresses are valid")
    }

    /// The id of the queen that leads; waits until one does.
    pub(crate) async fn leader(&self) -> usize {
        let began = Instant::now();
        loop {
            let view: ClusterView = self.client().cluster().await.expect("a queen answers");
            if let Some(leader) = view.leader {
                return usize::try_from(leader).expect("ids are small");
            }
            assert!(began.elapsed() < PATIENCE, "none leads");
            tokio::task::yield_now().await;
        }
    }

    /// The ids of the queens that do not lead.
    pub(crate) async fn followers(&self) -> Vec<usize> {
        let leader = self.leader().await;
        (1..=self.queens.len()).filter(|id| *id != leader).collect()
    }

    /// Starts a queen that does not run, with what it had stored.
    pub(crate) async fn start(&mut self, id: usize) {
        let position = id - 1;
        let engine = Arc::new(self.engines[position].restart());
        self.engines[position] = engine.clone();
        let (disk, net) = (self.disks[position].clone(), Net::new(self.network.clone()));
        let config = self.configs[position].clone();
        let env = Env::new(self.clocks.clone());
        let queen = Queen::start::<SystemRuntime>(env, self.env.clone(), engine, disk, net, config).await;
        self.queens[position] = Some(queen.expect("it starts"));
    }

    /// Starts another queen, which is to be added; tells its id.
    pub(crate) async fn join(&mut self) -> usize {
        let id = self.queens.len() + 1;
        let text = format!(
            "id = {id}\ncluster_id = \"test\"\ndata_dir = \"/queen\"\nhttp = \"{}\"\nraft = \"{}\"\njoin = [\"{}\"]\n",
            http(id),
            raft(id),
            raft(1)
        );
        self.configs.push(QueenConfig::parse(&text, &[]).expect("it is valid"));
        self.engines.push(Arc::new(MemoryEngine::new()));
        self.disks.push(Arc::new(MemoryDisk::new()));
        self.queens.push(None);
        self.start(id).await;
        id
    }

    /// Waits until a queen has stopped by itself, and tells why.
    pub(crate) async fn failed(&self, id: usize) -> String {
        let queen = self.queens[id - 1].as_ref().expect("it runs");
        tokio::time::timeout(PATIENCE, queen.failed()).await.expect("it stops").to_string()
    }

    /// Stops a queen in order.
    pub(crate) async fn stop(&mut self, id: usize) {
        self.queens[id - 1].take().expect("it runs").stop().await;
    }

    /// Cuts the power of all queens at once, and starts them again with what was synced.
    pub(crate) async fn cut_power(&mut self) {
        // What is written from here on is lost: only what is durable at this moment comes back.
        self.engines = self.engines.iter().map(|engine| Arc::new(engine.restart())).collect();
        let all = 1..=self.queens.len();
        for id in all.clone() {
            self.stop(id).await;
        }
        self.disks.iter().for_each(|disk| disk.crash());
        for id in all {
            self.start(id).await;
        }
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
