//! Explanations as people read them: why it is so, and what would change it.

use std::fmt;

use antfarm_model::{EffectClass, Name, Span};

use super::words::{Many, Rough};
use super::{Cause, Explanation, Obstacle, Reason};
use crate::forager::CancelReason;
use crate::instance::InstanceState;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitsFor { first, count } => {
                write!(f, "it waits for {}", first.join(", "))?;
                more(f, first.len(), *count)
            }
            Self::NotBefore(moment) => write!(f, "it must not start before {moment}"),
            Self::HeldBack { left, failures, tries } => {
                write!(f, "it failed {failures} of {tries} times, and is tried again in {}", Rough(*left))
            }
            Self::Paused => f.write_str("its graph is paused"),
            Self::DeadlinePassed => f.write_str("its deadline has passed, which is about to be noted"),
            Self::NoForagerWithTool { tool, lost } => no_forager_with(f, tool, lost),
            Self::PinNotMet { forager, obstacle } => {
                write!(f, "it is pinned to the forager {forager}, which {obstacle}")
            }
            Self::NoForagerAvailable { tool, obstacles, count } => {
                write!(f, "none of {} with the tool {tool} takes it: ", Many(*count, "forager"))?;
                list(f, obstacles)?;
                more(f, obstacles.len(), *count)
            }
            Self::NoFreeSlot { tool, full, others } => no_free_slot(f, tool, *full, others),
            Self::InQueue { class, before, full } => {
                let (before, full) = (Many(*before, "instance"), Many(*full, "forager"));
                write!(
                    f,
                    "{before} of class {class} come before it, and all slots of {full} that would take it are taken"
                )
            }
            Self::AboutToBeAssigned => f.write_str("it is about to be assigned"),
            Self::Assigned { forager, fence, ago } => {
                write!(f, "the forager {forager} was told {} ago to run it (fence {fence})", Rough(*ago))?;
                f.write_str(", and has not said that it does")
            }
            Self::Runs { forager, fence, ran_for, .. } => {
                write!(f, "the forager {forager} has run it for {} (fence {fence})", Rough(*ran_for))
            }
            Self::BeingCancelled { forager, fence, why } => {
                write!(f, "the forager {forager} was told to end it (fence {fence}), because {}", cancelled(*why))
            }
            Self::ForagerSilent { forager, .. } => write!(f, "its forager {forager} is not heard"),
            Self::NeedsDecision { why, fence, forager, .. } => {
                let at = forager.as_ref().map(|forager| format!(" at the forager {forager}")).unwrap_or_default();
                write!(f, "nobody knows whether attempt {fence}{at} took effect: {why}")
            }
            Self::Succeeded { decided_by: Some(by), .. } => write!(f, "{by} decided that it succeeded"),
            Self::Succeeded { forager: Some(forager), .. } => write!(f, "the forager {forager} brought its result"),
            Self::Succeeded { forager: None, .. } => f.write_str("it has a result"),
            Self::Failed { why, attempts } => write!(f, "after {}: {why}", Many(*attempts as usize, "attempt")),
            Self::Expired { deadline, attempts } => {
                let deadline = deadline.map(|deadline| format!(" {deadline}")).unwrap_or_default();
                let before = if *attempts > 0 { "it had a result" } else { "it could start" };
                write!(f, "its deadline{deadline} passed before {before}")
            }
            Self::Cancelled(cause) | Self::Skipped(cause) => cause.fmt(f),
        }
    }
}

fn no_forager_with(f: &mut fmt::Formatter<'_>, tool: &Name, lost: &[Name]) -> fmt::Result {
    write!(f, "no forager has the tool {tool}")?;
    let names = lost.iter().map(Name::as_str).collect::<Vec<_>>().join(", ");
    if lost.is_empty() { Ok(()) } else { write!(f, " any more: lost are {names}") }
}

fn no_free_slot(f: &mut fmt::Formatter<'_>, tool: &Name, full: usize, others: &[(Name, Obstacle)]) -> fmt::Result {
    let full = Many(full, "forager");
    write!(f, "it is the next of its class, and all slots of {full} with the tool {tool} are taken")?;
    if others.is_empty() { Ok(()) } else { f.write_str("; ").and_then(|()| list(f, others)) }
}

