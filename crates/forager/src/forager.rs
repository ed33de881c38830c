//! Starting a forager, and the handle by which it is drained, stopped and waited for.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use antfarm_env::{Env, Net};
use antfarm_model::Limits;
use antfarm_protocol::Outcome;
use antfarm_storage::{DataFolderLock, Disk};
use tokio::sync::{mpsc, oneshot, watch};

use crate::config::ForagerConfig;
use crate::epoch_file::EpochFile;
use crate::error::{StartError, StopError};
use crate::executor::{self, Tools};
use crate::foreman::{Foreman, Holdings, Identity, Inboxes, Lines, Order, Parts, Sessions};
use crate::journal::{Journal, Record, Remembered};
use crate::process::{boot_id, end_leftovers};
use crate::report::Report;
use crate::session;
use crate::status::Status;

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
    /// Starts a forager: takes its data folder, ends what a former process left running, and begins to talk to queens.
    ///
    /// `disk` holds journal, epoch and ledgers; programs get working folders of the operating system's under `data_dir`.
    pub async fn start(
        env: Env,
        disk: Arc<dyn Disk>,
        net: Net,
        config: ForagerConfig,
    ) -> Result<ForagerHandle, StartError> {
        config.check()?;
        let data = std::path::absolute(&config.data_dir).map_err(|source| system("finding the data folder", source))?;
        let folder = DataFolderLock::acquire(disk.as_ref(), &data)?;
        let epoch = EpochFile::open(Arc::clone(&disk), data.join("epoch"))?;
        let (mut journal, mut remembered) = Journal::open(Arc::clone(&disk), &data.join("journal"))?;
        let boot_id = boot_id().map_err(|source| system("reading the boot id of this machine", source))?;
        interrupt(&mut journal, &mut remembered).await?;
        let work = data.join("work");
        make_empty(&work).await.map_err(|source| system("making the folder for programs", source))?;

        let (orders, orders_in) = mpsc::channel(ORDERS);
        let (events, events_in) = mpsc::channel(EVENTS);
        let (happenings, happenings_in) = mpsc::channel(HAPPENINGS);
        let (status_out, status) = watch::channel(Status::default());
        let limits = Limits::default();
        let around = executor::Surroundings {
            env: env.clone(),
            disk,
            forager: config.name.clone(),
            work,
            result_bytes: limits.result_bytes as usize,
        };
        let lines = session::Surroundings {
            env: env.clone(),
            net,
            events,
            frame_bytes: limits.frame_bytes as usize,
            next: AtomicU64::new(0),
        };
        let foreman = Foreman::new(Parts {
            tools: Tools::of(&config),
            around: Arc::new(around),
            happenings,
            folder,
            journal,
            epoch,
            identity: Identity::new(remembered.registered.take(), env.random(), boot_id.into()),
            holdings: Holdings::of(remembered),
            sessions: Sessions::new(Lines::new(Arc::new(lines), config.queens.clone())),
            status: status_out,
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

/// Ends what a former process left running; their attempts are interrupted.
async fn interrupt(journal: &mut Journal, remembered: &mut Remembered) -> Result<(), StartError> {
    let open = std::mem::take(&mut remembered.open);
    let processes: Vec<_> = open.values().map(|open| (open.mark, open.process)).collect();
    let found = end_leftovers(&processes).await;
    if !open.is_empty() {
        tracing::warn!(attempts = open.len(), processes = found, "attempts of a former process were interrupted");
    }
    for attempt in open.into_keys() {
        let report = Report::result(attempt, Outcome::Interrupted);
        journal.note_durably(&Record::Ended(report.clone()))?;
        remembered.reports.insert(attempt, report);
    }
    Ok(journal.commit()?)
}

/// Nothing that a former process left there is of use.
async fn make_empty(folder: &Path) -> io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    tokio::fs::create_dir_all(folder).await
}

fn system(what: &'static str, source: io::Error) -> StartError {
    StartError::System { what, source }
}
