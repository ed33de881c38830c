//! What the keeper does itself if a sentry does not: it may be stopped.

use std::convert::Infallible;
use std::time::Duration;

use antfarm_env::Env;
use tokio::sync::watch;

use super::Until;
use crate::process::{Held, Search, kill_below};

/// Without anything that is due it looks at the clock this often, so that a suspension does not hide what is.
const LOOK: Duration = Duration::from_millis(250);

/// A sentry with nobody left to guard is woken, and says so within this time; or it does not run.
const SENTRY_SPEAKS_WITHIN: Duration = Duration::from_millis(500);

/// Waits until an attempt has to be dead, and brings it about. Then ends the sentry, too, unless it ends by itself, which
/// drops this. The sentry is an unreaped child, so its number is its own.
pub(super) async fn when_due(sentry: u32, env: Env, mut due: watch::Receiver<Until>) -> Infallible {
    loop {
        let left = due.borrow_and_update().due().kill_at.saturating_sub(env.boot_time());
        if left.is_zero() {
            break;
        }
        tokio::select! {
            () = tokio::time::sleep(left.min(LOOK)) => {}
            _ = due.changed() => {}
        }
    }
    let mut search = Search::new();
    while let Some(pause) = search.saw(kill_below(sentry)) {
        tokio::time::sleep(pause).await;
    }
    let Some(held) = Held::open(sentry) else { return std::future::pending().await };
    held.wake();
    tokio::time::sleep(SENTRY_SPEAKS_WITHIN).await;
    tracing::warn!(sentry, "a sentry does not run, and was ended with what it guarded");
    held.kill();
    // Its end is heard.
    std::future::pending().await
}
