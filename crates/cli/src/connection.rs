//! How commands reach a cluster.

use antfarm_client::Client;
use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};

use crate::cli::Global;
use crate::daemon;
use crate::exit::Exit;

/// Runs a command that needs a cluster.
pub(crate) fn with(global: &Global, command: impl AsyncFnOnce(Client) -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    daemon::block_on(async { command(client(global, &global.server)?).await })
}

/// A client of some queens.
pub(crate) fn client(global: &Global, servers: &[String]) -> anyhow::Result<Client> {
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    Ok(Client::new(env, net, servers, global.token.clone(), global.timeout.to_std())?)
}
