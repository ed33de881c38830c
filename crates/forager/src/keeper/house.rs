//! The keeper's own process: whom it talks to, what it keeps, when it ends.

mod attend;
mod door;
mod folders;
mod gathered;
mod kept;
mod orphans;
mod pretend;
mod spares;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Stream};
use antfarm_protocol::{AttemptRef, MAX_ATTEMPTS};
use antfarm_storage::{DataFolderLock, StorageError, SystemDisk};
use rustix::process::{getpid, set_child_subreaper, setsid};
use tokio::sync::{mpsc, watch};

use crate::executor::{Log, StopCause};
use crate::keeper::mail::Mail;
use crate::keeper::simulated::Workshop;
use crate::keeper::wire::{Ended, Environment, Order, Start, Tale};
use crate::keeper::{Due, FOLDER, KeeperError, Suspension, WORK_FOLDER, spare_mark};
use crate::process::{Held, ProcessMark};
use attend::{Attended, Report, attend};
use door::Door;
use folders::Folders;
use gathered::Gathered;
use kept::{Kept, Until};
use orphans::Sentries;
use spares::Spares;

/// It looks around this often: for a suspension, and for whether anybody needs it.
const LOOK: Duration = Duration::from_millis(250);

/// A keeper without a forager, without a program and without anything to tell ends after this time.
const IDLE: Duration = Duration::from_mins(1);

/// Reports of attempts that have not been taken; the attempts wait.
const REPORTS: usize = 1_024;

/// Runs the keeper of a data folder until nobody needs it any more, or `exit_with` has ended.
///
/// It makes a session of its own and becomes the parent of all orphans below it. When this returns, the process has to end:
/// with it ends everything that it keeps.
pub async fn run_keeper(env: Env, data: PathBuf, exit_with: Option<ProcessMark>) -> Result<(), KeeperError> {
    let parent = match exit_with.map(Held::marked) {
        None => None,
        Some(Some(parent)) => Some(parent),
        Some(None) => return Ok(()), // it has ended already
    };
    // Fails only for who leads a group already, as when a person calls this.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))
        .map_err(|source| KeeperError::Kernel { what: "adopt its orphaned descendants", source: source.into() })?;
    let folder = data.join(FOLDER);
    let _lock = match DataFolderLock::acquire(&SystemDisk, &folder) {
        Err(StorageError::Locked { .. }) => return Err(KeeperError::Taken { folder }),
        lock => {
            lock.map_err(|error| KeeperError::Folder { folder: folder.clone(), source: std::io::Error::other(error) })?
        }
    };
    let door = Door::open(&env, &folder)?;
    let house =
        House::new(env, Trade::Programs { folders: Folders::below(data.join(WORK_FOLDER)), mark: spare_mark(&data) });
    tokio::select! {
        () = house.keep(door) => Ok(()),
        () = ended(parent) => Ok(()),
    }
}

/// Runs a keeper of programs that a workshop makes up, until nobody needs it any more. Who comes in is brought.
pub(super) async fn pretend_keeper(env: Env, workshop: Arc<dyn Workshop>, comes: mpsc::Receiver<Stream>) {
    let door = Door::led_to(&env, comes);
    House::new(env, Trade::Pretence(workshop)).keep(door).await;
}

/// Waits until a process has ended; for ever if there is none, or nothing can be waited for.
async fn ended(parent: Option<Held>) {
    match parent {
        Some(parent) if parent.ended().await.is_ok() => {}
        Some(_) | None => std::future::pending().await,
    }
}

/// What it keeps.
enum Trade {
    /// Programs, each with a folder of its own, and the mark of sentries that guard more than one.
    Programs { folders: Folders, mark: u64 },
    /// What a simulation takes for programs.
    Pretence(Arc<dyn Workshop>),
}

