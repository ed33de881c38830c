//! One machine with one daemon on it: started, killed, held up, and what is left of it in between.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antfarm_forager::{Forager, ForagerConfig, Host as ForagerHost, Keeping, SimulatedKeeper};
use antfarm_queen::{Queen, QueenConfig, QueenHandle};
use antfarm_storage::MemoryEngine;
use tokio::sync::mpsc;

use super::clock::{Clocks, env};
use super::diary::Diary;
use super::disk::{Health, SNAPSHOTS, SimulatedDisk};
use super::engine::{Pace, SimulatedEngine};
use super::life::{Life, Runtime};
use super::network::{Fabric, Host, net};
use super::sink::Sink;
use super::workshop::Programs;
use crate::random::Random;

/// What runs on a machine.
#[derive(Clone)]
pub(super) enum Daemon {
    Queen(Box<QueenConfig>),
    Forager(Box<ForagerConfig>),
}

/// A daemon ended, and nobody had ended it.
pub(super) struct Exit {
    pub(super) machine: usize,
    pub(super) life: u32,
    pub(super) why: String,
}

/// A machine.
pub(super) struct Machine {
    /// Among all machines.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) clocks: Clocks,
    pub(super) health: Health,
    daemon: Daemon,
    /// Of a queen; that of a forager stays empty.
    diary: Diary,
    disk: SimulatedDisk,
    sink: Sink,
    fabric: Fabric,
    exits: mpsc::UnboundedSender<Exit>,
    lives: AtomicU32,
    state: Mutex<State>,
    /// Of a queen that has started.
    handle: Handle,
    /// It may end by itself.
    dismissed: AtomicBool,
}

type Handle = Arc<Mutex<Option<Arc<QueenHandle>>>>;

struct State {
    random: Random,
    life: Option<Life>,
    engine: Option<SimulatedEngine>,
    /// Of a queen that does not run: what is durable.
    durable: MemoryEngine,
    pace: Pace,
    /// What programs run in.
    programs: Life,
    keeper: SimulatedKeeper,
    boots: u32,
    /// It stands still, whole: a daemon that is started now runs when it goes on.
    is_suspended: bool,
    has_power: bool,
    /// How many operations of the disk had failed when this life began.
    failed_before: u64,
}

/// Where and in what a machine is.
pub(super) struct Place {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) clocks: Clocks,
    pub(super) pace: Pace,
    pub(super) sink: Sink,
    pub(super) fabric: Fabric,
    pub(super) diary: Diary,
    pub(super) exits: mpsc::UnboundedSender<Exit>,
    pub(super) random: Random,
}

impl Machine {
    pub(super) fn new(place: Place, daemon: Daemon) -> Self {
        let Place { number, name, host, clocks, pace, sink, fabric, diary, exits, mut random } = place;
        let health = Health::default();
        let disk = SimulatedDisk::new(health.clone(), sink.clone(), diary.clone(), &name);
        let (programs, keeper) = boot(&name, 1, &clocks, &sink, &mut random);
        let state = State {
            random,
            life: None,
            engine: None,
            durable: MemoryEngine::held(),
            pace,
            programs,
            keeper,
            boots: 1,
            is_suspended: false,
            has_power: true,
            failed_before: 0,
        };
        let (lives, state, handle) = (AtomicU32::new(0), Mutex::new(state), Handle::default());
        let dismissed = AtomicBool::new(false);
        Self {
            number,
            name,
            host,
            clocks,
            health,
            daemon,
            diary,
            disk,
            sink,
            fabric,
            exits,
            lives,
            state,
            handle,
            dismissed,
        }
    }

    /// How often the daemon was started.
    pub(super) fn lives(&self) -> u32 {
        self.lives.load(Ordering::Relaxed)
    }

