//! The power of all queens and of a forager goes at once.

use antfarm_model::document::ManifestDocument;
use antfarm_model::{CostClass, EffectClass, Manifest, Name};
use antfarm_protocol::{Assign, Hello, QueenMessage};
use tokio::time::Instant;

use crate::cluster::{Cluster, PATIENCE};
use crate::forager::{Forager, hello};

const GRAPH: &str = r#"{"id": "g", "nodes": {"pay": {"tool": "pay"}, "write": {"tool": "write"}}}"#;

/// A forager of the two tools, as it says of itself.
fn with_tools() -> Hello {
    let tools = ["pay", "write"].map(|name| Name::new(name).expect("a name"));
    Hello { slots: 2, tools: tools.to_vec(), ..hello("f") }
}

async fn cluster() -> Cluster {
    let cluster = Cluster::of(3, &[]).await;
    for (name, effects) in [("pay", EffectClass::Irrevocable), ("write", EffectClass::Guarded)] {
        let manifest = Manifest { effects, ..Manifest::new(Name::new(name).expect("a name"), CostClass::Io) };
        cluster.client().put_tool(&ManifestDocument::from(&manifest)).await.expect("it is valid");
    }
    cluster
}

async fn assigned(forager: &mut Forager) -> Assign {
    forager.until(|message| if let QueenMessage::Assign(assign) = message { Some(assign) } else { None }).await
}

/// Waits until a node is in this state.
async fn becomes(cluster: &Cluster, node: &str, state: &str) {
    let began = Instant::now();
    loop {
        let view = cluster.client().node("g", node).await.expect("it is there");
        if view.state == state {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{node} is {}", view.state);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_may_have_started_before_is_of_unknown_fate_and_not_never_started() {
    let mut cluster = cluster().await;
    let (mut forager, incarnation) = Forager::registered(&cluster, with_tools()).await;
    cluster.client().submit(GRAPH, "application/json").await.expect("it is valid");
    let before = [assigned(&mut forager).await, assigned(&mut forager).await];
    // It may have started both; nobody heard of it, and its journal has lost what was not synced.
    cluster.cut_power().await;
    let rebooted = Hello { former: Some(incarnation), rebooted: true, ..with_tools() };
    let (mut forager, _) = Forager::registered(&cluster, rebooted).await;
    let again = assigned(&mut forager).await;
    assert_eq!(again.work.node_id.as_str(), "write", "what checks its fence is tried again");
    assert!(before.iter().all(|assign| assign.attempt.fence < again.attempt.fence), "under a higher one");
    becomes(&cluster, "pay", "needs_decision").await;
    let attempts = cluster.client().attempts("g", "write").await.expect("it is there").attempts;
    assert_eq!(attempts.iter().map(|one| one.state.as_str()).collect::<Vec<_>>(), ["interrupted", "open"]);
}

#[tokio::test]
async fn a_forager_that_kept_its_journal_says_itself_what_never_started() {
    let mut cluster = cluster().await;
    let (mut forager, incarnation) = Forager::registered(&cluster, with_tools()).await;
    cluster.client().submit(GRAPH, "application/json").await.expect("it is valid");
    let mut before = [assigned(&mut forager).await.attempt, assigned(&mut forager).await.attempt];
    cluster.cut_power().await;
    let returned = Hello { former: Some(incarnation), ..with_tools() };
    let (mut forager, _) = Forager::registered(&cluster, returned).await;
    let mut again = [assigned(&mut forager).await.attempt, assigned(&mut forager).await.attempt];
    before.sort_unstable();
    again.sort_unstable();
    assert_eq!(before, again, "the same attempts are sent once more");
}