/// All that a keeper knows.
struct House {
    env: Env,
    trade: Trade,
    attempts: BTreeMap<AttemptRef, Kept>,
    lease: Due,
    environment: Arc<Environment>,
    sentries: Sentries,
    spares: Spares,
    gathered: Gathered,
    reports: mpsc::Sender<(AttemptRef, Report)>,
    reported: mpsc::Receiver<(AttemptRef, Report)>,
    forager: Option<Mail<Order>>,
    suspension: Suspension,
    /// Since when it has not been needed, on the monotonic clock.
    idle_since: Option<Duration>,
    ending: bool,
}

/// What happens to it.
enum Input {
    Attached(Mail<Order>, Environment),
    Ordered(Option<Order>),
    Reported(AttemptRef, Report),
    Time,
}

impl House {
    fn new(env: Env, trade: Trade) -> Self {
        let (reports, reported) = mpsc::channel(REPORTS);
        Self {
            suspension: Suspension::since(env.boot_time(), env.monotonic()),
            env,
            trade,
            attempts: BTreeMap::new(),
            lease: Due::PAST,
            environment: Arc::default(),
            sentries: Sentries::default(),
            spares: Spares::default(),
            gathered: Gathered::default(),
            reports,
            reported,
            forager: None,
            idle_since: None,
            ending: false,
        }
    }

    async fn keep(mut self, mut door: Door) {
        while !self.is_done() {
            let input = self.next(&mut door).await;
            self.notice_suspension();
            match input {
                Input::Attached(forager, environment) => self.attach(forager, environment),
                Input::Ordered(Some(order)) => self.obey(order),
                Input::Ordered(None) => self.forager = None,
                Input::Reported(attempt, report) => self.report(attempt, report),
                Input::Time => {}
            }
            self.tell_ends();
        }
        if let Trade::Programs { folders, .. } = &self.trade {
            folders.remove_spare();
        }
    }

    async fn next(&mut self, door: &mut Door) -> Input {
        let look = self.gathered.due_in(self.env.monotonic()).map_or(LOOK, |due_in| due_in.min(LOOK));
        let order = async {
            match &mut self.forager {
                Some(forager) => forager.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some((forager, environment)) = door.next() => Input::Attached(forager, environment),
            Some((attempt, report)) = self.reported.recv() => Input::Reported(attempt, report),
            order = order => Input::Ordered(order),
            () = tokio::time::sleep(look) => Input::Time,
        }
    }

    /// Whether nobody needs it any more.
    fn is_done(&mut self) -> bool {
        let runs = self.attempts.values().any(Kept::runs);
        if self.ending && !runs {
            return true;
        }
        let is_needed = self.forager.is_some() || !self.attempts.is_empty();
        if is_needed {
            self.idle_since = None;
            return false;
        }
        let now = self.env.monotonic();
        now.saturating_sub(*self.idle_since.get_or_insert(now)) >= IDLE
    }

    /// A machine that was suspended has no lease any more, until somebody says otherwise.
    fn notice_suspension(&mut self) {
        if self.suspension.is_noticed(self.env.boot_time(), self.env.monotonic()) {
            self.take_lease(Due::PAST);
        }
    }

    /// The forager that speaks now counts. What one from before said and was not read yet is never read.
    fn attach(&mut self, mut forager: Mail<Order>, environment: Environment) {
        self.environment = environment.into();
        let holds = self.attempts.iter().map(|(attempt, kept)| Tale::Holds(kept.held(*attempt)));
        let ended = self.attempts.iter().filter_map(|(attempt, kept)| {
            kept.ended.as_ref().map(|ended| Tale::Ended { attempt: *attempt, ended: ended.clone() })
        });
        for tale in holds.chain([Tale::Attached { lease: self.lease }]).chain(ended) {
            tell(&mut forager, &tale);
        }
        self.gathered.take();
        self.forager = Some(forager);
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Attach { .. } => {} // it has
            Order::Lease(lease) => self.take_lease(lease),
            Order::Start(start) => self.start(start),
            Order::Stop { attempt, grace_ms, cause } => {
                let due = Due::within(Duration::from_millis(grace_ms), self.env.boot_time());
                if let Some(kept) = self.attempts.get_mut(&attempt) {
                    kept.stop(due, cause);
                }
            }
            Order::Forget { attempts } => {
                for attempt in attempts {
                    if self.attempts.get(&attempt).is_some_and(|kept| !kept.runs()) {
                        self.attempts.remove(&attempt);
                    }
                }
            }
            Order::Log { request, attempt } => {
                let text = self.attempts.get(&attempt).map(|kept| kept.log.bytes());
                self.tell(&Tale::Log { request, text });
            }
            Order::Ping => self.tell(&Tale::Pong),
            Order::End => self.ending = true,
        }
    }

