//! How much memory a call takes, and whether it panics.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is expected, and only counted.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result of a call, or what it said when it panicked; and the most memory, in bytes, that it held at once on this
/// thread beyond what was held before, its result among it.
///
/// An allocation that grows counts twice for the moment in which both may exist.
pub(crate) fn peak_bytes<T>(call: impl FnOnce() -> T) -> (Result<T, String>, usize) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(caught(call)));
    let result = result.expect("the call was made");
    (result, usize::try_from(counted.bytes_max).unwrap_or(usize::MAX))
}

/// The result of a call, or what it said when it panicked.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(false);
    result.map_err(|payload| said(payload.as_ref()))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it said nothing").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_was_held_at_once_counts() {
        let (held, peak) = peak_bytes(|| {
            drop(vec![0_u8; 5_000]);
            vec![0_u8; 3_000]
        });
        assert_eq!((held.map(|held| held.len()), peak), (Ok(3_000), 5_000));
        let (_, peak) = peak_bytes(|| (vec![0_u8; 5_000], vec![0_u8; 3_000]));
        assert_eq!(peak, 8_000);
    }

    #[test]
    fn an_allocation_that_grows_counts_twice() {
        let (_, peak) = peak_bytes(|| {
            let mut growing = vec![0_u8; 1_000];
            growing.reserve_exact(1_000);
            growing
        });
        assert!((3_000..3_100).contains(&peak), "{peak} bytes: the old ones, the new ones, and a little beside");
    }

    #[test]
    fn other_threads_do_not_count() {
        let (_, peak) = peak_bytes(|| {
            let other = std::thread::spawn(|| vec![0_u8; 1 << 20].len());
            other.join().expect("it only allocates")
        });
        assert!(peak < 64 << 10, "{peak}");
    }

    #[test]
    fn a_panic_is_what_it_said() {
        let (result, _) = peak_bytes(|| assert_eq!(1, 2, "numbers differ"));
        assert!(result.expect_err("it panicked").contains("numbers differ"));
    }
}
