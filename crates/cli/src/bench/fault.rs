//! What is done to a leader, and how it is made good.

use std::time::Duration;

use antfarm_env::SystemClocks;
use clap::ValueEnum;
use rustix::process::Signal;
use serde::Serialize;

use super::farm::Farm;

/// What is done to the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// Its process is killed (SIGKILL)
    Kill,
    /// Its process is stopped for a while (SIGSTOP)
    Pause,
    /// It and the other queens hear nothing of each other for a while
    Isolate,
    /// It is asked to stop (SIGTERM), and hands over first
    Stop,
    /// It is asked to hand over, and stays
    Transfer,
}

impl Mode {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Pause => "pause",
            Self::Isolate => "isolate",
            Self::Stop => "stop",
            Self::Transfer => "transfer",
        }
    }

    /// Does it to the leader; tells when, on `CLOCK_MONOTONIC`.
    pub(super) async fn strike(self, farm: &Farm, leader: u64) -> anyhow::Result<Duration> {
        let at = SystemClocks::monotonic();
        match self {
            Self::Kill => farm.signal(leader, Signal::KILL)?,
            Self::Pause => farm.signal(leader, Signal::STOP)?,
            Self::Isolate => farm.isolate(Some(leader))?,
            Self::Stop => farm.signal(leader, Signal::TERM)?,
            Self::Transfer => {
                farm.client.transfer(None).await?;
            }
        }
        Ok(at)
    }

    /// Makes it good.
    pub(super) async fn mend(self, farm: &mut Farm, leader: u64) -> anyhow::Result<()> {
        match self {
            Self::Kill | Self::Stop => farm.restart(leader).await,
            Self::Pause => farm.signal(leader, Signal::CONT),
            Self::Isolate => farm.isolate(None),
            Self::Transfer => Ok(()),
        }
    }
}
