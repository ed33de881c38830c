//! Whether the disk stands still: something waits to become durable, and for long nothing has.
//!
//! A disk that fails says so, and ends the replica. One that hangs says nothing: the others commit without it, so its queen
//! would lead for as long as it hangs, with an ever longer tail that only its memory has.
//! Such a leader gives up office until its disk goes on: it does not show as leading any more, and its
//! [gate](crate::transport::Gate) is shut, so that the others elect another one. That asks nothing of the disk. If all disks
//! hang, nobody is elected, and nobody tries again before one goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antfarm_env::Env;
use antfarm_planted::{Bug, planted};
use tokio::sync::watch;
use tokio::time::sleep;

/// A disk stands still when it has made nothing durable for so many of the longest election time-outs. A follower whose
/// disk takes one of them for a sync is no part of a quorum any more; ten are more than any disk needs that works.
pub(crate) const STANDSTILL_TIMEOUTS: u32 = 10;

/// How often it is looked at, in that time.
const LOOKS: u32 = 6;

/// What waits for the disk, and since when. A clone is the same one.
#[derive(Clone)]
pub(crate) struct DiskWatch {
    env: Env,
    queue: Arc<Mutex<Queue>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: u64,
    /// When something last became durable, or began to wait where nothing did.
    moved_at: Duration,
}

impl DiskWatch {
    /// Nothing waits.
    pub(crate) fn new(env: Env) -> Self {
        Self { env, queue: Arc::default() }
    }

    /// One change more waits.
    pub(crate) fn queued(&self) {
        let now = self.env.monotonic();
        let mut queue = self.queue();
        if queue.waiting == 0 {
            queue.moved_at = now;
        }
        queue.waiting += 1;
    }

    /// One waits no more, however it ended.
    pub(crate) fn done(&self) {
        let now = self.env.monotonic();
        let mut queue = self.queue();
        queue.waiting = queue.waiting.saturating_sub(1);
        queue.moved_at = now;
    }

    /// For how long nothing has moved although something waits.
    pub(crate) fn still_for(&self) -> Duration {
        let now = self.env.monotonic();
        let queue = self.queue();
        if queue.waiting == 0 { Duration::ZERO } else { now.saturating_sub(queue.moved_at) }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells when the disk stands still, which it does after `limit`, and when it goes on. Never returns.
    pub(crate) async fn run(self, limit: Duration, still: watch::Sender<bool>) {
        loop {
            sleep(limit / LOOKS).await;
            let still_for = self.still_for();
            let stands = still_for > limit && !planted(Bug::OfficeWithoutDisk);
            if !still.send_if_modified(|stood| std::mem::replace(stood, stands) != stands) {
                continue;
            }
            if stands {
                tracing::error!(?still_for, "the disk has synced nothing: this queen does not lead until it does");
            } else {
                tracing::warn!("the disk goes on: this queen may lead again");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use antfarm_env::{Environment, Task};

    use super::*;

    /// A clock that a test sets, in milliseconds.
    #[derive(Clone, Default)]
    struct ByHand(Arc<AtomicU64>);

    impl Environment for ByHand {
        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.0.load(Ordering::Relaxed))
        }

        fn boot_time(&self) -> Duration {
            self.monotonic()
        }

        fn wall_ms(&self) -> u64 {
            0
        }

        fn random(&self) -> u64 {
            0
        }

        fn spawn(&self, _: Task) {}
    }

    #[test]
    fn a_disk_stands_still_as_long_as_something_waits_and_nothing_moves() {
        let clock = ByHand::default();
        let watch = DiskWatch::new(Env::new(clock.clone()));
        let still_at = |ms: u64| {
            clock.0.store(ms, Ordering::Relaxed);
            watch.still_for().as_millis()
        };
        assert_eq!(still_at(5_000), 0, "nothing waits");
        watch.queued();
        watch.queued();
        assert_eq!(still_at(7_000), 2_000);
        watch.queued();
        assert_eq!(still_at(7_500), 2_500, "that more waits moves nothing");
        watch.done();
        assert_eq!(still_at(7_700), 200, "it is slow, and moves");
        watch.done();
        watch.done();
        assert_eq!(still_at(99_000), 0, "nothing waits any more");
        watch.queued();
        assert_eq!(still_at(99_100), 100);
    }
}
