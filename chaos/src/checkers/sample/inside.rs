//! What somebody writes down who can look into queens and foragers, in the history in which everything holds.

use crate::history::{
    AttemptName, AttemptStep, Ballot, Claim, Closer, DiskStep, EntryId, HostileEnd, Membership, OpenAttempt, Progress,
    Span, What,
};

/// For whom everybody votes.
pub(in crate::checkers) const BALLOT: Ballot = Ballot { term: 2, candidate: 1 };

/// The last entry, which all have.
const LAST: EntryId = EntryId { index: 30, term: 2 };

/// A step of a disk in the first life of its queen.
pub(in crate::checkers) fn disk(queen: u16, step: DiskStep) -> What {
    What::Disk { queen, life: 1, step }
}

/// What a queen claims in her first life.
pub(in crate::checkers) fn claim(queen: u16, claim: Claim) -> What {
    What::Claim { queen, life: 1, claim }
}

/// How far queen-1 says that she is.
pub(in crate::checkers) fn progress(term: u64, applied: u64, committed: u64) -> Progress {
    Progress { queen: 1, life: 1, term, purged: Some(1), snapshot: Some(2), applied, committed, last: Some(40) }
}

/// How far a queen is, with the digest that all have.
pub(in crate::checkers) fn position(queen: u16, applied: u64) -> What {
    What::Position { queen, life: 1, applied, digest: "aa".into() }
}

fn name(node: &str, fence: u64) -> AttemptName {
    AttemptName { graph: "g1".into(), node: node.into(), instance: 0, fence }
}

/// A step of forager-1 with an attempt at a node of `g1`.
pub(in crate::checkers) fn attempt(node: &str, fence: u64, step: AttemptStep) -> What {
    What::Attempt { forager: "forager-1".into(), life: 1, attempt: name(node, fence), may_overlap: false, step }
}

/// Everything of that kind, in order.
pub(super) fn sound() -> impl Iterator<Item = What> {
    queens().into_iter().chain(promises()).chain(foragers())
}

fn queens() -> Vec<What> {
    let mut said =
        vec![What::Members { queen: 1, membership: Membership { index: 1, voters: vec![[1, 2, 3].into()] } }];
    for queen in 1..=3 {
        let entries = vec![Span { term: LAST.term, first: 1, last: LAST.index }];
        said.extend([
            disk(queen, DiskStep::Found { ballot: None, log: vec![], purged: 0, snapshot: 0 }),
            disk(queen, DiskStep::Voted(BALLOT)),
            disk(queen, DiskStep::Kept { entries }),
        ]);
    }
    said
}

fn promises() -> Vec<What> {
    let applied = |queen| {
        let EntryId { index, term } = LAST;
        What::Applied { queen, life: 1, index, term, digest: "the last".into() }
    };
    vec![
        claim(2, Claim::Voted(BALLOT)),
        claim(2, Claim::Matched { term: LAST.term, upto: LAST.index }),
        claim(1, Claim::Committed { upto: LAST }),
        applied(1),
        applied(2),
        claim(1, Claim::Dispatched { epoch: 2, fence: 10 }),
        What::Progress(progress(2, 30, 30)),
    ]
}

fn foragers() -> Vec<What> {
    let forager = || "forager-1".to_owned();
    let granted =
        |incarnation, until_us| What::Granted { queen: 1, epoch: 2, forager: forager(), incarnation, until_us };
    let open = OpenAttempt { attempt: name("after", 14), forager: forager(), closer: Some(Closer::Lease) };
    let process = || "queen-1".to_owned();
    let (graph, node, reason) = ("g1".into(), "write".into(), "no_forager_available".into());
    vec![
        granted(3, 1),
        What::Lost { forager: forager(), incarnation: 3 },
        granted(4, 3_600_000_000),
        attempt("write", 10, AttemptStep::Starts { epoch: 2 }),
        attempt("write", 10, AttemptStep::Ends),
        attempt("write", 10, AttemptStep::Confirmed),
        attempt("write", 10, AttemptStep::Forgotten),
        What::Open { queen: 1, applied: 30, attempts: vec![open] },
        What::Waits { graph, node, reason, ready_foragers: 0 },
        What::Memory { process: process(), life: 1, kib: 40_000 },
        What::Queue { process: process(), queue: "peer 2".into(), length: 8, limit: 8 },
        What::Hostile { to: process(), sent: "noise".into(), end: HostileEnd::Refused },
    ]
}
