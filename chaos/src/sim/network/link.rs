//! One direction between two hosts.

use std::time::Duration;

use crate::random::Random;

/// The least time that anything takes.
const LEAST: Duration = Duration::from_millis(1);

/// What is lost is sent again after so long, at least and at most, in milliseconds.
const AGAIN_MS: (u64, u64) = (200, 900);

/// What it is like on a link.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::sim) struct Weather {
    /// What is sent takes up to so much longer, in milliseconds.
    pub(in crate::sim) late_ms: u64,
    /// Of a hundred chunks so many are lost at first.
    pub(in crate::sim) lost_percent: u64,
}

/// One direction between two hosts.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// How many faults cut it.
    pub(super) cuts: u32,
    pub(super) weather: Weather,
    /// The bytes of chunks that were held up by a cut, and of those that came late or were sent again.
    pub(super) held: u64,
    pub(super) disturbed: u64,
}

impl Link {
    /// How long something that is sent now is on its way.
    pub(super) fn transit(&mut self, random: &mut Random) -> Duration {
        let Weather { late_ms, lost_percent } = self.weather;
        let mut transit = LEAST + Duration::from_millis(random.below(late_ms + 2));
        if random.percent(lost_percent) {
            let (least, most) = AGAIN_MS;
            transit += Duration::from_millis(least + random.below(most - least));
        }
        if late_ms > 0 || lost_percent > 0 {
            self.disturbed += 1;
        }
        transit
    }
}
