//! The forager's end: talks to its keeper, starts one when there is work for it, and goes on without one that is gone.

mod connection;
mod guarded;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_protocol::{AttemptRef, MAX_ATTEMPTS};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::executor::{Happening, Happenings, StopCause, end_of};
use crate::keeper::wire::{Ended, Exit, Order, Start, Tale};
use crate::keeper::{Due, Keeping};
use crate::process::{Leftover, ProcessMark, Unkillable};
use crate::session::SessionNo;

pub(crate) use connection::{Connection, find, start};

/// Errands that wait. Of each attempt there are at most a start, two stops and a forget, and an attempt whose errands wait
/// does not give its place to another.
const ERRANDS: usize = 8 * MAX_ATTEMPTS;

/// Logs that are asked for and not answered; more are answered with nothing.
const LOGS: usize = 64;

/// A keeper for whose programs somebody waits is asked for a sign of life this often.
const ASK: Duration = Duration::from_secs(1);

/// One that gives none so many times in a row is taken for hung, and ended; with it ends what it keeps. Counted in times
/// that were asked, not by the clock: a forager that was stopped itself has asked only once more.
const UNANSWERED: u32 = 30;

/// A keeper that was told to end, and has nothing to do, does so within this time.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// What a line needs.
pub(crate) struct Surroundings {
    /// Clocks and tasks.
    pub(crate) env: Env,
    /// Who keeps programs.
    pub(crate) keeping: Keeping,
    /// The forager's data folder.
    pub(crate) data: PathBuf,
    /// The largest result, in bytes.
    pub(crate) result_bytes: usize,
    /// Where the foreman listens.
    pub(crate) happenings: Happenings,
}

/// A cheap handle to the line to the keeper. When all are dropped the line ends; the keeper goes on.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    errands: mpsc::Sender<Errand>,
    lease: Arc<watch::Sender<Due>>,
}

#[derive(Debug)]
enum Errand {
    Start(Start),
    Stop { attempt: AttemptRef, grace: Duration, cause: StopCause },
    Forget(Vec<AttemptRef>),
    Log { attempt: AttemptRef, session: SessionNo, request: u64 },
    End(oneshot::Sender<()>),
}

impl Keeper {
    /// Opens the line, by the connection that was found, if there was one.
    pub(crate) fn open(around: Surroundings, found: Option<Connection>) -> Self {
        let (errands, run) = mpsc::channel(ERRANDS);
        let lease = found.as_ref().map_or(Due::PAST, |found| found.lease);
        let (lease, due) = watch::channel(lease);
        let mut asks = interval(ASK);
        asks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let held = found.iter().flat_map(|found| &found.held);
        let programs = held.map(|held| {
            let program = Program { mark: held.mark, guarded: held.guarded, process: held.program };
            (held.attempt, program)
        });
        let line = Line {
            programs: programs.collect(),
            connection: found,
            errands: run,
            lease: due,
            told: None,
            logs: BTreeMap::new(),
            next_log: 0,
            asks,
            unanswered: 0,
            around,
        };
        line.around.env.clone().spawn(line.run());
        Self { errands, lease: Arc::new(lease) }
    }

    /// Runs a program. Its end follows as a happening, whatever becomes of it.
    pub(crate) fn start(&self, start: Start) {
        self.run(Errand::Start(start));
    }

    /// Ends a program.
    pub(crate) fn stop(&self, attempt: AttemptRef, grace: Duration, cause: StopCause) {
        self.run(Errand::Stop { attempt, grace, cause });
    }

    /// The journal has the ends of these.
    pub(crate) fn forget(&self, attempts: Vec<AttemptRef>) {
        self.run(Errand::Forget(attempts));
    }

    /// Asks for what a program has written; the answer follows as a happening.
    pub(crate) fn read_log(&self, attempt: AttemptRef, session: SessionNo, request: u64) {
        self.run(Errand::Log { attempt, session, request });
    }

    /// What is guarded may run so long.
    pub(crate) fn lease_until(&self, due: Due) {
        self.lease.send_if_modified(|lease| std::mem::replace(lease, due) != due);
    }

