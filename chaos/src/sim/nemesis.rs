//! Who breaks things: each fault of the plan at its time, confirmed by something that was measured.

mod disturb;
mod links;
mod newcomers;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

pub(super) use newcomers::dismiss_all;

use super::disk::Illness;
use super::field::Field;
use super::machine::Machine;
use super::plan::{Fault, Trouble, Who};
use crate::history::{FaultKind, What};

/// Before the power goes in the middle of a write, syncs take so long: some write is under way then.
const BEFORE_A_TORN_WRITE: Duration = Duration::from_millis(60);

/// Breaks what the plan says; returns when everything is as it was before, but for what has to come up again by itself.
pub(super) async fn torment(field: &Field, faults: &[Fault]) {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for fault in faults.iter().copied() {
        let field = field.clone();
        running.spawn(async move {
            sleep_until(began + fault.at).await;
            One { field, fault }.inflict().await;
        });
    }
    while running.join_next().await.is_some() {}
}

/// One fault.
struct One {
    field: Field,
    fault: Fault,
}

impl One {
    async fn inflict(&self) {
        let targets = self.targets();
        let on: Vec<&str> = self.sufferers(&targets).iter().map(|machine| machine.name.as_str()).collect();
        let mut pen = self.field.chronicle.pen(format!("nemesis-{}", self.fault.number));
        let (fault, on) = (self.fault.number, format!("{:?} {}", self.fault.trouble, on.join(" ")));
        for kind in self.fault.trouble.kinds() {
            pen.write(What::FaultOn { fault, kind: *kind, on: on.clone(), confirmed_by: None });
        }
        let confirmed_by = self.hurt(&targets).await;
        pen.write(What::FaultOff { fault, confirmed_by });
    }

    /// Breaks it, waits, mends it; what shows that it was broken.
    async fn hurt(&self, targets: &[Arc<Machine>]) -> Option<String> {
        let lasts = self.fault.lasts;
        match self.fault.trouble {
            Trouble::Kill(_) => {
                let lives = kill(targets, lasts, Machine::kill).await;
                (lives > 0).then(|| format!("{lives} ended"))
            }
            Trouble::PowerLoss(_) => {
                let unsynced: usize = targets.iter().map(|machine| machine.unsynced()).sum();
                let lives = kill(targets, lasts, Machine::cut_power).await;
                (lives > 0).then(|| format!("{lives} ended, with {unsynced} changes that were not synced"))
            }
            Trouble::TornWrite(_) => {
                // Writes take their time before the power goes, so that it goes in the middle of some.
                stall(targets, BEFORE_A_TORN_WRITE).await;
                let torn: usize = targets.iter().map(|machine| machine.cut_power_in_a_write()).sum();
                sleep(lasts.max(Duration::from_millis(2))).await;
                for machine in targets {
                    machine.start();
                }
                (torn > 0).then(|| format!("{torn} writes were cut short"))
            }
            Trouble::Stop(_) => self.stop(targets, false).await,
            Trouble::Suspend(_) => self.stop(targets, true).await,
            Trouble::Isolate(_)
            | Trouble::Mute(_)
            | Trouble::Deafen(_)
            | Trouble::Bridge
            | Trouble::Flap
            | Trouble::CutForagerFromLeader => self.cut(targets).await,
            Trouble::Slow | Trouble::Lossy => self.bad_weather().await,
            Trouble::Break => self.break_connections(),
            Trouble::DiskStall(_) => stall(targets, lasts).await,
            Trouble::DiskError(_) => sicken(targets, Illness::Error, lasts).await,
            Trouble::DiskFull(_) => sicken(targets, Illness::Full, lasts).await,
            Trouble::ClockJump(_) => Some(self.jump(targets)),
            Trouble::Impostor => self.impose().await,
            Trouble::Garbage => self.send_garbage().await,
            Trouble::Replay => self.replay().await,
            Trouble::Transfer => self.transfer().await,
            Trouble::Newcomer => self.welcome().await,
        }
    }

    /// To whom it happens.
    fn targets(&self) -> Vec<Arc<Machine>> {
        let queens = self.field.queens();
        let any = self.number_below(queens.len());
        let leader = queens.iter().position(|queen| queen.leads()).unwrap_or(any);
        let other = (leader + 1 + self.number_below(queens.len() - 1)) % queens.len();
        let forager = || self.field.foragers()[self.number_below(self.field.foragers().len())].clone();
        let who = match self.fault.trouble {
            Trouble::Kill(who)
            | Trouble::PowerLoss(who)
            | Trouble::TornWrite(who)
            | Trouble::Stop(who)
            | Trouble::Suspend(who)
            | Trouble::Isolate(who)
            | Trouble::Mute(who)
            | Trouble::Deafen(who)
            | Trouble::DiskStall(who)
            | Trouble::DiskError(who)
            | Trouble::DiskFull(who)
            | Trouble::ClockJump(who) => who,
            Trouble::Flap => Who::Follower,
            Trouble::Bridge => return vec![queens[leader].clone(), queens[other].clone()],
            Trouble::CutForagerFromLeader => return vec![queens[leader].clone(), forager()],
            Trouble::Slow
            | Trouble::Lossy
            | Trouble::Break
            | Trouble::Impostor
            | Trouble::Garbage
            | Trouble::Replay
            | Trouble::Newcomer => return Vec::new(),
            Trouble::Transfer => Who::Leader,
        };
        match who {
            Who::Leader => vec![queens[leader].clone()],
            Who::Follower => vec![queens[other].clone()],
            Who::Majority => {
                let others = (0..queens.len()).map(|next| (other + next) % queens.len()).filter(|one| *one != leader);
                let all = std::iter::once(leader).chain(others.take(queens.len() / 2));
                all.map(|place| queens[place].clone()).collect()
            }
            Who::AllQueens => queens.to_vec(),
            Who::Forager => vec![forager()],
            Who::AllForagers => self.field.foragers().to_vec(),
        }
    }

