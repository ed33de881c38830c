//! The records of the journal. Frozen: variants are appended, and a changed field is a new version.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, Fence, GraphNo, Incarnation, NodeNo};
use antfarm_protocol::{AttemptRef, MAX_ATTEMPTS};
use serde::{Deserialize, Serialize};

use crate::process::ProcessMark;
use crate::report::Report;

/// A batch begins with it, as a `u16`, little endian.
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 2;

/// A batch tells of so many ends at most.
pub(super) const MAX_ENDS: usize = MAX_ATTEMPTS;

/// One thing to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// A leader gave the process an incarnation, on this boot of the machine.
    Registered { incarnation: Incarnation, boot_id: Arc<str> },
    /// An attempt is about to start; its processes carry the mark in their environment. The rest is what the next process
    /// has to know to go on with it.
    Started { attempt: AttemptRef, mark: u64, class: CostClass, effects: EffectClass },
    /// The attempt's program runs.
    Process { attempt: AttemptRef, process: ProcessMark },
    /// Attempts have ended, or will never start.
    Ended(Vec<Report>),
    /// The ends of attempts are confirmed.
    Forgotten(Vec<AttemptRef>),
}

/// graph, node, index, fence
type AttemptV1 = (u64, u32, u32, u64);

/// An enumeration without fields, with its frozen twin.
macro_rules! twin {
    ($name:ident = $frozen:ident { $($variant:ident),* }) => {
        #[derive(Serialize, Deserialize)]
        enum $frozen { $($variant),* }

        impl From<$name> for $frozen {
            fn from(value: $name) -> Self {
                match value { $($name::$variant => Self::$variant),* }
            }
        }

        impl From<$frozen> for $name {
            fn from(value: $frozen) -> Self {
                match value { $($frozen::$variant => Self::$variant),* }
            }
        }
    };
}

twin!(CostClass = ClassV1 { Cpu, Io, Model });
twin!(EffectClass = EffectsV1 { Pure, Idempotent, Guarded, Irrevocable });

#[derive(Serialize, Deserialize)]
enum RecordV1 {
    Registered { incarnation: u64, boot_id: Arc<str> },
    Started { attempt: AttemptV1, mark: u64, class: ClassV1, effects: EffectsV1 },
    Process { attempt: AttemptV1, id: u32, started_ticks: u64 },
    Ended { report: Vec<u8> },
    Forgotten { attempts: Vec<AttemptV1> },
}

/// Adds a record to a batch.
pub(crate) fn encode(record: &Record, batch: &mut Vec<u8>) {
    if batch.is_empty() {
        batch.extend_from_slice(&VERSION.to_le_bytes());
    }
    let frozen = match record {
        Record::Ended(reports) => {
            for report in Report::encode(reports) {
                batch.extend_from_slice(&antfarm_binary::encode(&RecordV1::Ended { report }));
            }
            return;
        }
        Record::Registered { incarnation, boot_id } => {
            RecordV1::Registered { incarnation: incarnation.0, boot_id: boot_id.clone() }
        }
        Record::Started { attempt, mark, class, effects } => RecordV1::Started {
            attempt: freeze(attempt),
            mark: *mark,
            class: (*class).into(),
            effects: (*effects).into(),
        },
        Record::Process { attempt, process: ProcessMark { id, started_ticks } } => {
            RecordV1::Process { attempt: freeze(attempt), id: *id, started_ticks: *started_ticks }
        }
        Record::Forgotten(attempts) => RecordV1::Forgotten { attempts: attempts.iter().map(freeze).collect() },
    };
    batch.extend_from_slice(&antfarm_binary::encode(&frozen));
}

/// The records of a batch; none if this program does not know them.
pub(crate) fn decode(batch: &[u8]) -> Option<Vec<Record>> {
    let (version, mut rest) = batch.split_first_chunk::<HEADER_BYTES>()?;
    if u16::from_le_bytes(*version) != VERSION {
        return None;
    }
    let (mut records, mut ends) = (Vec::new(), 0);
    while !rest.is_empty() {
        let (frozen, consumed) = antfarm_binary::decode_first::<RecordV1>(rest)?;
        rest = &rest[consumed..];
        records.push(match frozen {
            RecordV1::Registered { incarnation, boot_id } => {
                Record::Registered { incarnation: Incarnation(incarnation), boot_id }
            }
            RecordV1::Started { attempt, mark, class, effects } => {
                Record::Started { attempt: thaw(attempt), mark, class: class.into(), effects: effects.into() }
            }
            RecordV1::Process { attempt, id, started_ticks } => {
                Record::Process { attempt: thaw(attempt), process: ProcessMark { id, started_ticks } }
            }
            RecordV1::Ended { report } => {
                let reports = Report::decode(&report)?;
                ends += reports.len();
                if ends > MAX_ENDS {
                    return None;
                }
                Record::Ended(reports)
            }
            RecordV1::Forgotten { attempts } => Record::Forgotten(attempts.into_iter().map(thaw).collect()),
        });
    }
    Some(records)
}

fn freeze(attempt: &AttemptRef) -> AttemptV1 {
    (attempt.graph.0, attempt.node.0, attempt.index, attempt.fence.0)
}

fn thaw((graph, node, index, fence): AttemptV1) -> AttemptRef {
    AttemptRef { graph: GraphNo(graph), node: NodeNo(node), index, fence: Fence(fence) }
}
