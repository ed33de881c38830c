//! `antfarm cluster add`, `promote` and `remove`: queens come and go, one change at a time.

use std::time::Duration;

use antfarm_client::Client;
use antfarm_client::views::{ClusterView, MemberView};
use clap::Args;
use serde_json::json;
use tokio::time::Instant;

use crate::console::Console;
use crate::exit::Exit;

/// How often a learner is looked at that is catching up.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Add a queen as a learner, and watch it catch up
///
/// The queen has an empty data folder, and `join` in its configuration in place of `initial_members`; it may be started before
/// or after. Its id is new: no member ever had it. It gets the log and has no vote until it is promoted. A retry is safe.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/cluster-add.txt"))]
pub(super) struct Add {
    /// The member id of the queen, which no member ever had
    #[arg(long)]
    id: u64,
    /// Where clients and foragers reach it (host:port)
    #[arg(long, value_name = "ADDR")]
    http: String,
    /// Where the other queens reach it (host:port)
    #[arg(long, value_name = "ADDR")]
    raft: String,
}

/// Make a learner a voter, once it has caught up
///
/// Refused while it lacks entries that were committed, since a majority might then have to wait for it. A retry is safe.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/cluster-promote.txt"))]
pub(super) struct Promote {
    /// The member id of the learner
    id: u64,
}

/// Remove a queen for ever
///
/// A queen that leads hands over first. One that runs stops by itself, and foragers go on with the others. Its id is never used
/// again: it comes back only with an empty data folder under another one. A retry is safe.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/cluster-remove.txt"))]
pub(super) struct Remove {
    /// The member id
    id: u64,
    /// Also if no majority of those that are left can be reached: the cluster stands still until one can
    #[arg(long)]
    force: bool,
}

impl Add {
    pub(super) async fn run(&self, client: &Client, patience: Duration, console: &Console) -> anyhow::Result<Exit> {
        let added = client.add_member(self.id, &self.http, &self.raft).await?;
        let standing = if added.voter { Standing::Votes } else { self.watch(client, patience, console).await? };
        console.end_progress();
        let document = json!({"id": added.id, "voter": added.voter, "caught_up": standing.has_caught_up()});
        console
            .result(&document, || format!("queen {} {}\n", self.id, if added.voter { "votes" } else { "learns" }))?;
        console.hint(&match standing {
            Standing::Votes => String::new(),
            Standing::CaughtUp => {
                format!("it has caught up: `antfarm cluster promote {}` gives it a vote", self.id)
            }
            Standing::Behind { has, of } => format!(
                "it has {has} of {of} entries: `antfarm cluster status` shows how far it is, and `antfarm cluster promote {}` \
                 gives it a vote when it has them all",
                self.id
            ),
            Standing::Silent => format!(
                "it does not answer yet: is it started, with id = {}, this cluster\'s cluster_id, and `join` in place of \
                 `initial_members`?",
                self.id
            ),
        });
        Ok(Exit::Done)
    }

    /// Watches it catch up for a while.
    async fn watch(&self, client: &Client, patience: Duration, console: &Console) -> anyhow::Result<Standing> {
        let began = Instant::now();
        let mut goal = 0;
        loop {
            let cluster = client.cluster().await?;
            if goal == 0 {
                goal = super::committed(&cluster);
            }
            let standing = Standing::of(member(&cluster, self.id), goal);
            if standing.has_caught_up() || began.elapsed() >= patience {
                return Ok(standing);
            }
            if let Standing::Behind { has, of } = standing {
                console.progress(&format!("queen {}: {has} of {of} entries", self.id));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

impl Promote {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let member = client.promote_member(self.id).await?;
        console.result(&json!({"id": member.id, "voter": member.voter}), || format!("queen {} votes\n", member.id))?;
        Ok(Exit::Done)
    }
}

impl Remove {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        client.remove_member(self.id, self.force).await?;
        console.result(&json!({"id": self.id, "removed": true}), || format!("queen {} is removed\n", self.id))?;
        Ok(Exit::Done)
    }
}

fn member(cluster: &ClusterView, id: u64) -> Option<&MemberView> {
    cluster.members.iter().find(|member| member.id == id)
}

/// How a queen stands that was added.
enum Standing {
    /// It was promoted before.
    Votes,
    CaughtUp,
    /// It has so many entries of those that were committed when it was added.
    Behind {
        has: u64,
        of: u64,
    },
    /// Nobody answers where it should be.
    Silent,
}

impl Standing {
    fn of(member: Option<&MemberView>, goal: u64) -> Self {
        let applied = member.filter(|member| member.reachable).and_then(|member| member.applied_index);
        match applied {
            Some(applied) if applied >= goal => Self::CaughtUp,
            Some(has) => Self::Behind { has, of: goal },
            None => Self::Silent,
        }
    }

    fn has_caught_up(&self) -> bool {
        matches!(self, Self::Votes | Self::CaughtUp)
    }
}
