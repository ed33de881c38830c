//! The log as event streams showed it: what all readers together saw, and what each of them covered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage::Coverage;
use super::record::{Record, What};

/// An event, as its document says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Event {
    pub(crate) r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graph: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<String>,
    /// Of an array node: the first instance, and how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forager: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
}

impl Event {
    /// The instances that it is about; of a node that is no array, the only one.
    pub(crate) fn instances(&self) -> std::ops::Range<u32> {
        let first = self.first.unwrap_or(0);
        first..first.saturating_add(self.count.unwrap_or(1))
    }
}

/// What readers of events saw.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    /// By index, as whoever saw it first.
    pub(crate) entries: BTreeMap<u64, Vec<Event>>,
    /// What all readers together covered.
    pub(crate) coverage: Coverage,
    /// What each of them did.
    pub(crate) readers: BTreeMap<String, Reader>,
    /// Where each graph as a whole has changed: indexes, and places in their entries.
    graphs: BTreeMap<String, Vec<(u64, usize)>>,
}

/// What one reader saw.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) entries: BTreeMap<u64, Vec<Event>>,
    pub(crate) coverage: Coverage,
    /// Where it broke the rules of a stream: an index that did not rise, a stream that did not begin where it was asked to.
    pub(crate) faults: Vec<String>,
    position: u64,
}

/// One change of one instance, as an event says it.
pub(crate) struct Change<'a> {
    pub(crate) index: u64,
    pub(crate) graph: &'a str,
    pub(crate) node: &'a str,
    pub(crate) instance: u32,
    pub(crate) state: &'a str,
    pub(crate) fence: Option<u64>,
}

impl EventLog {
    pub(super) fn of(records: &[Record]) -> Self {
        let mut log = Self::default();
        for record in records {
            if let What::Stream { after, .. } = &record.what {
                log.reader(&record.by).starts(*after);
            } else if let What::Gap { resumed_after, .. } = &record.what {
                log.reader(&record.by).position = *resumed_after;
            } else if let What::Read { upto } = &record.what {
                log.reader(&record.by).reads_to(*upto);
            } else if let What::Entry { index, events } = &record.what {
                log.reader(&record.by).reads(*index, events);
                log.entries.entry(*index).or_insert_with(|| events.clone());
            }
        }
        for reader in log.readers.values() {
            log.coverage.join(&reader.coverage);
        }
        for (index, events) in &log.entries {
            for (place, event) in events.iter().enumerate().filter(|(_, event)| event.r#type == "graph") {
                let Some(graph) = &event.graph else { continue };
                log.graphs.entry(graph.clone()).or_default().push((*index, place));
            }
        }
        log
    }

    fn reader(&mut self, name: &str) -> &mut Reader {
        self.readers.entry(name.to_owned()).or_default()
    }

    /// The changes of a graph as a whole, in the order of the log.
    pub(crate) fn of_graph(&self, graph: &str) -> impl Iterator<Item = (u64, &Event)> {
        let places = self.graphs.get(graph).into_iter().flatten();
        places.filter_map(|(index, place)| Some((*index, self.entries.get(index)?.get(*place)?)))
    }

    /// At which index the beginning of each graph was seen. What is not here may have begun where nobody read.
    pub(crate) fn beginnings(&self) -> BTreeMap<&str, u64> {
        let events = self.entries.iter().flat_map(|(index, events)| events.iter().map(move |event| (*index, event)));
        let begun = events.filter(|(_, event)| event.r#type == "graph" && event.state.as_deref() == Some("running"));
        let mut beginnings = BTreeMap::new();
        for (index, graph) in begun.filter_map(|(index, event)| Some((index, event.graph.as_deref()?))) {
            beginnings.entry(graph).or_insert(index);
        }
        beginnings
    }

    /// All changes of instances in the order of the log.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        self.entries.iter().flat_map(|(index, events)| {
            events.iter().flat_map(move |event| {
                event.instances().filter_map(move |instance| {
                    Some(Change {
                        index: *index,
                        graph: event.graph.as_deref()?,
                        node: event.node.as_deref()?,
                        instance,
                        state: event.state.as_deref()?,
                        fence: event.fence,
                    })
                })
            })
        })
    }
}

impl Reader {
    fn starts(&mut self, after: u64) {
        if after != self.position {
            self.faults.push(format!("a stream began after {after}, and {} was read before", self.position));
        }
    }

    fn reads(&mut self, index: u64, events: &[Event]) {
        if index <= self.position {
            self.faults.push(format!("entry {index} came after {}", self.position));
        }
        self.entries.insert(index, events.to_vec());
        self.reads_to(index);
    }

    fn reads_to(&mut self, upto: u64) {
        self.coverage.add(self.position, upto);
        self.position = self.position.max(upto);
    }
}