    /// Ends the keeper, as soon as nothing runs, and the line.
    pub(crate) async fn end(&self) {
        let (done, is_done) = oneshot::channel();
        self.run(Errand::End(done));
        if tokio::time::timeout(2 * ENDS_WITHIN, is_done).await.is_err() {
            tracing::warn!("the keeper goes on; it ends by itself when it has nothing to do");
        }
    }

    fn run(&self, errand: Errand) {
        // A line ends only with its runtime, or after its last errand.
        if let Err(mpsc::error::TrySendError::Full(errand)) = self.errands.try_send(errand) {
            tracing::error!(?errand, "an errand to the keeper was not run, which is a bug");
        }
    }
}

/// A program that the keeper has.
struct Program {
    mark: u64,
    guarded: bool,
    process: Option<ProcessMark>,
}

/// A log that a queen asked for.
struct Asked {
    attempt: AttemptRef,
    session: SessionNo,
    request: u64,
}

struct Line {
    around: Surroundings,
    errands: mpsc::Receiver<Errand>,
    lease: watch::Receiver<Due>,
    /// What the keeper was told of it.
    told: Option<Due>,
    connection: Option<Connection>,
    programs: BTreeMap<AttemptRef, Program>,
    logs: BTreeMap<u64, Asked>,
    next_log: u64,
    asks: Interval,
    unanswered: u32,
}

enum Input {
    Errand(Option<Errand>),
    Tale(Option<Tale>),
    Lease,
    Ask,
    Due,
}

impl Line {
    async fn run(mut self) {
        loop {
            match self.next().await {
                Input::Errand(None) => return,
                Input::Errand(Some(errand)) => {
                    if let Some(done) = self.run_errand(errand).await {
                        self.end().await;
                        let _ = done.send(()); // who waits may have lost patience
                        return;
                    }
                }
                Input::Tale(Some(tale)) => self.hear(tale).await,
                Input::Tale(None) => self.lose().await,
                Input::Lease => self.tell_lease(),
                Input::Ask => self.ask().await,
                Input::Due => self.enforce().await,
            }
        }
    }

