//! The third line: a forager ends guarded programs itself, should keeper and sentry both be stopped.

use std::collections::BTreeSet;

use crate::process::{Held, Search, children, kill_below, sentry_mark};

/// What hangs in the kernel is not waited for longer; the keeper goes on waiting.
const ROUNDS: u32 = 40;

/// Kills what stands below the sentries with these marks, and below the keeper without a sentry. The sentries themselves
/// are left to their keeper.
pub(super) async fn end(keeper: &Held, marks: &BTreeSet<u64>) {
    let mut search = Search::new();
    for _ in 0..ROUNDS {
        let left = children(keeper.id()).into_iter().map(|child| end_one(child, keeper, marks)).sum();
        let Some(pause) = search.saw(left) else { return };
        tokio::time::sleep(pause).await;
    }
    tracing::error!("guarded programs were killed at the end of the lease, and hang in the kernel");
}

/// Says how many were alive.
fn end_one(child: u32, keeper: &Held, marks: &BTreeSet<u64>) -> usize {
    let Some(held) = Held::open(child).filter(|held| held.is_child_of(keeper)) else { return 0 };
    match sentry_mark(child) {
        Some(mark) if !marks.contains(&mark) => 0,
        Some(_) => kill_below(child),
        None => {
            held.kill();
            1 + kill_below(child)
        }
    }
}
