//! Who breaks things: faults one after the other, drawn from the seed, each confirmed by something that was measured.

mod kill;
mod partition;
mod stop;

use std::time::{Duration, Instant};

use super::cluster::Cluster;
use crate::history::{FaultKind, Scribe, What};
use crate::random::Random;

/// What is done to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    KillLeader,
    KillMajority,
    KillAll,
    KillForager,
    /// All of them.
    KillForagers,
    StopLeader,
    StopForager,
    IsolateLeader,
    IsolateFollower,
    /// What the leader sends is lost.
    MuteLeader,
    /// What is sent to the leader is lost.
    DeafenLeader,
    Bridge,
    Flap,
    CutForagerFromLeader,
}

/// A fault lasts at least this long, unless it is a process that is started again at once: long enough for an election.
const LEAST_HOLD: Duration = Duration::from_millis(800);

/// A fault lasts at most this long: longer than a lease.
const MOST_HOLD: Duration = Duration::from_secs(5);

/// Of a hundred processes that are killed, so many are started again at once.
const AT_ONCE_PERCENT: u64 = 30;

/// Between two faults, at least and at most.
const LEAST_REST: Duration = Duration::from_millis(300);
const MOST_REST: Duration = Duration::from_millis(2_500);

/// Of a hundred rounds, so many have two faults at the same time, where a scenario allows that.
const PAIR_PERCENT: u64 = 35;

/// How often a fault that does something while it stands gets its turn.
const TURN: Duration = Duration::from_millis(50);

impl Move {
    pub(super) const ALL: &[Self] = &[
        Self::KillLeader,
        Self::KillMajority,
        Self::KillAll,
        Self::StopLeader,
        Self::IsolateLeader,
        Self::IsolateFollower,
        Self::MuteLeader,
        Self::DeafenLeader,
        Self::Bridge,
        Self::Flap,
        Self::CutForagerFromLeader,
        Self::KillForager,
        Self::StopForager,
        Self::KillForagers,
    ];

    /// Those that leave foragers alone.
    pub(super) const OF_QUEENS: &[Self] = Self::ALL.split_at(10).0;

    pub(super) fn kind(self) -> FaultKind {
        match self {
            Self::KillLeader | Self::KillMajority | Self::KillAll | Self::KillForager | Self::KillForagers => {
                FaultKind::Kill
            }
            Self::StopLeader | Self::StopForager => FaultKind::Stop,
            Self::IsolateLeader | Self::IsolateFollower | Self::Bridge | Self::CutForagerFromLeader => {
                FaultKind::Partition
            }
            Self::MuteLeader | Self::DeafenLeader => FaultKind::OneWay,
            Self::Flap => FaultKind::Flapping,
        }
    }

    pub(super) fn needs_hosts(self) -> bool {
        matches!(self.kind(), FaultKind::Partition | FaultKind::OneWay | FaultKind::Flapping)
    }
}

/// A fault that has begun.
struct Begun {
    /// To whom, for people.
    on: String,
    confirmed_by: Option<String>,
    standing: Box<dyn Standing>,
}

/// A fault that stands.
trait Standing {
    /// Does what it does while it stands.
    fn turn(&mut self, _cluster: &Cluster, _random: &mut Random) {}

    /// Takes it back. Says by what it is confirmed, if only its end can tell.
    fn lift(self: Box<Self>, cluster: &Cluster) -> anyhow::Result<Option<String>>;
}

