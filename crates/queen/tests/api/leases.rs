//! What a leader grants, and what it makes of its own absence.

use std::time::Duration;

use antfarm_protocol::{QueenMessage, Welcome};
use tokio::time::Instant;

use crate::cluster::{Cluster, PATIENCE, read};
use crate::forager::{Forager, hello};

/// The default.
const LEASE_MS: u64 = 10_000;

async fn state(cluster: &Cluster) -> String {
    let forager = read(&cluster.client(), "/v1/foragers/f").await.expect("it is registered");
    let states = ["ready", "suspect", "lost"];
    let state = states.into_iter().find(|state| forager.text().contains(&format!("\"state\":\"{state}\"")));
    state.unwrap_or_else(|| panic!("{}", forager.text())).to_owned()
}

/// Whom the leader hears, as it published it at its last tick.
async fn heard_ms_ago(cluster: &Cluster) -> u64 {
    let forager = read(&cluster.client(), "/v1/foragers/f").await.expect("it is registered");
    let text = forager.text();
    let ago = text.split("\"heard_ms_ago\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    ago.and_then(|ago| ago.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn a_heartbeat_is_answered_with_a_lease_of_the_incarnation() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut forager, incarnation) = Forager::registered(&cluster, hello("f")).await;
    let (ack, _) = forager.beat().await;
    assert_eq!(ack.incarnation, Some(incarnation));
    assert!(ack.lease_ms.is_some_and(|lease| (LEASE_MS - 100..=LEASE_MS).contains(&lease)), "{ack:?}");
    let mut stranger = Forager::connect(&cluster).await;
    let (ack, _) = stranger.beat().await;
    assert_eq!((ack.epoch.is_some(), ack.incarnation, ack.lease_ms), (true, None, None));
}

#[tokio::test]
async fn a_suspension_that_is_too_short_to_matter_shortens_leases_all_the_same() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut forager, _) = Forager::registered(&cluster, hello("f")).await;
    cluster.clocks.suspend(400);
    let (ack, _) = forager.beat().await;
    assert!(ack.lease_ms.is_some_and(|lease| lease <= LEASE_MS - 400), "{ack:?}");
}

#[tokio::test]
async fn a_leader_whose_machine_was_suspended_gives_up_office() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut forager, _) = Forager::registered(&cluster, hello("f")).await;
    cluster.clocks.suspend(1_000);
    let leading = async |forager: &mut Forager| {
        let is = |message| if let QueenMessage::Welcome(welcome) = message { Some(welcome) } else { None };
        let Welcome { leading, incarnation, .. } = forager.until(is).await;
        (leading, incarnation)
    };
    assert_eq!(leading(&mut forager).await, (false, None));
    assert_eq!(leading(&mut forager).await, (true, None), "there is nobody else: it begins anew");
    let (ack, _) = forager.beat().await;
    assert_eq!(ack.lease_ms, None, "and knows nobody");
}

#[tokio::test]
async fn for_as_long_as_a_leader_stood_still_nobody_was_silent() {
    let cluster = Cluster::of(1, &[]).await;
    let (mut forager, _) = Forager::registered(&cluster, hello("f")).await;
    forager.beat().await;
    let silent_since = Instant::now();
    cluster.clocks.stall(3 * LEASE_MS);
    // From here on it stands still again and again, each time for less than counts.
    let (step, mut silent_ms) = (500, 0);
    while state(&cluster).await != "lost" {
        let before = heard_ms_ago(&cluster).await;
        cluster.clocks.stall(step);
        silent_ms += step;
        while heard_ms_ago(&cluster).await == before && state(&cluster).await != "lost" {
            assert!(silent_since.elapsed() < PATIENCE, "no tick comes");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    let counted = Duration::from_millis(silent_ms) + silent_since.elapsed();
    assert!(counted >= Duration::from_millis(LEASE_MS), "it was lost after {counted:?}");
}