impl Explanation {
    /// What would change it; nothing where nothing can.
    pub fn change(&self) -> Option<String> {
        let graph = self.path.split('/').next().unwrap_or_default();
        Some(match &self.reason {
            Reason::WaitsFor { .. } => "it is ready when they have succeeded".into(),
            Reason::NotBefore(_) => "it is ready at that time".into(),
            Reason::HeldBack { .. } | Reason::AboutToBeAssigned => "nothing needs to be done".into(),
            Reason::Paused => format!("`antfarm graph resume {graph}` lets it go on"),
            Reason::DeadlinePassed => "it expires within a moment".into(),
            Reason::NoForagerWithTool { tool, .. } => {
                format!("add {tool} to the tools of a forager and restart it, or start a forager that has it")
            }
            Reason::PinNotMet { forager, obstacle } => obstacle.way_out(forager),
            Reason::NoForagerAvailable { obstacles, .. } => {
                obstacles.first().map(|(forager, obstacle)| obstacle.way_out(forager))?
            }
            Reason::NoFreeSlot { .. } => "a slot that becomes free, or a further forager with the tool".into(),
            Reason::InQueue { .. } => "slots that become free, further foragers, or an earlier deadline".into(),
            Reason::Assigned { .. } => {
                "the forager starts it or rejects it; what is not acknowledged is sent again, the same attempt".into()
            }
            Reason::Runs { left, .. } => format!("it ends, or is cancelled by its time-out in {}", Rough(*left)),
            Reason::BeingCancelled { .. } => "the forager reports that nothing of it runs any more, or is lost".into(),
            Reason::ForagerSilent { lease_left, effects, .. } => silent(*effects, *lease_left),
            Reason::NeedsDecision { fence, proven, .. } => {
                let assume = if *proven { "" } else { " (retry also needs --assume-ended)" };
                format!("`antfarm node decide {} retry|succeed|fail --fence {fence} --why TEXT`{assume}", self.path)
            }
            Reason::Failed { .. } | Reason::Expired { .. } | Reason::Cancelled(_) | Reason::Skipped(_) => {
                "nothing: submit the graph again under another id".into()
            }
            Reason::Succeeded { .. } => return None,
        })
    }
}

/// What becomes of an attempt whose forager is not heard.
fn silent(effects: EffectClass, lease_left: Span) -> String {
    let lease = Rough(lease_left);
    match effects {
        EffectClass::Pure | EffectClass::Idempotent => {
            format!(
                "it is given to another forager beside it, or goes on there when that one is back; its lease is over in {lease}"
            )
        }
        EffectClass::Guarded => {
            format!("it goes on when that one is back; otherwise it is tried again when the lease is over, in {lease}")
        }
        EffectClass::Irrevocable => {
            format!(
                "it goes on when that one is back; otherwise somebody must decide when the lease is over, in {lease}"
            )
        }
    }
}

const fn cancelled(why: CancelReason) -> &'static str {
    match why {
        CancelReason::GraphStopped => "its graph was cancelled or failed",
        CancelReason::Deadline => "its deadline passed",
        CancelReason::Timeout => "it ran longer than its time-out",
        CancelReason::Superseded => "another attempt has ended it",
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GraphCancelled => f.write_str("somebody cancelled its graph"),
            Self::Node { name, state, ended_graph } => {
                let what = match state {
                    InstanceState::Failed => "failed",
                    InstanceState::Expired => "expired",
                    InstanceState::Waiting
                    | InstanceState::Ready
                    | InstanceState::Assigned
                    | InstanceState::Running
                    | InstanceState::Succeeded
                    | InstanceState::Cancelled
                    | InstanceState::Skipped
                    | InstanceState::NeedsDecision => "ended without a result",
                };
                let rest = if *ended_graph { ", which ended the graph" } else { ", and this needs it" };
                write!(f, "{name} {what}{rest}")
            }
            Self::Unknown => f.write_str("a node that it needs has no result"),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("has never registered, or is long forgotten"),
            Self::LacksTool => f.write_str("does not have the tool"),
            Self::Lost => f.write_str("is lost"),
            Self::Suspect => f.write_str("is not heard"),
            Self::NotConnected => f.write_str("is not connected to the leader"),
            Self::Draining => f.write_str("is draining"),
            Self::Quarantined { left, reason } => {
                write!(f, "is quarantined for {}, because it rejected too much in a row", Rough(*left))?;
                reason.map_or(Ok(()), |reason| write!(f, " (last: {})", reason.as_str()))
            }
            Self::ToolQuarantined { left } => {
                write!(f, "gets nothing of this tool for {}, because too much of it failed there at once", Rough(*left))
            }
            Self::BacksOff { left } => write!(f, "would not run it, and is asked again in {}", Rough(*left)),
            Self::HasAttempt => f.write_str("has an attempt at it already"),
            Self::Full => f.write_str("has no free slot"),
        }
    }
}

impl Obstacle {
    /// What would remove it.
    fn way_out(self, forager: &Name) -> String {
        match self {
            Self::Unknown => format!("start a forager that is called {forager}"),
            Self::LacksTool => format!("add the tool to the configuration of {forager} and restart it"),
            Self::Lost | Self::Suspect | Self::NotConnected => {
                format!("start {forager}, or mend its way to the queens")
            }
            Self::Draining => format!("`antfarm forager undrain {forager}`, or start it again"),
            Self::Quarantined { .. } | Self::ToolQuarantined { .. } => {
                format!("it ends by itself; `antfarm forager undrain {forager}` ends it at once")
            }
            Self::BacksOff { .. } | Self::HasAttempt => "nothing needs to be done".into(),
            Self::Full => "a slot there that becomes free".into(),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, obstacles: &[(Name, Obstacle)]) -> fmt::Result {
    for (number, (forager, obstacle)) in obstacles.iter().enumerate() {
        let between = if number > 0 { "; " } else { "" };
        write!(f, "{between}{forager} {obstacle}")?;
    }
    Ok(())
}

fn more(f: &mut fmt::Formatter<'_>, listed: usize, count: usize) -> fmt::Result {
    if count > listed { write!(f, " and {} more", count - listed) } else { Ok(()) }
}