/// Draws faults from a seed until a time is over. When it returns, none stands any more.
pub(super) fn torment(
    cluster: &Cluster,
    scribe: &mut Scribe<'_>,
    random: &mut Random,
    (moves, in_pairs): (&[Move], bool),
    lasting: Duration,
) -> anyhow::Result<()> {
    let until = Instant::now() + lasting;
    let mut number = 0;
    let mut turn = 0;
    while Instant::now() < until {
        let round = draw(moves, in_pairs, turn, random);
        turn += 1;
        let hold = hold(&round, random);
        let mut standing = Vec::new();
        for one in round {
            let begun = begin(one, cluster, random)?;
            let Some(Begun { on, confirmed_by, standing: fault }) = begun else { continue };
            number += 1;
            scribe.write(What::FaultOn { fault: number, kind: one.kind(), on, confirmed_by });
            standing.push((one, number, fault));
        }
        let end = Instant::now() + hold;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            for (_, _, fault) in &mut standing {
                fault.turn(cluster, random);
            }
            std::thread::sleep(left.min(TURN));
        }
        // Processes run again before links are whole: a cut between dead ones has nothing to lose.
        standing.sort_by_key(|(one, _, _)| one.needs_hosts());
        for (_, fault, standing) in standing {
            let confirmed_by = standing.lift(cluster)?;
            scribe.write(What::FaultOff { fault, confirmed_by });
        }
        cluster.report_deaths(scribe)?;
        std::thread::sleep(between(LEAST_REST, MOST_REST, random));
    }
    Ok(())
}

/// One move, or two of which at most one is about the network. The first rounds go through all moves in turn where these
/// are few, so that none is left out.
fn draw(moves: &[Move], in_pairs: bool, turn: usize, random: &mut Random) -> Vec<Move> {
    let mut pick = || moves[random.pick(moves.len()).unwrap_or(0)];
    let first = if in_pairs { pick() } else { moves[turn % moves.len()] };
    let second = pick();
    let both = in_pairs && first.needs_hosts() != second.needs_hosts() && random.percent(PAIR_PERCENT);
    if both { vec![first, second] } else { vec![first] }
}

fn hold(round: &[Move], random: &mut Random) -> Duration {
    let only_kill = round.iter().all(|one| one.kind() == FaultKind::Kill);
    if only_kill && random.percent(AT_ONCE_PERCENT) { Duration::ZERO } else { between(LEAST_HOLD, MOST_HOLD, random) }
}

fn between(least: Duration, most: Duration, random: &mut Random) -> Duration {
    let width = u64::try_from(most.saturating_sub(least).as_millis()).unwrap_or(u64::MAX).max(1);
    least + Duration::from_millis(random.below(width))
}

/// Begins a fault; nothing if there is nobody to do it to in this moment, such as a leader.
fn begin(one: Move, cluster: &Cluster, random: &mut Random) -> anyhow::Result<Option<Begun>> {
    let otherwise = random.below(u64::from(super::config::QUEENS));
    let leader = || cluster.leader_or_any(otherwise);
    let forager = format!("forager-{}", 1 + random.below(u64::from(super::config::FORAGERS)));
    let begun = match one {
        Move::KillLeader => kill::begin(cluster, &[leader()])?,
        Move::KillMajority => {
            let leader = leader();
            let other = Cluster::queen_names().find(|name| *name != leader).unwrap_or_default();
            kill::begin(cluster, &[leader, other])?
        }
        Move::KillAll => kill::begin(cluster, &Cluster::queen_names().collect::<Vec<_>>())?,
        Move::KillForager => kill::begin(cluster, &[forager])?,
        Move::KillForagers => kill::begin(cluster, &Cluster::forager_names().collect::<Vec<_>>())?,
        Move::StopLeader => stop::begin(cluster, &leader())?,
        Move::StopForager => stop::begin(cluster, &forager)?,
        Move::IsolateLeader => partition::isolate(cluster, &leader()),
        Move::IsolateFollower => {
            let leader = leader();
            let follower = Cluster::queen_names().find(|name| *name != leader).unwrap_or_default();
            partition::isolate(cluster, &follower)
        }
        Move::MuteLeader => partition::mute(cluster, &leader()),
        Move::DeafenLeader => partition::deafen(cluster, &leader()),
        Move::Bridge => {
            let leader = leader();
            let other = Cluster::queen_names().find(|name| *name != leader).unwrap_or_default();
            partition::cut(cluster, &leader, &other)
        }
        Move::Flap => partition::flap(cluster, &leader()),
        Move::CutForagerFromLeader => partition::cut(cluster, &forager, &leader()),
    };
    Ok(begun)
}
