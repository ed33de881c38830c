//! Faults of links: cut in one direction or both, slow, lossy, broken off.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::One;
use crate::random::Random;
use crate::sim::machine::Machine;
use crate::sim::network::{Host, Weather};
use crate::sim::plan::Trouble;

/// Pairs of hosts, each a direction.
type Directions = Vec<(Host, Host)>;

/// How long a link that comes and goes is as it is, at most, in milliseconds.
const FLAP_MS: u64 = 700;

impl One {
    /// Cuts links, and heals them.
    pub(super) async fn cut(&self, targets: &[Arc<Machine>]) -> Option<String> {
        let cut = self.directions(targets);
        let fabric = &self.field.fabric;
        let held = || cut.iter().map(|(from, to)| fabric.held(*from, *to)).sum::<u64>();
        let before = held();
        let flaps = self.fault.trouble == Trouble::Flap;
        let mut random = Random::new(self.fault.pick);
        let until = Instant::now() + self.fault.lasts;
        loop {
            for (from, to) in &cut {
                fabric.cut(*from, *to);
            }
            let left = until.saturating_duration_since(Instant::now());
            sleep(if flaps { left.min(Duration::from_millis(random.below(FLAP_MS))) } else { left }).await;
            for (from, to) in &cut {
                fabric.heal(*from, *to);
            }
            if !flaps || Instant::now() >= until {
                break;
            }
            sleep(Duration::from_millis(1 + random.below(FLAP_MS))).await;
        }
        let chunks = held() - before;
        (chunks > 0).then(|| format!("{chunks} messages were held up"))
    }

    /// Between which hosts nothing arrives.
    fn directions(&self, targets: &[Arc<Machine>]) -> Directions {
        // Newcomers, too: with their votes whoever is cut off from all others could go on leading, and lose them.
        let all: Vec<Host> = self.field.everybody().map(|machine| machine.host).collect();
        let one = targets[0].host;
        let others = all.iter().copied().filter(|host| *host != one);
        if matches!(self.fault.trouble, Trouble::Mute(_)) {
            others.map(|other| (one, other)).collect()
        } else if matches!(self.fault.trouble, Trouble::Deafen(_)) {
            others.map(|other| (other, one)).collect()
        } else if let [_, other] = targets {
            vec![(one, other.host), (other.host, one)]
        } else {
            others.flat_map(|other| [(one, other), (other, one)]).collect()
        }
    }

    /// Makes all links slow, or loses some of what is sent.
    pub(super) async fn bad_weather(&self) -> Option<String> {
        let mut random = Random::new(self.fault.pick);
        let weather = if self.fault.trouble == Trouble::Slow {
            Weather { late_ms: 5 + random.below(120), lost_percent: 0 }
        } else {
            Weather { late_ms: 0, lost_percent: 1 + random.below(25) }
        };
        let hosts: Vec<Host> = self.field.machines.iter().map(|machine| machine.host).collect();
        let all: Directions = hosts.iter().flat_map(|from| hosts.iter().map(|to| (*from, *to))).collect();
        let fabric = &self.field.fabric;
        let disturbed = || all.iter().map(|(from, to)| fabric.disturbed(*from, *to)).sum::<u64>();
        let before = disturbed();
        for (from, to) in &all {
            fabric.set_weather(*from, *to, weather);
        }
        sleep(self.fault.lasts).await;
        for (from, to) in &all {
            fabric.set_weather(*from, *to, Weather::default());
        }
        let chunks = disturbed() - before;
        (chunks > 0).then(|| format!("{chunks} messages came late or at the second try"))
    }

    /// Breaks all connections between two machines.
    pub(super) fn break_connections(&self) -> Option<String> {
        let [one, other] = self.pair();
        let broken = self.field.fabric.break_all(one.host, other.host);
        (broken > 0).then(|| format!("{broken} connections broke"))
    }
}
