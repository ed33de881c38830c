//! Where everything of a development cluster is: addresses, folders, configurations.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;

use antfarm_client::Client;
use antfarm_env::Env;
use antfarm_forager::{ForagerConfig, ToolProgram};
use antfarm_model::{MemberId, Name};
use antfarm_queen::{InitialMember, QueenConfig, RaftConfig};
use anyhow::Context;

use super::child::Spec;
use crate::cli::Global;
use crate::connection;
use crate::exit::Stop;
use crate::tools_file::Tool;

/// A cluster on loopback, under one folder.
pub(crate) struct Layout {
    pub(crate) dir: PathBuf,
    pub(crate) queens: u16,
    pub(crate) foragers: u16,
    pub(crate) slots: u32,
    pub(crate) prefetch: u32,
    pub(crate) base_port: u16,
}

/// The ports of queens' peers are this much higher than those for clients.
const RAFT_OFFSET: u16 = 100;

impl Layout {
    /// Where clients and foragers reach a queen.
    pub(crate) fn http(&self, queen: u16) -> String {
        format!("127.0.0.1:{}", self.base_port + queen)
    }

    /// As [`Layout::http`], as an address for clients.
    pub(crate) fn url(&self, queen: u16) -> String {
        format!("http://{}", self.http(queen))
    }

    /// A client of all queens.
    pub(crate) fn client(&self, global: &Global) -> anyhow::Result<Client> {
        let servers: Vec<String> = (1..=self.queens).map(|queen| self.url(queen)).collect();
        connection::client(global, &servers)
    }

    /// Where a queen's peers reach it.
    pub(crate) fn raft(&self, queen: u16) -> String {
        format!("127.0.0.1:{}", self.base_port + RAFT_OFFSET + queen)
    }

    /// Checks that the folder holds no other kind of cluster, and that the ports are free.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.check_folder()?;
        for queen in 1..=self.queens {
            for address in [self.http(queen), self.raft(queen)] {
                TcpListener::bind(&address).map_err(|error| self.in_use(&address, &error))?;
            }
        }
        Ok(())
    }

    fn check_folder(&self) -> anyhow::Result<()> {
        if let Some(base) = self.former_base_port().filter(|base| *base != self.base_port) {
            let dir = self.dir.display();
            return Err(Stop::usage(format!(
                "{dir} holds a cluster that lives at --base-port {base}, and its queens would look for each other there: say \
                 that, or another --dir than {dir}"
            )));
        }
        let next = self.folder(&format!("queen-{}", self.queens + 1));
        let first = self.folder("queen-1");
        if next.exists() || (first.exists() && !self.folder(&format!("queen-{}", self.queens)).exists()) {
            return Err(Stop::usage(format!(
                "{} holds a cluster that was started with another number of queens than {}; say the same --queens as then, or another --dir",
                self.dir.display(),
                self.queens
            )));
        }
        Ok(())
    }

    /// The base port of the cluster that the folder holds already.
    fn former_base_port(&self) -> Option<u16> {
        let text = fs::read_to_string(self.folder("queen-1").join("queen.toml")).ok()?;
        let former = QueenConfig::parse(&text, &[]).ok()?;
        let port: u16 = former.http.rsplit_once(':')?.1.parse().ok()?;
        port.checked_sub(1)
    }

    /// Writes the queens' configurations.
    pub(crate) fn write_queens(&self, env: &Env) -> anyhow::Result<Vec<Spec>> {
        let cluster_id = self.cluster_id(env)?;
        let queens = (1..=self.queens).map(|queen| {
            let name = format!("queen-{queen}");
            let config = self.queen(queen, &cluster_id, &name);
            self.write("queen", name, &config.print())
        });
        queens.collect()
    }

    /// Writes the foragers' configurations.
    pub(crate) fn write_foragers(&self, tools: &[Tool]) -> anyhow::Result<Vec<Spec>> {
        let foragers = (1..=self.foragers).map(|forager| {
            let name = format!("forager-{forager}");
            let config = self.forager(&name, tools)?;
            self.write("forager", name, &config)
        });
        foragers.collect()
    }

    fn queen(&self, queen: u16, cluster_id: &Name, name: &str) -> QueenConfig {
        let member =
            |queen: u16| InitialMember { id: MemberId(queen.into()), http: self.http(queen), raft: self.raft(queen) };
        QueenConfig {
            id: MemberId(queen.into()),
            cluster_id: cluster_id.clone(),
            data_dir: self.folder(name).join("data"),
            http: self.http(queen),
            initial_members: (1..=self.queens).map(member).collect(),
            raft: RaftConfig::new(self.raft(queen)),
            ..QueenConfig::example()
        }
    }

    fn forager(&self, name: &str, tools: &[Tool]) -> anyhow::Result<String> {
        let queens = (1..=self.queens).map(|queen| self.http(queen).parse()).collect::<Result<_, _>>()?;
        let mut config = ForagerConfig::new(Name::new(name)?, queens, self.folder(name).join("data"));
        config.slots = self.slots;
        config.prefetch = self.prefetch;
        let commands = tools.iter().filter_map(|tool| Some((tool.manifest.name.clone(), tool.command.clone()?)));
        config.tools = commands.map(|(name, command)| (name, ToolProgram { command })).collect();
        config.check().map_err(|why| Stop::usage(why.to_string()))?;
        Ok(toml::to_string(&config)?)
    }

    fn write(&self, role: &'static str, name: String, config: &str) -> anyhow::Result<Spec> {
        let folder = self.folder(&name);
        let path = folder.join(format!("{role}.toml"));
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, config));
        written.with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Spec { log: folder.join("log"), name, role, config: path })
    }

    fn in_use(&self, address: &str, error: &io::Error) -> anyhow::Error {
        let other = if self.base_port < 60_000 { self.base_port + 1_000 } else { self.base_port - 1_000 };
        Stop::usage(format!(
            "{address} cannot be listened at: {error}; if another `antfarm dev` runs (`antfarm cluster status` asks it), use \
             that one, stop it with Ctrl-C, or start this one at other ports: --base-port {other}"
        ))
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The id that this folder's cluster has; a new one in a new folder, so that no stray process takes part.
    fn cluster_id(&self, env: &Env) -> anyhow::Result<Name> {
        let path = self.dir.join("cluster-id");
        match fs::read_to_string(&path) {
            Ok(text) => Name::new(text.trim()).with_context(|| format!("{} holds no cluster id", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let id = Name::new(&format!("dev-{:016x}", env.random())).context("a cluster id is a name")?;
                fs::write(&path, format!("{id}\n")).with_context(|| format!("{} cannot be written", path.display()))?;
                Ok(id)
            }
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
    }
}
