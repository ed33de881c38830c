//! Commands with small names in place of log indices, so that the same thing has the same name in every history.

use std::fmt;

use antfarm_model::{CostClass, ForagerNo, GraphNo, NodeNo};
use antfarm_scheduler::{AttemptId, AttemptOutcome, Command, Decision, InstanceId, Instances, Registration, Verdict};

use super::cores::{Core, name};

/// The only instance.
pub(super) const INSTANCE: InstanceId = InstanceId { graph: GraphNo(1), node: NodeNo(0), index: 0 };

/// The tool that it names.
pub(super) const TOOL: &str = "tool";

/// How an attempt ended at its forager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Ended {
    Succeeded,
    Interrupted,
    Cancelled { started: bool },
}

/// Attempts as a set of bits.
pub(super) type AttemptSet = u8;

/// A command of the product, named as the model names things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Order {
    Assign {
        forager: usize,
        incarnation: u8,
        attempt: usize,
    },
    Lose {
        forager: usize,
        incarnation: u8,
    },
    /// `held` is what the hello listed as unstarted, and `running` what it listed as running.
    Register {
        forager: usize,
        process: u8,
        journal: u8,
        held: AttemptSet,
        running: AttemptSet,
    },
    End {
        forager: usize,
        attempt: usize,
        ended: Ended,
    },
    Retry {
        attempt: usize,
        assume_ended: bool,
    },
}

/// The number that a process of a forager drew when it started.
pub(super) fn process_number(forager: usize, process: u8) -> u64 {
    forager as u64 * 100 + u64::from(process)
}

/// The number that the state gives to a forager.
pub(super) fn forager_no(forager: usize) -> ForagerNo {
    ForagerNo(u32::try_from(forager).expect("there are two"))
}

/// What a process says of itself.
pub(super) fn registration(forager: usize, process: u8) -> Registration {
    Registration {
        name: name(["f0", "f1"][forager]),
        process: Some(process_number(forager, process)),
        former: None,
        known: Vec::new(),
        rebooted: false,
        slots: 2,
        prefetch: 0,
        class_slots: [None; CostClass::ALL.len()],
        tools: vec![name(TOOL)],
        poison_limit: 3,
    }
}

impl Order {
    /// The command that it is in that state.
    pub(super) fn command(self, core: &Core) -> Command {
        let id = |attempt| AttemptId { instance: INSTANCE, fence: core.fence(attempt) };
        match self {
            Self::Assign { forager, incarnation, .. } => Command::Assign {
                forager: forager_no(forager),
                incarnation: core.incarnation(forager, incarnation),
                instances: Instances::one(INSTANCE),
            },
            Self::Lose { forager, incarnation } => {
                Command::Lose { forager: forager_no(forager), incarnation: core.incarnation(forager, incarnation) }
            }
            Self::Register { forager, process, journal, .. } => Command::Register(Registration {
                former: Some(core.incarnation(forager, journal)),
                ..registration(forager, process)
            }),
            Self::End { forager, attempt, ended } => {
                let outcome = match ended {
                    Ended::Succeeded => AttemptOutcome::Succeeded { result: attempt.to_string().into() },
                    Ended::Interrupted => AttemptOutcome::Interrupted,
                    Ended::Cancelled { started } => AttemptOutcome::Cancelled { started },
                };
                Command::End { forager: forager_no(forager), attempts: id(attempt).into(), outcome }
            }
            Self::Retry { attempt, assume_ended } => Command::Decide(Decision {
                instance: INSTANCE,
                fence: core.fence(attempt),
                verdict: Verdict::Retry { assume_ended },
                by: "somebody".into(),
                why: "it is over".into(),
            }),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assign { forager, attempt, .. } => write!(f, "assign a{attempt} to f{forager}"),
            Self::Lose { forager, .. } => write!(f, "lose f{forager}"),
            Self::Register { forager, .. } => write!(f, "register f{forager}"),
            Self::End { forager, attempt, ended } => write!(f, "a{attempt} has ended at f{forager}: {ended:?}"),
            Self::Retry { attempt, .. } => write!(f, "somebody retries after a{attempt}"),
        }
    }
}
