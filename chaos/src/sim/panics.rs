//! Panics of simulated daemons: a runtime swallows them, and a build that aborts says no seed.

use std::cell::{Cell, RefCell};
use std::sync::Once;

thread_local! {
    /// The seed that this thread runs.
    static RUNNING: Cell<Option<u64>> = const { Cell::new(None) };
    static HEARD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// From now on panics of this thread are those of a seed.
pub(super) fn listen(seed: u64) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if let Some(seed) = RUNNING.get() {
                HEARD.with_borrow_mut(|heard| heard.push(panic.to_string()));
                eprintln!("seed {seed} panics; replay: cargo run --release -p chaos -- sim --from {seed} --seeds 1");
            }
            before(panic);
        }));
    });
    RUNNING.set(Some(seed));
    HEARD.take();
}

/// What was heard since.
pub(super) fn heard() -> Vec<String> {
    RUNNING.set(None);
    HEARD.take()
}
