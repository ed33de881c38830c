//! A queen comes to a cluster that runs, votes there, and leaves it for good.

use std::sync::Arc;
use std::time::Duration;

use antfarm_client::{Client, ClientError};
use anyhow::ensure;
use tokio::time::{Instant, sleep, sleep_until};

use super::One;
use crate::sim::field::{Field, PATIENCE, RAFT_PORT, http};
use crate::sim::machine::Machine;
use crate::sim::network::Host;

/// To come takes longer than most faults do.
const STAYS_FOR: Duration = Duration::from_secs(2);

/// While there are faults, nobody tries for longer to send one away.
const TRIES_FOR: Duration = Duration::from_secs(2);

/// Without faults, whoever has come is sent away within this time.
const GOES_WITHIN: Duration = Duration::from_secs(30);

/// Between two tries.
const TRY_EVERY: Duration = Duration::from_millis(150);

impl One {
    /// A new queen is added and made a voter; of two of them, one is sent away before the faults are over.
    pub(super) async fn welcome(&self) -> Option<String> {
        let newcomer = self.field.newcomer()?;
        newcomer.start();
        let until = Instant::now() + self.fault.lasts.max(STAYS_FOR);
        let comes = Wish::Come.granted(&self.field, newcomer.host, until).await;
        let votes = comes && Wish::Vote.granted(&self.field, newcomer.host, until).await;
        sleep_until(until).await;
        if self.fault.pick.is_multiple_of(2) {
            dismiss(&self.field, &newcomer, Instant::now() + TRIES_FOR).await;
        }
        comes.then(|| format!("{} came{}", newcomer.name, if votes { ", and had a vote" } else { "" }))
    }
}

/// All members are again those with which the cluster began.
pub(in crate::sim) async fn dismiss_all(field: &Field) -> anyhow::Result<()> {
    for newcomer in field.newcomers().iter().filter(|newcomer| newcomer.lives() > 0) {
        let gone = dismiss(field, newcomer, Instant::now() + GOES_WITHIN).await;
        ensure!(gone, "{} cannot be removed", newcomer.name);
    }
    Ok(())
}

/// Sends a newcomer away, whose process may end by itself from now on; whether it is no member any more.
async fn dismiss(field: &Field, newcomer: &Arc<Machine>, until: Instant) -> bool {
    newcomer.dismiss();
    let gone = Wish::Go.granted(field, newcomer.host, until).await;
    if gone {
        newcomer.kill();
    }
    gone
}

/// What is asked for a newcomer.
#[derive(Debug, Clone, Copy)]
enum Wish {
    Come,
    Vote,
    Go,
}

impl Wish {
    /// Asks for it until it is granted or its time is over; whether it was.
    async fn granted(self, field: &Field, newcomer: Host, until: Instant) -> bool {
        let client = field.client(&field.queen_ids(), PATIENCE);
        while Instant::now() < until {
            if self.ask(&client, newcomer).await.is_ok() {
                return true;
            }
            sleep(TRY_EVERY).await;
        }
        false
    }

    async fn ask(self, client: &Client, newcomer: Host) -> Result<(), ClientError> {
        let id = u64::from(newcomer.0);
        match self {
            Self::Come => client.add_member(id, &http(newcomer.0), &newcomer.address(RAFT_PORT)).await.map(drop),
            Self::Vote => client.promote_member(id).await.map(drop),
            Self::Go => match client.remove_member(id, false).await {
                Err(ClientError::Refused(problem)) if problem.status == 404 => Ok(()), // it is gone, or never came
                removed => removed,
            },
        }
    }
}
