//! L8: a stranger at the door of a queen announces a frame that is longer than any may be, and nothing is allocated for it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::{MemberId, Name};
use antfarm_replication::{Member, Replica, ReplicaConfig, SystemRuntime};
use antfarm_storage::{MemoryDisk, MemoryEngine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::network::visited;
use super::surroundings::env;
use crate::checkers::Violation;
use crate::random::Random;

/// Where she takes connections of her peers.
const RAFT: &str = "queen:1";

/// The least that is announced, in bytes.
const ANNOUNCED: u32 = 1 << 30;

/// What a refusal may cost, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// A connection that is not closed by then will not be.
const PATIENCE: Duration = Duration::from_secs(1);

const PAGE_BYTES: u64 = 4 << 10;

pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime without sockets");
    let length = ANNOUNCED + u32::try_from(Random::new(seed).below(u64::from(ANNOUNCED))).unwrap_or(0);
    let grown = runtime.block_on(announce(seed, length));
    if grown > MOST_BYTES {
        let what = format!("{length} bytes were announced, and {grown} allocated for them");
        return Err(Violation::new("L8 bounds", what));
    }
    Ok(())
}

/// By how much this process has grown when the stranger was answered, or was not.
async fn announce(seed: u64, length: u32) -> u64 {
    let (net, mut stranger) = visited(RAFT);
    let (id, address) = (MemberId(1), RAFT.to_owned());
    let member = Member { raft: address.clone(), http: "queen:2".to_owned() };
    let config = ReplicaConfig::new(Name::new("ants").expect("a good name"), id, address, [(id, member)].into());
    let (engine, disk) = (Arc::new(MemoryEngine::new()), Arc::new(MemoryDisk::new()));
    let replica = Replica::start::<SystemRuntime>(config, env(seed), net, engine, disk, Path::new("/snapshots"));
    let replica = replica.await.expect("a replica starts on an empty disk");
    let before = size();
    let header = [length.to_le_bytes(), [0; 4]].concat();
    let answered = async {
        let _ = stranger.write_all(&header).await; // it may be closed at once
        let _ = stranger.read_to_end(&mut Vec::new()).await; // whatever it says, it is over
    };
    let _ = timeout(PATIENCE, answered).await; // whoever waits for the rest of the frame has made room for it
    let grown = size().saturating_sub(before);
    replica.shutdown().await;
    grown
}

/// The address space of this process, in bytes.
fn size() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * PAGE_BYTES
}
