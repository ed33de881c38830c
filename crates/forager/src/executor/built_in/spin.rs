//! `spin`: burns CPU.

use std::hint::black_box;
use std::time::Duration;

use antfarm_env::Env;

/// Rounds between two looks at the clock: some tens of microseconds, so that other tasks get their turn.
const ROUNDS: u64 = 20_000;

/// Computes for as long as is asked, and lets other tasks run in between.
pub(super) async fn spin(env: &Env, length: Duration) {
    let end = env.monotonic() + length;
    let mut state: u64 = 1;
    while env.monotonic() < end {
        for _ in 0..ROUNDS {
            state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
        tokio::task::yield_now().await;
    }
}