    /// Who may suffer from it.
    fn sufferers<'a>(&'a self, targets: &'a [Arc<Machine>]) -> Vec<&'a Machine> {
        match self.fault.trouble {
            Trouble::Slow | Trouble::Lossy | Trouble::Replay => self.field.machines.iter().map(Arc::as_ref).collect(),
            Trouble::Break => self.pair().map(|machine| &**machine).to_vec(),
            Trouble::Impostor => vec![&*self.field.foragers()[0]],
            Trouble::Kill(_)
            | Trouble::PowerLoss(_)
            | Trouble::TornWrite(_)
            | Trouble::Stop(_)
            | Trouble::Suspend(_)
            | Trouble::Isolate(_)
            | Trouble::Mute(_)
            | Trouble::Deafen(_)
            | Trouble::Bridge
            | Trouble::Flap
            | Trouble::CutForagerFromLeader
            | Trouble::DiskStall(_)
            | Trouble::DiskError(_)
            | Trouble::DiskFull(_)
            | Trouble::ClockJump(_)
            | Trouble::Garbage
            | Trouble::Transfer
            | Trouble::Newcomer => targets.iter().map(Arc::as_ref).collect(),
        }
    }

    /// Two machines.
    fn pair(&self) -> [&Arc<Machine>; 2] {
        let machines = &self.field.machines;
        let one = self.number_below(machines.len());
        let other = (one + 1 + self.number_below(machines.len() - 1)) % machines.len();
        [&machines[one], &machines[other]]
    }

    fn number_below(&self, bound: usize) -> usize {
        usize::try_from(self.fault.pick % (bound as u64).max(1)).unwrap_or(0)
    }

    async fn stop(&self, targets: &[Arc<Machine>], with_machine: bool) -> Option<String> {
        let held = targets.iter().filter(|machine| machine.hold()).count();
        if with_machine {
            for machine in targets {
                machine.suspend();
            }
        }
        sleep(self.fault.lasts).await;
        for machine in targets {
            if with_machine {
                machine.wake(self.fault.lasts);
            }
            machine.resume();
        }
        (held > 0).then(|| format!("{held} stood still for {} ms", self.fault.lasts.as_millis()))
    }

    fn jump(&self, targets: &[Arc<Machine>]) -> String {
        const SECOND: i64 = 1_000;
        let by = [-1, 1, -3_600, 3_600, 315_360_000][self.number_below(5)] * SECOND;
        for machine in targets {
            machine.clocks.jump(by);
        }
        let reading = targets.first().map_or(0, |machine| machine.clocks.wall_ms());
        format!("by {by} ms; it shows {reading}")
    }
}

/// Ends processes in some way, and starts them again; how many ran.
async fn kill(targets: &[Arc<Machine>], lasts: Duration, how: fn(&Machine) -> bool) -> usize {
    let ended = targets.iter().filter(|machine| how(machine)).count();
    sleep(lasts.max(Duration::from_millis(2))).await;
    for machine in targets {
        machine.start();
    }
    ended
}

async fn stall(targets: &[Arc<Machine>], lasts: Duration) -> Option<String> {
    let stall = |stalled| {
        for machine in targets {
            machine.health.stall(stalled);
        }
    };
    stall(true);
    sleep(lasts).await;
    let waiting: usize = targets.iter().map(|machine| machine.unsynced()).sum();
    stall(false);
    (waiting > 0).then(|| format!("{waiting} changes waited for a sync"))
}

async fn sicken(targets: &[Arc<Machine>], illness: Illness, lasts: Duration) -> Option<String> {
    let failed = || targets.iter().map(|machine| machine.health.failed()).sum::<u64>();
    let before = failed();
    let set = |illness| {
        for machine in targets {
            machine.health.set(illness);
        }
    };
    set(illness);
    sleep(lasts).await;
    set(Illness::None);
    let operations = failed() - before;
    (operations > 0).then(|| format!("{operations} operations failed"))
}

/// All kinds that a plan can ask for.
pub(super) const KINDS: &[FaultKind] = &[
    FaultKind::Kill,
    FaultKind::Stop,
    FaultKind::Partition,
    FaultKind::OneWay,
    FaultKind::Flapping,
    FaultKind::Loss,
    FaultKind::Delay,
    FaultKind::Duplication,
    FaultKind::Reordering,
    FaultKind::DiskStall,
    FaultKind::DiskError,
    FaultKind::DiskFull,
    FaultKind::PowerLoss,
    FaultKind::TornWrite,
    FaultKind::ClockJump,
    FaultKind::Transfer,
    FaultKind::Membership,
    FaultKind::Impostor,
    FaultKind::Hostile,
];
