//! One life of one process: its tasks, which can be held up together, and which end together.

use std::cell::RefCell;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use antfarm_env::Task;
use antfarm_replication::{SimulatedRuntime, TaskOwner};
use tokio::task::{AbortHandle, JoinHandle};

use crate::random::Random;

/// Handles of tasks that have ended are dropped when so many have gathered.
const GATHERED: usize = 256;

thread_local! {
    /// Whose task runs now.
    static CURRENT: RefCell<Option<Life>> = const { RefCell::new(None) };
}

/// openraft's runtime in a simulation.
pub(super) type Runtime = SimulatedRuntime<Life>;

/// A life. Clones are the same.
#[derive(Clone)]
pub(super) struct Life(Arc<Inner>);

struct Inner {
    process: String,
    number: u32,
    random: Mutex<Random>,
    tasks: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    handles: Vec<AbortHandle>,
    next_look: usize,
    held: bool,
    over: bool,
    /// Tasks that wanted to run while they were held up.
    waiting: Vec<Waker>,
}

impl Life {
    pub(super) fn new(process: &str, number: u32, random: Random) -> Self {
        let tasks = Tasks { next_look: GATHERED, ..Tasks::default() };
        Self(Arc::new(Inner {
            process: process.to_owned(),
            number,
            random: Mutex::new(random),
            tasks: Mutex::new(tasks),
        }))
    }

    /// Whose task runs now; nobody's where the simulation itself does something.
    pub(super) fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    pub(super) fn process(&self) -> &str {
        &self.0.process
    }

    pub(super) fn number(&self) -> u32 {
        self.0.number
    }

    pub(super) fn random(&self) -> u64 {
        self.0.random.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Runs a task until it ends or the life does.
    pub(super) fn spawn(&self, task: Task) {
        if !self.is_over() {
            let seeded = Runtime::scope(self.random(), task);
            drop(self.own(seeded));
        }
    }

    fn own<F: Future<Output: Send + 'static> + Send + 'static>(&self, future: F) -> JoinHandle<F::Output> {
        let handle = tokio::spawn(Owned { life: self.clone(), future: Box::pin(future) });
        let mut tasks = self.tasks();
        tasks.handles.push(handle.abort_handle());
        if tasks.handles.len() >= tasks.next_look {
            tasks.handles.retain(|handle| !handle.is_finished());
            tasks.next_look = 2 * tasks.handles.len() + GATHERED;
        }
        handle
    }

    /// No task runs until it is resumed; time goes on.
    pub(super) fn hold(&self) {
        self.tasks().held = true;
    }

    /// All tasks go on.
    pub(super) fn resume(&self) {
        let mut tasks = self.tasks();
        tasks.held = false;
        let waiting = std::mem::take(&mut tasks.waiting);
        drop(tasks);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Nothing of it runs any more when this returns. What its tasks hold is dropped in this moment of simulated time.
    pub(super) fn end(&self) {
        let mut tasks = self.tasks();
        tasks.over = true;
        tasks.waiting.clear();
        let handles = std::mem::take(&mut tasks.handles);
        drop(tasks);
        handles.iter().for_each(AbortHandle::abort);
    }

    pub(super) fn is_over(&self) -> bool {
        self.tasks().over
    }

    /// Whether its tasks may run now; if they may some time, the waker is told.
    fn may_run(&self, waker: &Waker) -> bool {
        let mut tasks = self.tasks();
        if tasks.held && !tasks.over {
            tasks.waiting.push(waker.clone());
        }
        !tasks.held && !tasks.over
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What openraft spawns belongs to whoever runs.
impl TaskOwner for Life {
    fn spawn<F: Future<Output: Send + 'static> + Send + 'static>(future: F) -> JoinHandle<F::Output> {
        let owner = Self::current().expect("only tasks of processes spawn others");
        owner.own(future)
    }
}

impl fmt::Debug for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in life {}", self.0.process, self.0.number)
    }
}

/// A task of a life.
struct Owned<F> {
    life: Life,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Owned<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if !self.life.may_run(context.waker()) {
            return Poll::Pending; // a task of a life that is over was aborted, and is not polled again
        }
        let before = CURRENT.replace(Some(self.life.clone()));
        let polled = self.future.as_mut().poll(context);
        CURRENT.set(before);
        polled
    }
}
