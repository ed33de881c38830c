//! Starting a forager, and the handle by which it is drained, stopped and waited for.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_model::Limits;
use antfarm_storage::{DataFolderLock, Disk};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::config::ForagerConfig;
use crate::error::{StartError, StopError};
use crate::executor::{self, Run, StopCause, Tools};
use crate::foreman::{Foreman, Holdings, Identity, Inboxes, Lines, Order, Parts, Sessions};
use crate::host::Host;
use crate::keeper::{self, Due, Keeper};
use crate::memory::Memory;
use crate::session;
use crate::status::Status;
use crate::take_over::{take_over, unwanted};

/// What sessions may tell before the foreman has listened, in frames.
const EVENTS: usize = 1_024;

/// What runs may tell before the foreman has listened.
const HAPPENINGS: usize = 4_096;

/// Orders that wait.
const ORDERS: usize = 4;

/// Starts foragers.
#[derive(Debug, Clone, Copy)]
pub struct Forager;

/// A forager that runs. It goes on when this is dropped.
#[derive(Debug)]
pub struct ForagerHandle {
    orders: mpsc::Sender<Order>,
    status: watch::Receiver<Status>,
    ended: oneshot::Receiver<Result<(), StopError>>,
}

impl Forager {
    /// Starts a forager: takes its data folder, goes on with what a former process left under its keeper, ends the rest of
    /// that, and begins to talk to queens.
    ///
    /// `disk` holds journal, epoch and ledgers; the keeper and programs get folders of the operating system's under `data_dir`.
    pub async fn start(
        env: Env,
        disk: Arc<dyn Disk>,
        net: Net,
        host: Host,
        config: ForagerConfig,
    ) -> Result<ForagerHandle, StartError> {
        config.check()?;
        let data = std::path::absolute(&config.data_dir).map_err(|source| system("finding the data folder", source))?;
        let folder = DataFolderLock::acquire(disk.as_ref(), &data)?;
        let Memory { epoch, mut journal, mut remembered } = Memory::open(&disk, &data)?;
        let identity = Identity::new(remembered.registered.take(), env.random(), Arc::clone(&host.boot_id));
        let found = keeper::find(&env, &host.keeper, &data).await?;
        take_over(&mut journal, &mut remembered, (&host.keeper, found.as_ref()), &data, identity.rebooted()).await?;
        let unwanted = unwanted(&remembered, found.as_ref());
        let work = data.join(keeper::WORK_FOLDER);
        let tidied = host.keeper.tidy(&work, found.as_ref()).await;
        tidied.map_err(|source| system("tidying the folder for programs", source))?;

        let (orders, orders_in) = mpsc::channel(ORDERS);
        let (events, events_in) = mpsc::channel(EVENTS);
        let (happenings, happenings_in) = mpsc::channel(HAPPENINGS);
        let (status_out, status) = watch::channel(Status::default());
        let limits = Limits::default();
        let result_bytes = limits.result_bytes as usize;
        let line = keeper::Surroundings {
            env: env.clone(),
            keeping: host.keeper.clone(),
            data,
            result_bytes,
            happenings: happenings.clone(),
        };
        let found = match found {
            // Whoever has programs should hear now, and not from each of them, that there can be no keeper.
            None if !config.tools.is_empty() => Some(keeper::start(&line).await?),
            found => found,
        };
        let lease = found.as_ref().map_or(Due::PAST, |found| found.lease);
        let keeper = Keeper::open(line, found);
        for attempt in unwanted {
            tracing::warn!(%attempt, "the keeper has an attempt that the journal does not, and is told to end it");
            keeper.stop(attempt, Duration::ZERO, StopCause::Interrupted);
        }
        let around = executor::Surroundings {
            env: env.clone(),
            disk,
            forager: config.name.clone(),
            keeper: keeper.clone(),
            result_bytes,
        };
        let lines = session::Surroundings {
            env: env.clone(),
            net,
            events,
            frame_bytes: limits.frame_bytes as usize,
            next: AtomicU64::new(0),
            hurry: Notify::new(),
        };
        let foreman = Foreman::new(Parts {
            tools: Tools::of(&config),
            around: Arc::new(around),
            happenings,
            folder,
            journal,
            epoch,
            identity,
            holdings: Holdings::of(remembered, |attempt| Run::kept(attempt, keeper.clone())),
            sessions: Sessions::new(Lines::new(Arc::new(lines), config.queens.clone())),
            status: status_out,
            lease,
            keeping: host.keeper,
            config: Arc::new(config),
        });
        let (ending, ended) = oneshot::channel();
        env.spawn(async move {
            let inboxes = Inboxes { orders: orders_in, events: events_in, happenings: happenings_in };
            // Nobody may be waiting.
            let _ = ending.send(foreman.run(inboxes).await);
        });
        Ok(ForagerHandle { orders, status, ended })
    }
}

impl ForagerHandle {
    /// Finishes what runs, hands back what was not started, takes nothing more, then ends.
    pub fn drain(&self) {
        self.order(Order::Drain);
    }

    /// Leaves running programs to the keeper, for the next process with this data folder; ends built-in tools, hands back what
    /// was not started, takes nothing more, then ends.
    pub fn hand_over(&self) {
        self.order(Order::HandOver);
    }

    /// Ends what runs, with SIGTERM and then SIGKILL, reports it as interrupted, then ends.
    pub fn stop(&self) {
        self.order(Order::Stop);
    }

    /// Waits for the end.
    pub async fn wait(self) -> Result<(), StopError> {
        self.ended.await.unwrap_or(Err(StopError::Abandoned))
    }

    /// What it says of itself.
    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// To wait for what it will say.
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    fn order(&self, order: Order) {
        // One that has ended, or has orders waiting already, needs no other.
        let _ = self.orders.try_send(order);
    }
}

fn system(what: &'static str, source: io::Error) -> StartError {
    StartError::System { what, source }
}
