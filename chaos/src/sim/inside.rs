//! Looks into queens while they run: how far they are, what they applied, what leaders know of the logs of others, which
//! foragers are lost, what is open, and how much waits in queues.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_queen::QueenHandle;
use antfarm_replication::{QueueLength, ReplicaStatus, term_of_record};
use antfarm_scheduler::State;
use antfarm_storage::LogEngine;

use super::chronicle::Pen;
use super::engine::SimulatedEngine;
use super::field::Field;
use crate::history::{AttemptName, Claim, Closer, EntryId, Membership, OpenAttempt, Progress, What};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// All open attempts are written down at every so many looks.
const OPEN_EVERY: usize = 10;

/// What is read of a log at a time.
const READ_BYTES: usize = 1 << 20;

/// Looks until the run closes.
pub(super) async fn look(field: Field) {
    let mut looker = Looker { pen: field.chronicle.pen("inside"), known: Known::default() };
    for look in 0_usize.. {
        if !field.is_open() {
            return;
        }
        for queen in field.queens() {
            let number = queen.host.0;
            queen.look(|handle, engine| looker.look_into((number, queen.lives()), handle, engine));
            if look.is_multiple_of(OPEN_EVERY) {
                queen.look(|handle, _| handle.read(|state| looker.note_open(number, state)));
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// What was written down last, so that nothing is written twice.
#[derive(Default)]
struct Known {
    progress: BTreeMap<u16, Progress>,
    configuration: BTreeMap<u16, u64>,
    /// By who says so, and of whom.
    matched: BTreeMap<(u16, u16), (u64, u64)>,
    committed: BTreeMap<u16, EntryId>,
    applied: BTreeMap<u16, u64>,
    lost: BTreeSet<(u32, u64)>,
    /// The most that has waited, by queen and queue.
    longest: BTreeMap<(u16, &'static str), usize>,
}

struct Looker {
    pen: Pen,
    known: Known,
}

impl Looker {
    fn look_into(&mut self, (queen, life): (u16, u32), handle: &QueenHandle, engine: &SimulatedEngine) {
        let status = handle.status();
        let leads = handle.leads();
        self.note_progress(queen, life, &status, leads);
        self.note_members(queen, &status);
        self.note_queues(queen, handle);
        self.note_applied(queen, life, status.applied_index.0, engine);
        if leads {
            self.note_claims(queen, life, &status, engine);
        }
        handle.read(|state| self.note_losses(state));
    }

    fn note_progress(&mut self, queen: u16, life: u32, status: &ReplicaStatus, leads: bool) {
        // The next leader may know of fewer commits than the last one told: what a queen once knew stays true.
        let before = self.known.progress.get(&queen).filter(|before| before.life == life);
        let committed = before.map_or(0, |before| before.committed).max(status.commit_index.0);
        let progress = Progress {
            queen,
            life,
            term: status.term,
            purged: Some(status.purged_index.0),
            snapshot: Some(status.snapshot_index.0),
            applied: status.applied_index.0,
            committed,
            // Others may have been told of the commit of what they do not have yet.
            last: leads.then_some(status.last_index.0),
        };
        if self.known.progress.insert(queen, progress) != Some(progress) {
            self.pen.write(What::Progress(progress));
        }
    }

    fn note_members(&mut self, queen: u16, status: &ReplicaStatus) {
        let index = status.configuration_index.0;
        // What is not applied may be taken back, and another one may stand at its place.
        if index > status.applied_index.0 || self.known.configuration.get(&queen) == Some(&index) {
            return;
        }
        let voters = status.members.iter().filter(|(_, member)| member.voter).map(|(id, _)| small(*id));
        let voters: BTreeSet<u16> = voters.collect();
        if !voters.is_empty() {
            self.known.configuration.insert(queen, index);
            self.pen.write(What::Members { queen, membership: Membership { index, voters: vec![voters] } });
        }
    }

    /// Queues that are longer than they ever were.
    fn note_queues(&mut self, queen: u16, handle: &QueenHandle) {
        for QueueLength { name, length, limit } in handle.queues() {
            let longest = self.known.longest.entry((queen, name)).or_default();
            if length > *longest {
                *longest = length;
                let (process, queue) = (format!("queen-{queen}"), name.to_owned());
                self.pen.write(What::Queue { process, queue, length: length as u64, limit: limit as u64 });
            }
        }
    }

    /// Each entry that was applied since the last look, as it stands in the log; what is purged already is left out.
    fn note_applied(&mut self, queen: u16, life: u32, upto: u64, engine: &SimulatedEngine) {
        let known = self.known.applied.entry(queen).or_default();
        let mut next = (*known + 1).max(engine.bounds().first);
        *known = upto.max(*known);
        while next <= upto {
            let Ok(records) = engine.read(next, upto + 1, READ_BYTES) else { return };
            let Some(last) = records.last() else { return };
            next = last.index + 1;
            for record in records {
                let mut digest = DefaultHasher::new();
                digest.write(&record.payload);
                let (term, digest) = (term_of_record(&record.payload).unwrap_or(0), digest.finish());
                let digest = format!("{digest:016x}");
                self.pen.write(What::Applied { queen, life, index: record.index, term, digest });
            }
        }
    }

    /// What a leader knows of the logs of others, and what she takes for committed.
    fn note_claims(&mut self, leader: u16, life: u32, status: &ReplicaStatus, engine: &SimulatedEngine) {
        for (id, member) in status.members.iter().filter(|(id, _)| **id != status.member) {
            let Some(upto) = member.matched_index.map(|index| index.0) else { continue };
            let (queen, term) = (small(*id), status.term);
            if self.known.matched.insert((leader, queen), (term, upto)) != Some((term, upto)) {
                // In which of her lives she said so is not known any more.
                self.pen.write(What::Claim { queen, life: 0, claim: Claim::Matched { term, upto } });
            }
        }
        let index = status.commit_index.0;
        let entry = engine.read(index, index + 1, READ_BYTES).ok().and_then(|records| records.into_iter().next());
        let Some(term) = entry.and_then(|entry| term_of_record(&entry.payload)) else { return };
        let upto = EntryId { index, term };
        if self.known.committed.insert(leader, upto) != Some(upto) {
            self.pen.write(What::Claim { queen: leader, life, claim: Claim::Committed { upto } });
        }
    }

    fn note_losses(&mut self, state: &State) {
        for forager in state.foragers().filter(|forager| forager.lost) {
            if self.known.lost.insert((forager.no.0, forager.incarnation.0)) {
                let incarnation = forager.incarnation.0;
                self.pen.write(What::Lost { forager: numbered(forager.no.0), incarnation });
            }
        }
    }

    /// What is open at somebody ends with that one's lease at the latest, unless that one is lost already.
    fn note_open(&mut self, queen: u16, state: &State) {
        let attempts = state.foragers().flat_map(|forager| {
            forager.attempts().map(move |(attempt, _)| OpenAttempt {
                attempt: AttemptName {
                    graph: format!("g{}", attempt.instance.graph),
                    node: format!("n{}", attempt.instance.node),
                    instance: attempt.instance.index,
                    fence: attempt.fence.0,
                },
                forager: forager.name.to_string(),
                closer: (!forager.lost).then_some(Closer::Lease),
            })
        });
        let attempts = attempts.collect();
        self.pen.write(What::Open { queen, applied: state.applied().index.0, attempts });
    }
}

/// How a forager is called by its number, which is all that queens say of it in some places.
pub(super) fn numbered(forager: u32) -> String {
    format!("forager number {forager}")
}

fn small(id: MemberId) -> u16 {
    u16::try_from(id.0).unwrap_or(u16::MAX)
}
