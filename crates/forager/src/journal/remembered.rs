//! What the records of a journal come to.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, Incarnation};
use antfarm_protocol::AttemptRef;

use crate::journal::record::Record;
use crate::process::ProcessMark;
use crate::report::Report;

/// What a former process left.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    /// Its registration.
    pub(crate) registered: Option<Registered>,
    /// Attempts that it started and did not see the end of.
    pub(crate) open: BTreeMap<AttemptRef, Open>,
    /// Ends that no queen has confirmed.
    pub(crate) reports: BTreeMap<AttemptRef, Report>,
}

/// The registration of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registered {
    /// The incarnation that it was given.
    pub(crate) incarnation: Incarnation,
    /// The boot of the machine on which it was.
    pub(crate) boot_id: Arc<str>,
}

/// An attempt that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Open {
    /// What its processes carry in their environment.
    pub(crate) mark: u64,
    /// Of which class its slot is.
    pub(crate) class: CostClass,
    /// What its repetition does.
    pub(crate) effects: EffectClass,
    /// Its program, if that was noted.
    pub(crate) process: Option<ProcessMark>,
}

impl Remembered {
    /// Takes the next record; none if it contradicts the ones before.
    pub(crate) fn take(&mut self, record: Record) -> Option<()> {
        match record {
            Record::Registered { incarnation, boot_id } => {
                self.registered = Some(Registered { incarnation, boot_id });
            }
            Record::Started { attempt, mark, class, effects } => {
                self.open.insert(attempt, Open { mark, class, effects, process: None });
            }
            Record::Process { attempt, process } => self.open.get_mut(&attempt)?.process = Some(process),
            Record::Ended(reports) => {
                for report in reports {
                    self.open.remove(&report.attempt());
                    self.reports.insert(report.attempt(), report);
                }
            }
            Record::Forgotten(attempts) => {
                for attempt in attempts {
                    self.reports.remove(&attempt)?;
                }
            }
        }
        Some(())
    }
}
