//! The rules of the contract that the model can be run without: each must then be missed.

/// Rules that are kept; switched off one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own, switched off alone")]
pub(super) struct Rules {
    /// Only committed assignments leave the leader (DESIGN §3.3).
    pub(super) commit_before_dispatch: bool,
    /// A restarted leader never resumes its old term (DESIGN §3.1).
    pub(super) one_life_per_term: bool,
    /// What must not overlap begins under a lease, and what is guarded is dead at its end (DESIGN §5).
    pub(super) lease: bool,
    /// A forager remembers across a restart what it started and what has ended (DESIGN §5).
    pub(super) journal: bool,
    /// A forager ignores a lower epoch than it has seen (DESIGN §3.5).
    pub(super) fencing: bool,
    /// What is held for a former incarnation does not begin under the lease of the next (scheduler, step 10).
    pub(super) addressed_holdings: bool,
    /// A leader grants nothing beyond what a quorum acknowledged (DESIGN §5; scheduler, step 2).
    pub(super) bounded_grants: bool,
    /// Nothing is given to an incarnation whose loss or successor is proposed (DESIGN §5; scheduler, step 8).
    pub(super) withholding: bool,
    /// A leader waits longer than a lease by what two clocks may differ (scheduler, steps 4 to 6).
    pub(super) drift_allowance: bool,
}

impl Rules {
    /// The contract.
    pub(super) const ALL: Self = Self {
        commit_before_dispatch: true,
        one_life_per_term: true,
        lease: true,
        journal: true,
        fencing: true,
        addressed_holdings: true,
        bounded_grants: true,
        withholding: true,
        drift_allowance: true,
    };
}
