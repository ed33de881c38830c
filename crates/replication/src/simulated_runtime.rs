//! The runtime of a deterministic simulation: random numbers from a seed, and an owner for every task.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::time::Duration;

use openraft::rt::deterministic_rng::DeterministicRng;
use openraft::rt::{Select2, Select3, Select4};
use openraft::{AsyncRuntime, OptionalSend};
use openraft_rt_tokio::TokioRuntime;
use tokio::task::JoinHandle;

/// A runtime whose random numbers follow from the seed of the scope that a task was spawned in, and whose tasks belong to
/// whoever `O` says. It runs on tokio's current-thread runtime, on a clock that may stand still.
pub type SimulatedRuntime<O> = DeterministicRng<Owned<O>>;

/// Knows whose task it is that spawns another.
pub trait TaskOwner: std::fmt::Debug + Send + Sync + 'static {
    /// Runs a task in the background, as one of whoever is running now.
    fn spawn<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static;
}

/// tokio, but for who owns tasks.
#[derive(Debug)]
pub struct Owned<O>(Infallible, PhantomData<fn() -> O>);

type Tokio = TokioRuntime;

impl<O: TaskOwner> AsyncRuntime for Owned<O> {
    type JoinError = <Tokio as AsyncRuntime>::JoinError;
    type JoinHandle<T: OptionalSend + 'static> = <Tokio as AsyncRuntime>::JoinHandle<T>;
    type Sleep = <Tokio as AsyncRuntime>::Sleep;
    type Instant = <Tokio as AsyncRuntime>::Instant;
    type TimeoutError = <Tokio as AsyncRuntime>::TimeoutError;
    type Timeout<R, T: Future<Output = R> + OptionalSend> = <Tokio as AsyncRuntime>::Timeout<R, T>;
    type ThreadLocalRng = <Tokio as AsyncRuntime>::ThreadLocalRng;
    type Mpsc = <Tokio as AsyncRuntime>::Mpsc;
    type Watch = <Tokio as AsyncRuntime>::Watch;
    type Oneshot = <Tokio as AsyncRuntime>::Oneshot;
    type Mutex<T: OptionalSend + 'static> = <Tokio as AsyncRuntime>::Mutex<T>;

    fn spawn<T>(future: T) -> Self::JoinHandle<T::Output>
    where
        T: Future + OptionalSend + 'static,
        T::Output: OptionalSend + 'static,
    {
        O::spawn(future)
    }

    fn sleep(duration: Duration) -> Self::Sleep {
        Tokio::sleep(duration)
    }

    fn sleep_until(deadline: Self::Instant) -> Self::Sleep {
        Tokio::sleep_until(deadline)
    }

    fn timeout<R, F: Future<Output = R> + OptionalSend>(duration: Duration, future: F) -> Self::Timeout<R, F> {
        Tokio::timeout(duration, future)
    }

    fn timeout_at<R, F: Future<Output = R> + OptionalSend>(deadline: Self::Instant, future: F) -> Self::Timeout<R, F> {
        Tokio::timeout_at(deadline, future)
    }

    fn select2<A, B>(a: A, b: B) -> impl Future<Output = Select2<A::Output, B::Output>> + OptionalSend
    where
        A: Future + OptionalSend,
        B: Future + OptionalSend,
    {
        Tokio::select2(a, b)
    }

    fn select3<A, B, C>(
        a: A,
        b: B,
        c: C,
    ) -> impl Future<Output = Select3<A::Output, B::Output, C::Output>> + OptionalSend
    where
        A: Future + OptionalSend,
        B: Future + OptionalSend,
        C: Future + OptionalSend,
    {
        Tokio::select3(a, b, c)
    }

    fn select4<A, B, C, D>(
        a: A,
        b: B,
        c: C,
        d: D,
    ) -> impl Future<Output = Select4<A::Output, B::Output, C::Output, D::Output>> + OptionalSend
    where
        A: Future + OptionalSend,
        B: Future + OptionalSend,
        C: Future + OptionalSend,
        D: Future + OptionalSend,
    {
        Tokio::select4(a, b, c, d)
    }

    fn is_panic(join_error: &Self::JoinError) -> bool {
        Tokio::is_panic(join_error)
    }

    fn thread_rng() -> Self::ThreadLocalRng {
        Tokio::thread_rng()
    }

    /// A simulation makes its runtime itself.
    fn new(_: usize) -> Self {
        unreachable!("a simulation makes its own runtime, with its clock under control")
    }

    fn block_on<F, T>(&mut self, _: F) -> T
    where
        F: Future<Output = T>,
    {
        match self.0 {}
    }

    /// There are no other threads.
    fn spawn_blocking<F, T>(work: F) -> impl Future<Output = Result<T, io::Error>> + Send
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        std::future::ready(Ok(work()))
    }
}
