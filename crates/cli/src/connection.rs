//! How commands reach a cluster, and what people are told when none is there.

use std::pin::pin;
use std::time::Duration;

use antfarm_client::{Client, ClientError};
use antfarm_env::{Env, Net, SystemEnvironment, TcpNetwork};
use tokio::time::timeout;

use crate::cli::Global;
use crate::console::Console;
use crate::daemon;
use crate::exit::{Exit, Stop};

/// After so long without any answer people are told what is waited for.
const SILENCE: Duration = Duration::from_secs(1);

/// Runs a command that needs a cluster.
pub(crate) fn with(global: &Global, command: impl AsyncFnOnce(Client) -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    daemon::block_on(async {
        let client = client(global, &global.server)?;
        let mut end = pin!(command(client.clone()));
        if let Ok(end) = timeout(SILENCE, &mut end).await {
            return end.map_err(|error| no_cluster(error, &client));
        }
        if !client.has_answered() {
            let text = format!("no queen answers yet at {}; trying for {}", queens(&client), global.timeout);
            Console::new(global.json, global.quiet).say(&text);
        }
        end.await.map_err(|error| no_cluster(error, &client))
    })
}

/// A client of some queens.
pub(crate) fn client(global: &Global, servers: &[String]) -> anyhow::Result<Client> {
    let (env, net) = (Env::new(SystemEnvironment::current()), Net::new(TcpNetwork));
    Ok(Client::new(env, net, servers, global.token.clone(), global.timeout.to_std())?)
}

/// «Nobody leads» is another matter than «nobody is there»: the way out of the latter is to start a cluster, or to name one.
fn no_cluster(error: anyhow::Error, client: &Client) -> anyhow::Error {
    match error.downcast_ref::<ClientError>() {
        Some(ClientError::NoLeader(why)) if !client.has_answered() => Stop::unknown(format!(
            "no queen answers at {}, and nothing has happened ({why}): is the cluster running? `antfarm dev` starts one \
             here; --server or ANTFARM_SERVER names another",
            queens(client)
        )),
        _ => error,
    }
}

fn queens(client: &Client) -> String {
    client.servers().join(", ")
}
