//! How much of the world the model looks at: each bound a number of its own.

/// The bounds of one run, beside those that all share: two foragers, one node, two attempts, one restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) name: &'static str,
    /// Whether another leader may follow the first one, who need not notice.
    pub(super) has_successor: bool,
    /// Entries that the first leader has under way at most. Her successor's are committed at once: what may happen while
    /// they are under way happens to the first one, too.
    pub(super) under_way: usize,
    /// Registrations at most, beside the first one of each forager.
    pub(super) registrations: u8,
}

impl Scope {
    /// Two leaders, the first of whom goes on as if nothing had happened.
    pub(super) const SUCCESSION: Self =
        Self { name: "two leaders", has_successor: true, under_way: 1, registrations: 1 };

    /// Both leaders, and a pipeline of the first one: millions of states, by hand.
    pub(super) const DEEP: Self =
        Self { name: "two leaders, the first with a pipeline", has_successor: true, under_way: 2, registrations: 1 };

    /// One leader with a pipeline, and foragers that come back more often.
    pub(super) const PIPELINE: Self =
        Self { name: "one leader with a pipeline", has_successor: false, under_way: 2, registrations: 2 };
}