    fn take_lease(&mut self, lease: Due) {
        self.lease = lease;
        self.attempts.values_mut().filter(|kept| kept.guarded).for_each(|kept| kept.lease_until(lease));
    }

    fn start(&mut self, start: Start) {
        let attempt = start.attempt;
        if self.attempts.contains_key(&attempt) {
            return;
        }
        let (kept, due) = Kept::new(&start, self.lease, self.env.monotonic());
        let log = Arc::clone(&kept.log);
        self.attempts.insert(attempt, kept);
        if self.attempts.len() > MAX_ATTEMPTS {
            let why = "its keeper holds too many attempts".to_owned();
            return self.report(attempt, Report::Ended(Ended::never_began(why, None)));
        }
        if start.guarded && self.env.boot_time() >= self.lease.stop_at {
            let why = "its lease was over before it began".to_owned();
            return self.report(attempt, Report::Ended(Ended::never_began(why, Some(StopCause::Interrupted))));
        }
        self.run(start, log, due);
    }

    fn run(&self, start: Start, log: Arc<Log>, due: watch::Receiver<Until>) {
        let (env, reports) = (self.env.clone(), self.reports.clone());
        match &self.trade {
            Trade::Programs { folders, mark } => {
                let folders = folders.clone();
                let (environment, sentries) = (Arc::clone(&self.environment), self.sentries.clone());
                // What is guarded has a sentry of its own, which a forager finds without its keeper.
                let mark = if start.guarded { start.mark } else { *mark };
                let spares = self.spares.clone();
                let attended = Attended { env, folders, environment, sentries, spares, mark, reports, log, due };
                let work = (start, attended);
                let left = if work.0.guarded { Some(work) } else { self.spares.give(work) };
                if let Some(work) = left {
                    self.env.spawn(attend(work));
                }
            }
            Trade::Pretence(workshop) => {
                self.env.spawn(pretend::attend(start, Arc::clone(workshop), env, reports, due));
            }
        }
    }

    fn report(&mut self, attempt: AttemptRef, report: Report) {
        let Some(kept) = self.attempts.get_mut(&attempt) else { return };
        match report {
            Report::Started(program) => {
                kept.program = Some(program);
                self.tell(&Tale::Started { attempt, program });
            }
            Report::Ended(ended) => {
                let is_asked_for = kept.is_asked_to_end() || ended.stopped.is_some();
                kept.ended = Some(ended);
                let now = self.env.monotonic();
                let took = now.saturating_sub(kept.began);
                if is_asked_for || !self.attempts.values().any(Kept::runs) {
                    self.gathered.add_at_once(attempt, now);
                } else {
                    self.gathered.add(attempt, took, now);
                }
            }
        }
    }

    /// Tells the ends that wait for no others any more.
    fn tell_ends(&mut self) {
        if self.gathered.due_in(self.env.monotonic()) != Some(Duration::ZERO) {
            return;
        }
        for attempt in self.gathered.take() {
            let ended = self.attempts.get(&attempt).and_then(|kept| kept.ended.clone());
            if let Some(ended) = ended {
                self.tell(&Tale::Ended { attempt, ended });
            }
        }
    }

    fn tell(&mut self, tale: &Tale) {
        if let Some(forager) = &mut self.forager {
            tell(forager, tale);
        }
    }
}

fn tell(forager: &mut Mail<Order>, tale: &Tale) {
    forager.tell(tale).expect("an output and a log are far shorter than a frame may be");
}

#[cfg(test)]
mod tests;
