//! Which mistake this process makes: none, unless it was built for that.

#[cfg(not(planted_bugs))]
use crate::Bug;

/// Makes this process make that mistake from now on; says whether it can. It cannot, in a normal build.
#[cfg(not(planted_bugs))]
pub const fn plant(_: Bug) -> bool {
    false
}

/// Whether this process makes that mistake. Never, in a normal build.
#[cfg(not(planted_bugs))]
pub const fn planted(_: Bug) -> bool {
    false
}

/// What no two replicas see alike, as a clock or the order of a hash map. Nothing, in a normal build.
#[cfg(not(planted_bugs))]
pub const fn noise() -> u64 {
    0
}

/// The compiler knows that a normal build makes no mistake, and removes what would be one.
#[cfg(not(planted_bugs))]
const _: () = {
    let mut rest: &[Bug] = &Bug::ALL;
    while let [bug, behind @ ..] = rest {
        assert!(!plant(*bug) && !planted(*bug) && noise() == 0);
        rest = behind;
    }
};

#[cfg(planted_bugs)]
pub use chosen::{noise, plant, planted};

#[cfg(planted_bugs)]
mod chosen {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::Bug;

    static CHOICE: OnceLock<Bug> = OnceLock::new();

    /// Makes this process make that mistake from now on; says whether it can.
    ///
    /// # Panics
    /// If it makes another one already.
    pub fn plant(bug: Bug) -> bool {
        let chosen = *CHOICE.get_or_init(|| bug);
        assert_eq!(chosen, bug, "a process makes one mistake");
        eprintln!("{}: {bug}, {}", crate::MARK, bug.wrong());
        true
    }

    /// Whether this process makes that mistake.
    pub fn planted(bug: Bug) -> bool {
        CHOICE.get() == Some(&bug)
    }

    /// What no two replicas see alike, as a clock or the order of a hash map: it rises with every look.
    pub fn noise() -> u64 {
        static LOOKS: AtomicU64 = AtomicU64::new(1);
        LOOKS.fetch_add(1, Ordering::Relaxed)
    }
}
