//! What a seed decides before anything runs: how large the cluster is, how fast, and which faults come when.

use std::fmt;
use std::time::Duration;

use crate::history::FaultKind;
use crate::random::Random;

/// Work without faults comes first, for so long.
pub(super) const CALM: Duration = Duration::from_millis(1_500);

/// Of a hundred stalls of a disk, so many take so much longer.
const LONG_STALL_PERCENT: u64 = 25;
const LONG_STALL: Duration = Duration::from_secs(6);

/// In so many of a hundred runs the disk of a leader hangs while all else is well.
const HANG_PERCENT: u64 = 25;

/// A run of a seed.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) queens: u16,
    pub(super) foragers: u16,
    pub(super) clients: usize,
    /// Between two operations of a client, at most.
    pub(super) pause_ms: u64,
    /// How much longer a sync of a queen's disk may take.
    pub(super) sync_ms: u64,
    /// Whether disks say that they have synced what they have not. No seed decides that.
    pub(super) disks_lie: bool,
    /// Wall clocks are wrong by at most so much, as long as nobody sets them.
    pub(super) skew_ms: u64,
    /// Those of queens by so much more, and nobody knows. No seed decides that.
    pub(super) untold_skew_ms: i64,
    /// Bytes of the log between two snapshots.
    pub(super) snapshot_floor: u64,
    pub(super) entries_kept: u64,
    pub(super) faults: Vec<Fault>,
    /// What becomes of the other queens when a majority must go on without faults.
    pub(super) minority: Minority,
    /// Whether the disk of the leader hangs afterwards, while all else is well.
    pub(super) hangs: bool,
}

/// Something goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Its place in the plan of its seed.
    pub(super) number: u64,
    /// From the end of the calm on.
    pub(super) at: Duration,
    pub(super) lasts: Duration,
    pub(super) trouble: Trouble,
    /// Decides what is left open.
    pub(super) pick: u64,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The process ends, and is started again.
    Kill(Who),
    /// The machine ends with it.
    PowerLoss(Who),
    /// The machine ends in the middle of a write.
    TornWrite(Who),
    /// The process stands still; its machine does not.
    Stop(Who),
    /// The machine is suspended with everything on it.
    Suspend(Who),
    /// Nothing goes to anybody, or comes from there.
    Isolate(Who),
    /// What it sends is lost.
    Mute(Who),
    /// What is sent to it is lost.
    Deafen(Who),
    /// Two queens are cut from each other, and both hear the others.
    Bridge,
    /// The links of a queen come and go.
    Flap,
    /// A forager hears every queen but the leader.
    CutForagerFromLeader,
    /// Everything is late, each message by another time.
    Slow,
    /// Some of what is sent has to be sent again.
    Lossy,
    /// All connections between two machines break.
    Break,
    DiskStall(Who),
    DiskError(Who),
    DiskFull(Who),
    /// A wall clock is set.
    ClockJump(Who),
    /// Another forager comes with the name of one that is there.
    Impostor,
    /// Somebody sends what means nothing.
    Garbage,
    /// Somebody says again what was said on another connection.
    Replay,
    /// Leadership is handed over.
    Transfer,
    /// A queen is added, votes, and goes for good.
    Newcomer,
}

/// To whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Leader,
    Follower,
    Majority,
    AllQueens,
    Forager,
    AllForagers,
}

/// What becomes of queens without a majority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Minority {
    Dead,
    Isolated,
    Mute,
    Deaf,
}

impl Minority {
    const ALL: [Self; 4] = [Self::Dead, Self::Isolated, Self::Mute, Self::Deaf];
}

/// How many queens there are: mostly three.
const QUEENS: [u16; 6] = [3, 3, 3, 3, 4, 5];

/// Everything that can go wrong, with how often it is drawn.
const TROUBLES: &[(u64, Trouble)] = &[
    (6, Trouble::Kill(Who::Leader)),
    (3, Trouble::Kill(Who::Follower)),
    (2, Trouble::Kill(Who::Majority)),
    (1, Trouble::Kill(Who::AllQueens)),
    (4, Trouble::Kill(Who::Forager)),
    (4, Trouble::PowerLoss(Who::Leader)),
    (2, Trouble::PowerLoss(Who::Majority)),
    (2, Trouble::PowerLoss(Who::AllQueens)),
    (3, Trouble::PowerLoss(Who::Forager)),
    (2, Trouble::TornWrite(Who::Leader)),
    (2, Trouble::TornWrite(Who::Majority)),
    (1, Trouble::Kill(Who::AllForagers)),
    (1, Trouble::PowerLoss(Who::AllForagers)),
    (3, Trouble::Stop(Who::Leader)),
    (2, Trouble::Stop(Who::Follower)),
    (3, Trouble::Stop(Who::Forager)),
    (2, Trouble::Suspend(Who::Leader)),
    (2, Trouble::Suspend(Who::Forager)),
    (3, Trouble::Isolate(Who::Leader)),
    (2, Trouble::Isolate(Who::Follower)),
    (2, Trouble::Isolate(Who::Forager)),
    (3, Trouble::Mute(Who::Leader)),
    (3, Trouble::Deafen(Who::Leader)),
    (2, Trouble::Bridge),
    (2, Trouble::Flap),
    (3, Trouble::CutForagerFromLeader),
    (3, Trouble::Slow),
    (3, Trouble::Lossy),
    (3, Trouble::Break),
    (3, Trouble::DiskStall(Who::Leader)),
    (2, Trouble::DiskStall(Who::Follower)),
    (2, Trouble::DiskError(Who::Leader)),
    (2, Trouble::DiskError(Who::Follower)),
    (1, Trouble::DiskError(Who::Forager)),
    (2, Trouble::DiskFull(Who::Leader)),
    (3, Trouble::ClockJump(Who::Leader)),
    (2, Trouble::ClockJump(Who::Follower)),
    (1, Trouble::ClockJump(Who::Forager)),
    (2, Trouble::Impostor),
    (3, Trouble::Garbage),
    (3, Trouble::Replay),
    (2, Trouble::Transfer),
    (1, Trouble::Newcomer),
];

