//! L7: foragers whose queen is away try to come back at moments of their own, so that she is not run over by all of them
//! when she is there again.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_env::{Listener, Net, Network, Stream};
use antfarm_forager::{Forager, ForagerConfig};
use antfarm_model::Name;
use antfarm_storage::MemoryDisk;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};

use super::surroundings::{env, host};
use crate::checkers::Violation;

const FORAGERS: usize = 200;

/// She is away for this long already, and every forager waits as long as it ever does between two tries.
const AWAY: Duration = Duration::from_secs(10);

/// From then on tries are counted, for so long.
const COUNTED: Duration = Duration::from_secs(10);

/// The least time in which a rate is a rate.
const WINDOW: Duration = Duration::from_millis(250);

/// The highest rate may be so many times the usual one.
const MOST: usize = 2;

pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let tries = runtime.expect("a runtime without sockets").block_on(tries(seed));
    let windows = usize::try_from(COUNTED.as_millis() / WINDOW.as_millis()).unwrap_or(1);
    let mut counts = vec![0; windows];
    for at in &tries {
        let window = at.checked_sub(AWAY).map(|at| at.as_millis() / WINDOW.as_millis());
        if let Some(count) = window.and_then(|window| counts.get_mut(usize::try_from(window).ok()?)) {
            *count += 1;
        }
    }
    let (usual, highest) = (counts.iter().sum::<usize>() / windows, counts.into_iter().max().unwrap_or(0));
    if highest > MOST * usual {
        let what =
            format!("{highest} of {FORAGERS} foragers tried to come back within {WINDOW:?}, and usually {usual} do");
        return Err(Violation::new("L7 registrations are spread", what));
    }
    Ok(())
}

/// When foragers tried to reach the queen.
async fn tries(seed: u64) -> Vec<Duration> {
    let env = env(seed);
    let nobody = Nobody { began: Instant::now(), tries: Arc::default() };
    for number in 0..FORAGERS {
        let name = Name::new(&format!("f{number}")).expect("a good name");
        let queen = "queen:7101".parse().expect("a good address");
        let config = ForagerConfig::new(name, vec![queen], "/data");
        let disk = Arc::new(MemoryDisk::new());
        let forager = Forager::start(env.clone(), disk, Net::new(nobody.clone()), host(&env), config);
        forager.await.expect("a forager starts on an empty disk");
    }
    sleep(AWAY + COUNTED).await;
    nobody.tries.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A network on which nobody is there.
#[derive(Clone)]
struct Nobody {
    began: Instant,
    tries: Arc<Mutex<Vec<Duration>>>,
}

impl Network for Nobody {
    fn connect<'a>(&'a self, _: &'a str) -> Pin<Box<dyn Future<Output = io::Result<Stream>> + Send + 'a>> {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner).push(self.began.elapsed());
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    }

    fn listen<'a>(&'a self, _: &'a str) -> Pin<Box<dyn Future<Output = io::Result<Box<dyn Listener>>> + Send + 'a>> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }
}
