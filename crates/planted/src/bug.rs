//! The mistakes, by the numbers of the catalogue that `chaos/PLANTED.md` shows.

use std::fmt;

/// Declares the mistakes: number, name, what is wrong, and what it breaks.
macro_rules! bugs {
    ($($number:literal $name:ident: $wrong:literal, $breaks:literal;)*) => {
        /// A mistake.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Bug {
            $(#[doc = $wrong] $name,)*
        }

        impl Bug {
            /// All of them.
            pub const ALL: [Self; [$($number),*].len()] = [$(Self::$name),*];

            /// Its number in the catalogue.
            pub const fn number(self) -> u8 {
                match self { $(Self::$name => $number),* }
            }

            /// What is wrong, in a sentence.
            pub const fn wrong(self) -> &'static str {
                match self { $(Self::$name => $wrong),* }
            }

            /// The property, or the incident, that it stands for.
            pub const fn breaks(self) -> &'static str {
                match self { $(Self::$name => $breaks),* }
            }
        }
    };
}

bugs! {
    1 AckBeforeSync: "A queen acknowledges entries that are not durable yet.",
        "S16: durable before reply";
    2 VoteBeforeSync: "A queen answers a vote that is not durable yet.",
        "S14: one vote in a term";
    3 SentBeforeCommit: "A leader sends an assignment as soon as it has proposed it.",
        "S3: commit before dispatch";
    4 EpochInMemory: "A forager keeps the highest epoch that it has seen in memory only.",
        "S4: fencing, across restarts";
    5 LowerEpochHeard: "A forager does what a message of a lower epoch says.",
        "S4: fencing (two queens at once, 2013-07)";
    6 OfficeResumed: "A leader that restarts goes on leading in its former term.",
        "S1: one leader in an epoch, in one life";
    7 FenceNotCompared: "A result closes whatever attempt at the instance its forager has, of any fence.",
        "S7: results are accepted by attempt";
    8 TombstonesNotKept: "A snapshot leaves out which ids are still taken.",
        "S10: idempotent submission, after the log is purged";
    9 AnotherId: "A client that has to submit again does so under another id.",
        "S10: idempotent submission";
    10 OpenAttemptsNotKept: "A snapshot is read without the open attempts of foragers.",
        "S9, L2: what is under way survives";
    11 ClockInApply: "Apply looks at something that is another on each replica.",
        "S15: deterministic apply";
    12 LocalReads: "A queen answers linearizable reads from what she has applied, and asks nobody.",
        "S12: linearizable reads";
    13 OfficeBeforeBarrier: "A leader acts before it has applied everything that precedes its first entry.",
        "S3, S21: nothing committed is unknown to a leader";
    14 WallClockLease: "A leader measures leases by the wall clock, which may jump.",
        "S22, L7: clocks that jump shorten no lease";
    15 FailedSyncIgnored: "A queen takes a write that failed for a write that succeeded.",
        "S17: fail-stop on a broken disk";
    16 DamageTakenForTail: "Damage in the middle of a journal is cut off like a torn tail, with all that follows.",
        "S18: damage is detected";
    17 FolderNotSynced: "A snapshot counts as durable before its name is.",
        "S9: the log is purged behind a durable snapshot";
    18 NamedUnsynced: "A snapshot gets its name although its content is not synced.",
        "S14: a crash leaves a snapshot whole or absent";
    19 SilenceSurvivesOffice: "A leader that leads again counts silence from its former office on.",
        "L7: no false mass death (I26)";
    20 WorkTakenBack: "A new leader takes back what former ones had assigned, as if nobody had been sent it.",
        "S6: no concurrent attempts (I16, jobs added again)";
    21 NoGrace: "A new leader counts the silence of foragers from before its own start.",
        "L7, S6: leases of a former leader hold";
    22 NoJitter: "Foragers come back all in the same moment.",
        "L7: registrations after a failover are spread";
    23 UnboundedOutbox: "What waits for a forager that does not read has no bound.",
        "L8: every queue has a bound";
    24 OfficeWithoutDisk: "A leader goes on leading although its disk hangs, or has failed.",
        "L6: a leader that cannot write gives up office";
    25 LateResultTaken: "A lost forager's result is taken although its attempt was closed, and another one may run.",
        "S7: one accepted result";
    26 FollowerReaps: "A replica that starts from a snapshot forgets foragers that look dead.",
        "S15: only the log changes state";
    27 QuorumNotAsked: "A member is removed although no quorum of those who are left can be reached.",
        "S19, L1: a change leaves a quorum";
    28 PurgedAtOnce: "The log is purged up to a snapshot of what was just applied, whoever has not caught up.",
        "L5: a queen catches up with few snapshots (I34)";
    29 NoDeadline: "A request to a peer has no deadline.",
        "L1: a silent link stops nobody for ever";
    30 NeverSilent: "A leader without a quorum goes on sending, and so keeps followers from electing another.",
        "L1: one-way cuts";
    31 CancelNotChecked: "An assignment is opened although its graph was cancelled meanwhile.",
        "S13: cancel wins once acknowledged";
    32 LengthBelieved: "The length that a frame announces is allocated, whatever it is.",
        "S20, L8: bounded before allocation";
}

impl Bug {
    /// The mistake with that number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|bug| bug.number() == number)
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("M{}", self.number()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_has_its_number_and_the_numbers_rise() {
        assert!(Bug::ALL.windows(2).all(|pair| pair[0].number() < pair[1].number()));
        assert!(Bug::ALL.into_iter().all(|bug| Bug::of_number(bug.number()) == Some(bug)));
        assert_eq!((Bug::SentBeforeCommit.to_string(), Bug::of_number(0)), ("M3".to_owned(), None));
    }
}