impl Plan {
    /// What a seed decides.
    pub(super) fn of(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5eed_c1a5_7e12_0001);
        let faults_for = Duration::from_millis(8_000 + random.below(17_000));
        // A part of all troubles, so that seeds differ in kind and not only in order.
        let share = 25 + random.below(65);
        let mut drawn: Vec<(u64, Trouble)> = TROUBLES.iter().copied().filter(|_| random.percent(share)).collect();
        if drawn.is_empty() {
            drawn.push(TROUBLES[0]);
        }
        let rest = 300 + random.below(2_200);
        let mut faults = Vec::new();
        let mut at = Duration::ZERO;
        while at < faults_for {
            faults.push(fault(faults.len() as u64, (at, faults_for), &drawn, &mut random));
            at += Duration::from_millis(1 + random.below(2 * rest));
        }
        Self {
            seed,
            queens: QUEENS[random.pick(QUEENS.len()).unwrap_or(0)],
            foragers: 2 + u16::try_from(random.below(3)).unwrap_or(0),
            clients: 2 + usize::try_from(random.below(3)).unwrap_or(0),
            pause_ms: 150 + random.below(900),
            sync_ms: random.below(5),
            disks_lie: false,
            skew_ms: [20, 20, 2_000][random.pick(3).unwrap_or(0)],
            untold_skew_ms: 0,
            snapshot_floor: 1 << (10 + random.below(7)),
            entries_kept: 16 + random.below(180),
            faults,
            minority: Minority::ALL[random.pick(Minority::ALL.len()).unwrap_or(0)],
            hangs: random.percent(HANG_PERCENT),
        }
    }

    /// The same with no other faults than these.
    pub(super) fn only(mut self, numbers: &[u64]) -> Self {
        self.faults.retain(|fault| numbers.contains(&fault.number));
        self
    }

    /// Whether the wall clock of a queen is set.
    pub(super) fn sets_clocks_of_queens(&self) -> bool {
        let queens = |who| !matches!(who, Who::Forager | Who::AllForagers);
        self.faults.iter().any(|fault| matches!(fault.trouble, Trouble::ClockJump(who) if queens(who)))
    }

    /// The kinds of fault that it asks for.
    pub(super) fn kinds(&self) -> Vec<FaultKind> {
        let mut kinds: Vec<FaultKind> = self.faults.iter().flat_map(|fault| fault.trouble.kinds()).copied().collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

fn fault(number: u64, (at, end): (Duration, Duration), drawn: &[(u64, Trouble)], random: &mut Random) -> Fault {
    let all = drawn.iter().map(|(weight, _)| weight).sum();
    let mut place = random.below(all);
    let mut trouble = drawn[0].1;
    for (weight, one) in drawn {
        trouble = *one;
        if place < *weight {
            break;
        }
        place -= weight;
    }
    // At once, for a moment, or longer than a lease.
    let lasts = match random.below(10) {
        0..3 => 10 + random.below(90),
        3..8 => 200 + random.below(1_800),
        _ => 2_000 + random.below(4_000),
    };
    // Some disks stand still for much longer than an election takes.
    let more = if matches!(trouble, Trouble::DiskStall(_)) && random.percent(LONG_STALL_PERCENT) {
        LONG_STALL
    } else {
        Duration::ZERO
    };
    let lasts = (Duration::from_millis(lasts) + more).min(end.saturating_sub(at));
    Fault { number, at, lasts, trouble, pick: random.next() }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, at, lasts, trouble, .. } = self;
        write!(f, "{number}: after {} ms, for {} ms: {trouble:?}", at.as_millis(), lasts.as_millis())
    }
}

impl Trouble {
    pub(super) fn kinds(self) -> &'static [FaultKind] {
        match self {
            Self::Kill(_) => &[FaultKind::Kill],
            Self::PowerLoss(_) => &[FaultKind::PowerLoss],
            Self::TornWrite(_) => &[FaultKind::TornWrite],
            Self::Stop(_) | Self::Suspend(_) => &[FaultKind::Stop],
            Self::Isolate(_) | Self::Bridge | Self::CutForagerFromLeader => &[FaultKind::Partition],
            Self::Mute(_) | Self::Deafen(_) => &[FaultKind::OneWay],
            Self::Flap => &[FaultKind::Flapping],
            // Connections are late by different times: what is sent on one overtakes what was sent before on another.
            Self::Slow => &[FaultKind::Delay, FaultKind::Reordering],
            Self::Lossy | Self::Break => &[FaultKind::Loss],
            Self::DiskStall(_) => &[FaultKind::DiskStall],
            Self::DiskError(_) => &[FaultKind::DiskError],
            Self::DiskFull(_) => &[FaultKind::DiskFull],
            Self::ClockJump(_) => &[FaultKind::ClockJump],
            Self::Impostor => &[FaultKind::Impostor],
            Self::Garbage => &[FaultKind::Hostile],
            Self::Replay => &[FaultKind::Duplication],
            Self::Transfer => &[FaultKind::Transfer],
            Self::Newcomer => &[FaultKind::Membership],
        }
    }
}
