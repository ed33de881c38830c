//! When a keeper ends, what it starts, and what it makes of time.

use std::sync::atomic::{AtomicU64, Ordering};

use antfarm_env::{Environment, SystemEnvironment, Task};
use antfarm_model::{Fence, GraphNo, NodeNo};
use tokio::net::UnixStream;

use super::*;

/// Clocks that only a test moves. What is spawned never runs.
#[derive(Clone, Default)]
struct Clocks {
    monotonic_ms: Arc<AtomicU64>,
    suspended_ms: Arc<AtomicU64>,
}

impl Environment for Clocks {
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.monotonic_ms.load(Ordering::Relaxed))
    }

    fn boot_time(&self) -> Duration {
        self.monotonic() + Duration::from_millis(self.suspended_ms.load(Ordering::Relaxed))
    }

    fn wall_ms(&self) -> u64 {
        0
    }

    fn random(&self) -> u64 {
        0
    }

    fn spawn(&self, _: Task) {}
}

impl Clocks {
    fn pass(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).expect("a test is short");
        self.monotonic_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

fn house() -> (House, Clocks) {
    let clocks = Clocks::default();
    clocks.pass(Duration::from_hours(1));
    let trade = Trade::Programs { folders: Folders::below("/nowhere".into()), mark: 2 };
    (House::new(Env::new(clocks.clone()), trade), clocks)
}

fn attempt() -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 0, fence: Fence(3) }
}

fn start(guarded: bool) -> Order {
    start_of(attempt(), guarded)
}

fn start_of(attempt: AttemptRef, guarded: bool) -> Order {
    let (command, environment) = (vec!["/bin/true".to_owned()], Vec::new());
    let start = Start { attempt, mark: 1, guarded, command, environment, input: "null".into(), output_bytes: 1_000 };
    Order::Start(start)
}

fn lease(house: &House, length: Duration) -> Order {
    Order::Lease(Due { stop_at: house.env.boot_time() + length, kill_at: house.env.boot_time() + 2 * length })
}

fn ended(house: &House) -> Option<&Ended> {
    house.attempts[&attempt()].ended.as_ref()
}

#[test]
fn a_keeper_that_nobody_needs_ends_after_a_while_and_not_before() {
    let (mut house, clocks) = house();
    assert!(!house.is_done());
    clocks.pass(IDLE / 2);
    assert!(!house.is_done());
    clocks.pass(IDLE / 2);
    assert!(house.is_done());
}

#[test]
fn an_end_that_no_journal_has_yet_keeps_a_keeper_until_it_is_forgotten() {
    let (mut house, clocks) = house();
    house.obey(start(false));
    clocks.pass(100 * IDLE);
    assert!(!house.is_done(), "it runs");
    house.report(attempt(), Report::Ended(Ended::never_began("it is a test".into(), None)));
    clocks.pass(100 * IDLE);
    assert!(!house.is_done(), "its end is not told");
    house.obey(Order::Forget { attempts: vec![attempt()] });
    assert!(!house.is_done());
    clocks.pass(IDLE);
    assert!(house.is_done());
}

#[tokio::test]
async fn a_forager_keeps_a_keeper_until_it_tells_it_to_end_and_nothing_runs() {
    let (mut house, clocks) = house();
    let (ours, _theirs) = UnixStream::pair().expect("a machine has sockets");
    house.attach(Mail::open(&Env::new(SystemEnvironment::current()), ours), Vec::new());
    clocks.pass(100 * IDLE);
    assert!(!house.is_done());
    house.obey(start(false));
    house.obey(Order::Forget { attempts: vec![attempt()] });
    house.obey(Order::End);
    assert!(!house.is_done(), "what runs cannot be forgotten");
    house.report(attempt(), Report::Ended(Ended::never_began("it is a test".into(), None)));
    assert!(house.is_done());
}

#[test]
fn what_is_guarded_is_not_started_without_a_lease_and_nothing_is_started_twice() {
    let (mut house, clocks) = house();
    house.obey(start(true));
    assert_eq!(ended(&house).and_then(|ended| ended.stopped), Some(StopCause::Interrupted));
    house.obey(lease(&house, Duration::from_secs(1)));
    house.obey(start(true));
    assert!(ended(&house).is_some(), "what has ended is not started again");
    house.obey(Order::Forget { attempts: vec![attempt()] });
    house.obey(start(true));
    assert!(ended(&house).is_none());
    clocks.pass(Duration::from_secs(1));
    house.obey(Order::Forget { attempts: vec![attempt()] });
    assert!(house.attempts.contains_key(&attempt()), "what runs cannot be forgotten");
}

#[test]
fn a_suspension_ends_the_lease_for_what_is_guarded_until_another_is_granted() {
    let (mut house, clocks) = house();
    house.obey(lease(&house, Duration::from_hours(1)));
    house.obey(start(true));
    let due = |house: &House| house.attempts[&attempt()].due();
    house.notice_suspension();
    assert_eq!(due(&house), house.lease);
    clocks.suspended_ms.store(1_000, Ordering::Relaxed);
    house.notice_suspension();
    assert_eq!((due(&house), house.lease), (Due::PAST, Due::PAST));
    house.obey(lease(&house, Duration::from_hours(1)));
    house.notice_suspension();
    assert!(due(&house).stop_at > house.env.boot_time(), "a sentry that was asked to end does not go on all the same");
}

#[test]
fn an_end_waits_for_others_while_others_run_and_nobody_has_asked_for_it() {
    let (mut house, clocks) = house();
    let [one, two, three] = [1, 2, 3].map(|fence| AttemptRef { fence: Fence(fence), ..attempt() });
    let end = |house: &mut House, attempt| {
        house.report(attempt, Report::Ended(Ended::never_began("it is a test".into(), None)));
        house.tell_ends();
        house.gathered.due_in(house.env.monotonic())
    };
    for attempt in [one, two, three] {
        house.obey(start_of(attempt, false));
    }
    clocks.pass(Duration::from_millis(80));
    assert_eq!(end(&mut house, one), Some(Duration::from_millis(10)));
    clocks.pass(Duration::from_millis(10));
    house.tell_ends();
    assert_eq!(house.gathered.due_in(house.env.monotonic()), None, "it is told");
    house.obey(Order::Stop { attempt: two, grace_ms: 1_000, cause: StopCause::Cancelled });
    assert_eq!(end(&mut house, two), None, "somebody waits for it");
    assert_eq!(end(&mut house, three), None, "no other runs");
}