    /// Whether it is a queen who believes that she leads.
    pub(super) fn leads(&self) -> bool {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|handle| handle.leads())
    }

    /// Looks into a queen who runs, and into her log.
    pub(super) fn look<T>(&self, f: impl FnOnce(&QueenHandle, &SimulatedEngine) -> T) -> Option<T> {
        let state = self.state();
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        Some(f(handle.as_ref()?, state.engine.as_ref()?))
    }

    /// Starts the daemon, if it does not run; whether it did not.
    pub(super) fn start(&self) -> bool {
        let mut state = self.state();
        if state.life.is_some() {
            return false;
        }
        if !std::mem::replace(&mut state.has_power, true) {
            self.clocks.boot();
            self.fabric.brighten(self.host);
            state.boots += 1;
            state.is_suspended = false;
            let State { random, boots, .. } = &mut *state;
            let (programs, keeper) = boot(&self.name, *boots, &self.clocks, &self.sink, random);
            (state.programs, state.keeper) = (programs, keeper);
        }
        let number = self.lives.fetch_add(1, Ordering::Relaxed) + 1;
        let life = Life::new(&self.name, number, Random::new(state.random.next()));
        if state.is_suspended {
            life.hold();
        }
        state.failed_before = self.health.failed();
        match self.daemon.clone() {
            Daemon::Queen(config) => self.start_queen(&mut state, &life, *config),
            Daemon::Forager(config) => self.start_forager(&state, &life, *config),
        }
        state.life = Some(life);
        true
    }

    /// Ends the daemon. What it had written is there, as far as it had got to the machine's cache; whether it ran.
    pub(super) fn kill(&self) -> bool {
        self.end(|engine, random| engine.after_crash(random.below(101)))
    }

    /// The machine loses its power: what was not synced is lost, or a part of it; whether the daemon ran.
    pub(super) fn cut_power(&self) -> bool {
        self.fabric.darken(self.host);
        let ran = self.end(|engine, random| engine.after_crash(if random.percent(50) { 0 } else { random.below(101) }));
        let mut state = self.state();
        state.has_power = false;
        state.programs.end();
        self.disk.cut_power();
        ran
    }

    /// The same, and what was being written is there in part; how many writes that is about.
    pub(super) fn cut_power_in_a_write(&self) -> usize {
        self.fabric.darken(self.host);
        let mut torn = 0;
        self.end(|engine, random| {
            let (durable, is_torn) = engine.after_torn_write(random.below(101));
            torn += usize::from(is_torn);
            durable
        });
        let mut state = self.state();
        state.has_power = false;
        state.programs.end();
        torn + self.disk.cut_power_in_a_write(&mut state.random)
    }

    /// Its daemon is not wanted any more, and may end by itself.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Relaxed)
    }

    /// The daemon's tasks do not run until they are resumed; whether there are any.
    pub(super) fn hold(&self) -> bool {
        let state = self.state();
        state.life.iter().for_each(Life::hold);
        state.life.is_some()
    }

    pub(super) fn resume(&self) {
        self.state().life.iter().for_each(Life::resume);
    }

    /// The programs and their keeper stand still, too, and the monotonic clock.
    pub(super) fn suspend(&self) {
        let mut state = self.state();
        state.is_suspended = true;
        state.programs.hold();
    }

    /// The machine goes on after so long, unless it was started anew meanwhile.
    pub(super) fn wake(&self, after: Duration) {
        let mut state = self.state();
        if std::mem::take(&mut state.is_suspended) {
            self.clocks.suspended(after);
            state.programs.resume();
        }
    }

    /// Buries a daemon that has ended; whether its disk had failed it, so that it had to end. Nothing if it is another life.
    pub(super) fn bury(&self, life: u32) -> Option<bool> {
        let disk_failed = {
            let state = self.state();
            state.life.as_ref().filter(|current| current.number() == life)?;
            self.health.failed() > state.failed_before
        };
        self.kill();
        Some(disk_failed)
    }

    /// Changes that a queen has made and her disk has not synced.
    pub(super) fn unsynced(&self) -> usize {
        self.state().engine.as_ref().map_or(0, SimulatedEngine::unsynced)
    }

    fn end(&self, survive: impl FnOnce(&SimulatedEngine, &mut Random) -> MemoryEngine) -> bool {
        let mut state = self.state();
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(life) = state.life.take() else { return false };
        life.end();
        if let Some(engine) = state.engine.take() {
            // What is released tells those who wait for it, who are gone.
            state.durable = survive(&engine, &mut state.random);
        }
        true
    }

    fn start_queen(&self, state: &mut State, life: &Life, config: QueenConfig) {
        let durable = std::mem::replace(&mut state.durable, MemoryEngine::held());
        let snapshots = config.data_dir.join(SNAPSHOTS);
        self.diary.begins(life.number(), self.disk.newest_snapshot(&snapshots));
        let (diary, health) = (self.diary.clone(), self.health.clone());
        let engine = SimulatedEngine::new(durable, diary, health, life.clone(), state.pace);
        state.engine = Some(engine.clone());
        let (env, net) = (env(life, &self.clocks), net(&self.fabric, self.host));
        let (disk, exits, number) = (Arc::new(self.disk.clone()), self.exits.clone(), self.number);
        let (life_number, shown) = (life.number(), self.handle.clone());
        life.spawn(Box::pin(async move {
            let queen = Queen::start::<Runtime>(env.clone(), env, Arc::new(engine), disk, net, config).await;
            let why = match queen {
                Ok(handle) => {
                    let handle = Arc::new(handle);
                    *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.clone());
                    handle.failed().await.to_string()
                }
                Err(error) => error.to_string(),
            };
            let _ = exits.send(Exit { machine: number, life: life_number, why }); // the run may be over
        }));
    }

    fn start_forager(&self, state: &State, life: &Life, config: ForagerConfig) {
        let (env, net) = (env(life, &self.clocks), net(&self.fabric, self.host));
        let (disk, exits, number) = (Arc::new(self.disk.clone()), self.exits.clone(), self.number);
        let boot_id = format!("{}-{}", self.name, state.boots).into();
        let host = ForagerHost { boot_id, keeper: Keeping::Simulated(state.keeper.clone()) };
        let life_number = life.number();
        life.spawn(Box::pin(async move {
            let why = match Forager::start(env, disk, net, host, config).await {
                Ok(forager) => match forager.wait().await {
                    Ok(()) => "it was told to stop, and nobody did".to_owned(),
                    Err(error) => error.to_string(),
                },
                Err(error) => error.to_string(),
            };
            let _ = exits.send(Exit { machine: number, life: life_number, why }); // the run may be over
        }));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What programs run in since the machine was started, and who keeps them.
fn boot(name: &str, boots: u32, clocks: &Clocks, sink: &Sink, random: &mut Random) -> (Life, SimulatedKeeper) {
    let programs = Life::new(&format!("{name}-programs"), boots, Random::new(random.next()));
    let workshop = Programs { forager: name.to_owned(), env: env(&programs, clocks), sink: sink.clone() };
    (programs, SimulatedKeeper::new(Arc::new(workshop)))
}
