//! `antfarm cluster`: the queens of a cluster, and who of them leads.

mod members;

use std::time::Duration;

use antfarm_client::Client;
use antfarm_client::views::ClusterView;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::exit::Exit;
use crate::table::{self, Table};

/// How often `status --all` looks before it says who is behind…
const LOOKS: usize = 10;

/// … and what it waits between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Look at the queens, add and remove some, and hand leadership over
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/cluster.txt"))]
pub(crate) struct Cluster {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Status(Status),
    Add(members::Add),
    Promote(members::Promote),
    Remove(members::Remove),
    Transfer(Transfer),
}

/// Show the members, who leads, and how far each is
///
/// Ends with 3 if nobody leads, so that scripts can wait for a leader; with --all, also while a member cannot be reached or
/// is behind, so that they can restart one queen after another.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/cluster-status.txt"))]
struct Status {
    /// End with 3, too, while a member cannot be reached or has yet to catch up
    #[arg(long)]
    all: bool,
}

/// Hand the leadership to another queen, without an interruption
///
/// For maintenance of the machine that the leader runs on. What runs goes on.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/cluster-transfer.txt"))]
struct Transfer {
    /// The member that shall lead; the one with the longest log, if none is named
    #[arg(long, value_name = "ID")]
    to: Option<u64>,
}

impl Cluster {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        connection::with(global, async |client| match &self.command {
            Command::Status(status) => status.run(&client, console).await,
            Command::Add(add) => add.run(&client, global.timeout.to_std(), console).await,
            Command::Promote(promote) => promote.run(&client, console).await,
            Command::Remove(remove) => remove.run(&client, console).await,
            Command::Transfer(transfer) => {
                let leader = client.transfer(transfer.to).await?;
                console.result(&json!({"leader": leader}), || format!("queen {leader} leads\n"))?;
                Ok(Exit::Done)
            }
        })
    }
}

impl Status {
    async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut cluster = client.cluster().await?;
        let committed = committed(&cluster);
        for _ in 1..LOOKS {
            if !self.all || missing(&cluster, committed).is_empty() {
                break;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
            cluster = client.cluster().await?;
        }
        console.result(&cluster, || format!("{}\n{}", summary(&cluster), listing(&cluster)))?;
        if cluster.leader.is_none() {
            console.say(
                "nobody leads at this moment: an election takes less than a second, if a majority of the queens runs and \
                 they reach each other; ask again",
            );
            return Ok(Exit::Unknown);
        }
        let missing = missing(&cluster, committed);
        if self.all && !missing.is_empty() {
            console.say(&format!("not all are there: {}", missing.join(", ")));
            return Ok(Exit::Unknown);
        }
        Ok(Exit::Done)
    }
}

/// How far the cluster is. A queen that has just come back may not know it yet, so the others count, too.
fn committed(cluster: &ClusterView) -> u64 {
    let applied = cluster.members.iter().filter_map(|member| member.applied_index);
    applied.fold(cluster.commit_index, u64::max)
}

/// Which members would be no help if another one were lost now, and why. They need what was committed when we began to look:
/// work that goes on meanwhile keeps nobody from that.
fn missing(cluster: &ClusterView, committed: u64) -> Vec<String> {
    let why = cluster.members.iter().filter_map(|member| match member.applied_index {
        _ if !member.reachable => Some(format!("queen {} cannot be reached", member.id)),
        Some(applied) if applied >= committed => None,
        Some(_) | None => Some(format!("queen {} is behind", member.id)),
    });
    why.collect()
}

fn summary(cluster: &ClusterView) -> String {
    let (ready, leader) = (&cluster.ready, cluster.leader);
    table::fields(&[
        ("cluster", cluster.cluster_id.clone()),
        (
            "leader",
            leader.map_or_else(|| "nobody".to_owned(), |leader| format!("queen {leader}, in term {}", cluster.term)),
        ),
        ("applied", format!("{} of {} committed entries", cluster.applied_index, cluster.commit_index)),
        ("state", cluster.state_digest.clone()),
        ("ready", format!("{} cpu, {} io, {} model", ready.cpu, ready.io, ready.model)),
        ("open", format!("{} attempts", cluster.open_attempts)),
    ])
}

fn listing(cluster: &ClusterView) -> String {
    let mut table = Table::new(&["member", "role", "http", "raft", "term", "log", "applied", "skew"]);
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    for member in &cluster.members {
        let role = if member.reachable { member.role.clone() } else { "unreachable".to_owned() };
        table.row([
            member.id.to_string(),
            role,
            member.http.clone(),
            member.raft.clone(),
            number(member.term),
            number(member.last_log_index),
            number(member.applied_index),
            member.clock_skew_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms")),
        ]);
    }
    table.render()
}
