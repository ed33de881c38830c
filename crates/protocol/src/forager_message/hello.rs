//! `forager.hello`: who a forager is and what it holds.

use std::collections::BTreeMap;

use antfarm_model::{CostClass, Epoch, Incarnation, Name};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::attempt::AttemptRef;

/// Who a forager is and what it holds. The first message of a session, and sent again when a queen says that it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The cluster that it belongs to; any, if none.
    #[serde(default)]
    pub cluster: Option<Name>,
    /// The name.
    pub name: Name,
    /// A number that this process drew when it started, the same in all its hellos: by it a leader knows the process whose
    /// registration was never answered.
    #[serde(default)]
    pub process: Option<u64>,
    /// The incarnation of a former process whose journal this one holds.
    #[serde(default)]
    pub former: Option<Incarnation>,
    /// The incarnation of this process, once a leader has given it one.
    #[serde(default)]
    pub incarnation: Option<Incarnation>,
    /// The highest epoch that it ever saw; 0 before the first.
    pub epoch_seen: Epoch,
    /// The machine booted since the former process: what the journal does not know may have started all the same.
    #[serde(default)]
    pub rebooted: bool,
    /// How many attempts it runs at once.
    pub slots: u32,
    /// How many of one class it runs at once.
    #[serde(default)]
    pub class_slots: ClassSlots,
    /// How many attempts it takes beyond its slots, to begin each as soon as a slot is free.
    #[serde(default)]
    pub prefetch: u32,
    /// The tools that it has.
    pub tools: Vec<Name>,
    /// It finishes what it has and takes no more.
    #[serde(default)]
    pub draining: bool,
    /// Attempts that it runs.
    #[serde(default)]
    pub running: Vec<AttemptRef>,
    /// Attempts that it holds and has not started.
    #[serde(default)]
    pub unstarted: Vec<AttemptRef>,
    /// Attempts that have ended and are not confirmed; a report of each end follows.
    #[serde(default)]
    pub ended: Vec<AttemptRef>,
}

/// How many attempts of one class run at once, by [`CostClass::index`]; in JSON an object by class name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassSlots(pub [Option<u32>; CostClass::ALL.len()]);

impl Serialize for ClassSlots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(CostClass::ALL.into_iter().filter_map(|class| Some((class, self.0[class.index()]?))))
    }
}

impl<'de> Deserialize<'de> for ClassSlots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut slots = Self::default();
        for (class, limit) in BTreeMap::<CostClass, u32>::deserialize(deserializer)? {
            slots.0[class.index()] = Some(limit);
        }
        Ok(slots)
    }
}
