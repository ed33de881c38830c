//! What queens and foragers do inside, made wrong.

use super::{History, Mutant, mutant};
use crate::history::{AttemptStep, Claim, DiskStep, Membership, QueenStatus, What};
use crate::random::Random;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant("S1", "another queen sends in the epoch of a leader", |history, random| {
        history.change(random, |what| match what {
            What::Claim { queen, claim: Claim::Dispatched { .. }, .. } => {
                *queen = *queen % 3 + 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S2", "an epoch that was seen is lowered", lower_an_epoch),
    mutant("S2", "a term falls along the log", lower_a_term),
    mutant("S3", "an assignment is sent before it is applied", |history, random| {
        history.change(random, |what| match what {
            What::Claim { claim: Claim::Dispatched { fence, .. }, .. } => {
                *fence += 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S4", "an attempt starts on the word of a lower epoch", |history, random| {
        history.change(random, |what| match what {
            What::Attempt { step: AttemptStep::Starts { epoch }, .. } if *epoch > 0 => {
                *epoch -= 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S5", "an attempt starts twice, inside", |history, random| {
        let starts = |what: &What| matches!(what, What::Attempt { step: AttemptStep::Starts { .. }, .. });
        let Some(place) = history.any(random, starts) else { return false };
        let what = history.records[place].what.clone();
        history.insert(place, what);
        true
    }),
    mutant("S14", "an entry that was applied is another one elsewhere", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::Applied { .. })) else { return false };
        let mut what = history.records[place].what.clone();
        if let What::Applied { queen, digest, .. } = &mut what {
            (*queen, *digest) = (*queen % 3 + 1, "another".into());
        }
        history.insert(place, what);
        true
    }),
    mutant("S14", "a queen votes twice in a term", |history, random| {
        let voted = |what: &What| matches!(what, What::Disk { step: DiskStep::Voted(_), .. });
        let Some(place) = history.any(random, voted) else { return false };
        let mut what = history.records[place].what.clone();
        if let What::Disk { step: DiskStep::Voted(ballot), .. } = &mut what {
            ballot.candidate = ballot.candidate % 3 + 1;
        }
        history.insert(place, what);
        true
    }),
    mutant("S14", "what a leader calls committed is nowhere", |history, random| {
        history.change(random, |what| match what {
            What::Claim { claim: Claim::Committed { upto }, .. } => {
                upto.index += 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S14", "a commit is taken back", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::Progress(it) if it.applied > 0)) else {
            return false;
        };
        let mut what = history.records[place].what.clone();
        if let What::Progress(it) = &mut what {
            (it.applied, it.committed) = (0, 0);
        }
        history.insert(place, what);
        true
    }),
    mutant("S16", "an entry is acknowledged without being kept", |history, random| {
        history.change(random, |what| match what {
            What::Claim { claim: Claim::Matched { upto, .. }, .. } => {
                *upto += 1;
                true
            }
            _ => false,
        })
    }),
    mutant("S16", "a vote is told without being kept", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::Claim { claim: Claim::Voted(_), .. })) else {
            return false;
        };
        let What::Claim { queen, claim: Claim::Voted(ballot), .. } = history.records[place].what.clone() else {
            return false;
        };
        history.records.retain(|record| match &record.what {
            What::Disk { queen: other, step: DiskStep::Voted(kept), .. } => (*other, *kept) != (queen, ballot),
            _ => true,
        });
        true
    }),
    mutant("S17", "a disk fails, and its queen goes on", |history, random| {
        let Some(place) = history.any(random, |what| matches!(what, What::Claim { .. })) else { return false };
        let What::Claim { queen, life, .. } = history.records[place].what else { return false };
        history.insert(place - 1, What::Disk { queen, life, step: DiskStep::Failed { what: "sync".into() } });
        true
    }),
    mutant("S18", "a queen begins without the end of her log", |history, random| {
        let queen = 1 + u16::try_from(random.below(3)).unwrap_or(0);
        let votes = history.records.iter().filter_map(|record| match &record.what {
            What::Disk { queen: by, step: DiskStep::Voted(ballot), .. } if *by == queen => Some(*ballot),
            _ => None,
        });
        let ballot = votes.max();
        let log = vec![crate::history::Span { term: 1, first: 1, last: 1 }];
        history.push(What::Disk { queen, life: 2, step: DiskStep::Found { ballot, log, purged: 0, snapshot: 0 } });
        true
    }),
    mutant("S19", "a majority is replaced at once", |history, _| {
        let membership = Membership { index: 8_000, voters: vec![[1, 4, 5].into()] };
        history.push(What::Members { queen: 1, membership });
        true
    }),
    mutant("S21", "a forager forgets what nobody has confirmed", |history, random| {
        let confirmed = |what: &What| matches!(what, What::Attempt { step: AttemptStep::Confirmed, .. });
        let Some(place) = history.any(random, confirmed) else { return false };
        history.records.remove(place);
        true
    }),
    mutant("S22", "a lease outlives the loss of its incarnation", |history, random| {
        if history.any(random, |what| matches!(what, What::Lost { .. })).is_none() {
            return false;
        }
        history.change(random, |what| match what {
            What::Granted { until_us, .. } => {
                *until_us = u64::MAX;
                true
            }
            _ => false,
        })
    }),
    mutant("L6", "a leader whose disk hangs keeps office", |history, random| {
        let leads = |what: &What| matches!(what, What::Status(QueenStatus { leads: true, .. }));
        let Some(place) = history.any(random, leads) else { return false };
        let What::Status(status) = history.records[place].what else { return false };
        history.insert(place, What::Disk { queen: status.queen, life: status.life, step: DiskStep::Stalled });
        history.insert(place + 1, What::Status(status));
        for record in &mut history.records[place + 2..] {
            record.at_us += 6_000_000;
        }
        true
    }),
    mutant("S28", "nothing will ever close an open attempt", |history, random| {
        history.change(random, |what| match what {
            What::Open { attempts, .. } if !attempts.is_empty() => {
                attempts[0].closer = None;
                true
            }
            _ => false,
        })
    }),
];

fn lower_an_epoch(history: &mut History, random: &mut Random) -> bool {
    let seen = |what: &What| matches!(what, What::Learnt { epoch, .. } if *epoch > 1);
    let Some(place) = history.any(random, seen) else { return false };
    if let What::Learnt { epoch, .. } = &mut history.records[place].what {
        *epoch -= 2;
    }
    true
}

/// The same entry everywhere: that queens differ is another matter.
fn lower_a_term(history: &mut History, random: &mut Random) -> bool {
    let late = |what: &What| matches!(what, What::Applied { index, term, .. } if *index > 3 && *term > 1);
    let Some(place) = history.any(random, late) else { return false };
    let What::Applied { index: lowered, .. } = history.records[place].what else { return false };
    for record in &mut history.records {
        if let What::Applied { index, term, .. } = &mut record.what
            && *index == lowered
        {
            *term = 0;
        }
    }
    true
}
