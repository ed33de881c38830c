//! Clocks, randomness and tasks of one process.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

/// A task to be run in the background.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send + 'static>>;

/// Work that would hold up the tasks beside it.
pub type Work = Box<dyn FnOnce() + Send + 'static>;

/// What an [`Env`] is made of. The system's own is [`SystemEnvironment`](crate::SystemEnvironment).
pub trait Environment: Send + Sync + 'static {
    /// Time since an arbitrary origin, on a clock that never goes back and does not count suspension.
    fn monotonic(&self) -> Duration;

    /// Time since an arbitrary origin, on a clock that never goes back and counts suspension.
    fn boot_time(&self) -> Duration;

    /// Milliseconds since 1970, on a clock that may jump.
    fn wall_ms(&self) -> u64;

    /// A random number, uniform over all `u64`.
    fn random(&self) -> u64;

    /// Runs a task in the background until it ends or the process does.
    fn spawn(&self, task: Task);

    /// Does work on a thread that may be held up. Where there is only one thread, such as in a simulation, at once.
    fn run_blocking(&self, work: Work) {
        work();
    }
}

/// A cheap handle to the [`Environment`] of a process.
#[derive(Clone)]
pub struct Env(Arc<dyn Environment>);

impl Env {
    /// Wraps an environment.
    pub fn new(environment: impl Environment) -> Self {
        Self(Arc::new(environment))
    }

    /// Time since an arbitrary origin, on a clock that never goes back and does not count suspension.
    pub fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    /// Time since an arbitrary origin, on a clock that never goes back and counts suspension.
    pub fn boot_time(&self) -> Duration {
        self.0.boot_time()
    }

    /// Milliseconds since 1970, on a clock that may jump.
    pub fn wall_ms(&self) -> u64 {
        self.0.wall_ms()
    }

    /// A random number, uniform over all `u64`.
    pub fn random(&self) -> u64 {
        self.0.random()
    }

    /// A random duration below `bound`, to keep many from acting in the same moment.
    pub fn jitter(&self, bound: Duration) -> Duration {
        let nanos = u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX).max(1);
        Duration::from_nanos(self.random() % nanos)
    }

    /// Runs a task in the background until it ends or the process does.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(Box::pin(task));
    }

    /// Runs a future as a task of this environment, so that what it spawns are such tasks too, and waits for its value.
    pub async fn within<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        let (sender, receiver) = oneshot::channel();
        self.spawn(async move {
            let _ = sender.send(future.await); // nobody may wait for it any more
        });
        receiver.await.expect("the task has ended with a value, unless it panicked or the process is going down")
    }

    /// Does work that would hold up the tasks beside it, on a thread that may be held up, and waits for its value.
    /// Dropping the future does not stop the work.
    pub async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = oneshot::channel();
        self.0.run_blocking(Box::new(move || {
            let _ = sender.send(work()); // nobody may wait for it any more
        }));
        receiver.await.expect("the work has ended with a value, unless it panicked or the process is going down")
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env")
    }
}