    async fn next(&mut self) -> Input {
        let is_connected = self.connection.is_some();
        let waits = is_connected && !self.programs.is_empty();
        let guards = is_connected && self.programs.values().any(|program| program.guarded);
        let due_in = self.lease.borrow().kill_at.saturating_sub(self.around.env.boot_time());
        let tale = async {
            match &mut self.connection {
                Some(connection) => connection.mail.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            tale = tale => Input::Tale(tale),
            Ok(()) = self.lease.changed() => Input::Lease,
            errand = self.errands.recv() => Input::Errand(errand),
            () = tokio::time::sleep(due_in), if guards => Input::Due,
            _ = self.asks.tick(), if waits => Input::Ask,
        }
    }

    /// Hands back who waits for the end, if that is the errand.
    async fn run_errand(&mut self, errand: Errand) -> Option<oneshot::Sender<()>> {
        match errand {
            Errand::Start(start) => self.start(start).await,
            Errand::Stop { attempt, grace, cause } => {
                let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
                self.tell(&Order::Stop { attempt, grace_ms, cause });
            }
            Errand::Forget(attempts) => self.tell(&Order::Forget { attempts }),
            Errand::Log { attempt, session, request } => {
                let asked = Asked { attempt, session, request };
                if self.connection.is_none() || self.logs.len() >= LOGS {
                    self.answer(asked, None).await;
                } else {
                    let number = self.next_log;
                    self.next_log += 1;
                    self.logs.insert(number, asked);
                    self.tell(&Order::Log { request: number, attempt });
                }
            }
            Errand::End(done) => return Some(done),
        }
        None
    }

    async fn start(&mut self, start: Start) {
        let attempt = start.attempt;
        if self.connection.is_none() {
            match connection::start(&self.around).await {
                Ok(connection) => {
                    (self.connection, self.told, self.unanswered) = (Some(connection), None, 0);
                }
                Err(error) => return self.never_began(attempt, error.to_string()).await,
            }
        }
        self.tell_lease();
        let program = Program { mark: start.mark, guarded: start.guarded, process: None };
        let Some(connection) = &mut self.connection else { return };
        if let Err(error) = connection.mail.tell(&Order::Start(start)) {
            let why = format!("its arguments and environment could not be handed to the keeper: {error}");
            return self.never_began(attempt, why).await;
        }
        self.programs.insert(attempt, program);
    }

    async fn never_began(&mut self, attempt: AttemptRef, why: String) {
        self.ended(attempt, Ended::never_began(why, None)).await;
    }

    fn tell_lease(&mut self) {
        let lease = *self.lease.borrow_and_update();
        if self.connection.is_some() && self.told.replace(lease) != Some(lease) {
            self.tell(&Order::Lease(lease));
        }
    }

    fn tell(&mut self, order: &Order) {
        if let Some(connection) = &mut self.connection {
            connection.mail.tell(order).expect("all but a start is far shorter than a frame may be");
        }
    }

    async fn hear(&mut self, tale: Tale) {
        self.unanswered = 0;
        match tale {
            Tale::Started { attempt, program: process } => {
                if let Some(program) = self.programs.get_mut(&attempt) {
                    program.process = Some(process);
                }
                self.happens(attempt, Happening::Process(process)).await;
            }
            Tale::Ended { attempt, ended } => {
                self.programs.remove(&attempt);
                self.ended(attempt, ended).await;
            }
            Tale::Log { request, text } => {
                if let Some(asked) = self.logs.remove(&request) {
                    self.answer(asked, text).await;
                }
            }
            Tale::Pong | Tale::Holds(_) | Tale::Attached { .. } => {}
        }
    }

    async fn ended(&mut self, attempt: AttemptRef, ended: Ended) {
        let (end, log) = end_of(ended, self.around.result_bytes);
        self.happens(attempt, Happening::Ended { end, log: Some(log) }).await;
    }

    async fn answer(&mut self, asked: Asked, text: Option<Vec<u8>>) {
        let Asked { attempt, session, request } = asked;
        let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        self.happens(attempt, Happening::Log { session, request, text }).await;
    }

    async fn happens(&mut self, attempt: AttemptRef, happening: Happening) {
        // Without a foreman nobody wants to know.
        let _ = self.around.happenings.send((attempt, happening)).await;
    }

    async fn ask(&mut self) {
        if self.unanswered >= UNANSWERED {
            tracing::error!("the keeper gives no sign of life, and is ended with all that it keeps");
            return self.lose().await;
        }
        self.unanswered += 1;
        self.tell(&Order::Ping);
    }

    /// The keeper is gone, or might as well be. Makes sure of it, and that nothing is left of what it kept; only then is
    /// that interrupted.
    async fn lose(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.end().await;
        }
        let programs = std::mem::take(&mut self.programs);
        tracing::warn!(programs = programs.len(), "the keeper is gone, and what it kept is interrupted");
        let left = programs.values().map(|program| Leftover { mark: program.mark, program: program.process });
        let left: Vec<Leftover> = left.collect();
        while let Err(Unkillable(processes)) = self.around.keeping.end_leftovers(&left, Some(&self.around.data)).await {
            tracing::error!(processes, "processes of interrupted attempts were killed and hang in the kernel");
        }
        for asked in std::mem::take(&mut self.logs).into_values() {
            self.answer(asked, None).await;
        }
        for attempt in programs.into_keys() {
            let (exit, stopped) = (Exit::Unseen, Some(StopCause::Interrupted));
            let ended = Ended::silent(exit, stopped);
            self.ended(attempt, ended).await;
        }
    }

    /// The lease is over, and guarded programs have not been reported as ended: keeper and sentries may be stopped.
    async fn enforce(&mut self) {
        let Some(connection) = &self.connection else { return };
        let guarded = self.programs.values().filter(|program| program.guarded).map(|program| program.mark).collect();
        if let Some(keeper) = connection.process() {
            guarded::end(keeper, &guarded).await;
        }
        // They are dead; that they have ended is for the keeper to say, or for its end.
        self.programs.values_mut().for_each(|program| program.guarded = false);
    }

    /// Tells the keeper to end, and waits for it.
    async fn end(&mut self) {
        self.tell(&Order::End);
        let Some(mut connection) = self.connection.take() else { return };
        let all_said = async { while connection.mail.next().await.is_some() {} };
        if tokio::time::timeout(ENDS_WITHIN, all_said).await.is_ok() {
            connection.end().await;
        }
    }
}
