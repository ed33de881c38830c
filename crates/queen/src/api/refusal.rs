//! What a refusal of the state machine, or a proposal without an answer, means to a client.

use antfarm_model::Fault;
use antfarm_scheduler::Refusal;

use super::problem::{Kind, Problem};
use crate::desk::ProposeFailure;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let detail = refusal.to_string();
        match refusal {
            Refusal::UnknownTools(names) => {
                let message = |name| format!("the tool {name} has no manifest: declare it with `antfarm tool apply`");
                let fault = |name| Fault { path: "nodes".into(), position: None, message: message(name) };
                Self::invalid(names.into_iter().map(fault).collect())
            }
            Refusal::BadGraph(_) | Refusal::UnsoundGraph(_) | Refusal::ResultTooLarge => {
                Self::new(Kind::Invalid, detail)
            }
            Refusal::UnknownGraph | Refusal::UnknownTool(_) | Refusal::UnknownForager | Refusal::UnknownInstance => {
                Self::not_found(detail)
            }
            Refusal::TooManyUploads => Self::overloaded(detail),
            Refusal::UploadIncomplete | Refusal::StaleEpoch { .. } => Self::outcome_unknown(),
            Refusal::GraphConflict(_)
            | Refusal::IdTaken(_)
            | Refusal::GraphEnded
            | Refusal::GraphActive
            | Refusal::ToolInUse(_)
            | Refusal::StaleIncarnation
            | Refusal::NameHeld(_)
            | Refusal::UnknownAttempt
            | Refusal::NotReady
            | Refusal::ForagerUnavailable
            | Refusal::NoSlot
            | Refusal::NoSuchToolThere
            | Refusal::PinnedElsewhere
            | Refusal::NothingToDecide
            | Refusal::WrongFence
            | Refusal::EndNotProven
            | Refusal::AlreadyDecided { .. }
            | Refusal::BacksOff
            | Refusal::ToolQuarantined => Self::conflict(detail),
        }
    }
}

impl From<ProposeFailure> for Problem {
    fn from(failure: ProposeFailure) -> Self {
        match failure {
            ProposeFailure::NotLeading => Self::no_leader(),
            ProposeFailure::Overloaded => Self::overloaded(format!("{failure}: try again in a moment")),
            ProposeFailure::OutcomeUnknown => Self::outcome_unknown(),
        }
    }
}
