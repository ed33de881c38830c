//! The nodes of a document by name and number, before any is compiled.

use std::collections::BTreeMap;

use crate::document::faults::Faults;
use crate::document::path::Path;
use crate::document::place::Place;
use crate::document::{Position, Tree, Value, suggestion};
use crate::{Limits, NodeNo};

use crate::document::fields::Fields;
use crate::document::quote::quote;

/// Graphs up to this many nodes get suggestions for unknown names; in larger ones looking for them would take too long.
const SUGGESTION_NODES: usize = 1_000;

/// A node as others see it.
pub(super) struct Declared<'t> {
    /// The name as it stands in the document, which may be no valid one. None if there is none, which was a fault.
    pub(super) name: Option<&'t str>,
    /// Where the name stands.
    pub(super) position: Position,
    /// Its fields.
    pub(super) tree: &'t Tree<'t>,
    /// How many instances it has.
    pub(super) size: Size,
}

/// How many instances a node has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// It is no array.
    Plain,
    /// It is an array of that many.
    Array(u32),
    /// It is an array whose count is faulty.
    Unclear,
}

/// All nodes, in submission order.
pub(super) struct Declarations<'t, 'p> {
    pub(super) nodes: Vec<Declared<'t>>,
    by_name: BTreeMap<&'t str, NodeNo>,
    path: &'p Path<'p>,
    /// Whether the nodes are a list, with the names inside.
    is_list: bool,
}

impl<'t, 'p> Declarations<'t, 'p> {
    /// Reads `nodes`: a map from name to node, or a list of nodes with `id`.
    pub(super) fn read(place: Place<'t, 'p>, limits: &Limits, faults: &mut Faults) -> Option<Self> {
        let (count, is_list) = match &place.tree.value {
            Value::Map(entries) => (entries.len(), false),
            Value::List(items) => (items.len(), true),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                place.wrong_type(faults, "a map from name to node, or a list of nodes with id");
                return None;
            }
        };
        let limit = limits.nodes;
        if count == 0 {
            place.fault(faults, || "a graph has at least one node".to_owned());
        }
        if count > limit as usize {
            let message =
                || format!("has {count} nodes; a graph has at most {limit}. Use array nodes, or divide the graph");
            place.fault(faults, message);
            return None;
        }
        let mut declared =
            Self { nodes: Vec::with_capacity(count), by_name: BTreeMap::new(), path: place.path, is_list };
        match &place.tree.value {
            Value::Map(entries) => {
                for (key, tree) in entries {
                    declared.add(Some(&key.text), key.position, tree, limits, faults);
                }
            }
            Value::List(items) => {
                for tree in items {
                    declared.add_item(tree, limits, faults);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        declared.check_instances(place, limits, faults);
        Some(declared)
    }

    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// Calls `with` with the path of a node.
    pub(super) fn with_path<R>(&self, node: usize, with: impl FnOnce(&Path<'_>) -> R) -> R {
        match self.nodes[node].name {
            Some(name) if !self.is_list => with(&Path::Key(self.path, name)),
            _ => with(&Path::Index(self.path, node)),
        }
    }

    pub(super) fn number(&self, node: usize) -> NodeNo {
        assert!(node < self.nodes.len());
        NodeNo(u32::try_from(node).expect("no more nodes than their limit, which is a u32"))
    }

    pub(super) fn find(&self, name: &str) -> Option<NodeNo> {
        self.by_name.get(name).copied()
    }

    /// The ending of a message about an unknown name.
    pub(super) fn suggestion(&self, name: &str) -> String {
        let few = self.nodes.len() <= SUGGESTION_NODES;
        if few { suggestion::ending(name, self.by_name.keys().copied()) } else { String::new() }
    }

    fn add_item(&mut self, tree: &'t Tree<'t>, limits: &Limits, faults: &mut Faults) {
        let path = Path::Index(self.path, self.nodes.len());
        let id = match &tree.value {
            Value::Map(entries) => entries.iter().find(|(key, _)| key.text == "id"),
            // That it is no map is told when it is compiled.
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => {
                return self.add(None, tree.position, tree, limits, faults);
            }
        };
        if let Some((_, id)) = id {
            let path = Path::Key(&path, "id");
            let text = Place { tree: id, path: &path }.text(faults);
            self.add(text, id.position, tree, limits, faults);
        } else {
            faults.add(&path, tree.position, || "has no id, which a node in a list must have".to_owned());
            self.add(None, tree.position, tree, limits, faults);
        }
    }

    /// Adds the next node.
    fn add(
        &mut self,
        name: Option<&'t str>,
        position: Position,
        tree: &'t Tree<'t>,
        limits: &Limits,
        faults: &mut Faults,
    ) {
        let number = self.nodes.len();
        self.nodes.push(Declared { name, position, tree, size: Size::Plain });
        self.nodes[number].size = self.with_path(number, |path| size(Place { tree, path }, limits, faults));
        let Some(name) = name else { return };
        let node = self.number(number);
        let earlier = self.by_name.get(name).copied();
        match earlier {
            Some(earlier) => self.with_path(number, |path| {
                let message = || format!("the id {} is that of nodes[{earlier}] already", quote(name));
                faults.add(&Path::Key(path, "id"), position, message);
            }),
            None => {
                self.by_name.insert(name, node);
            }
        }
    }

    fn check_instances(&self, place: Place<'_, '_>, limits: &Limits, faults: &mut Faults) {
        let count = |node: &Declared<'_>| match node.size {
            Size::Array(count) => u64::from(count),
            Size::Plain | Size::Unclear => 1,
        };
        let (sum, limit) = (self.nodes.iter().map(count).sum::<u64>(), limits.instances());
        if sum > limit {
            place.fault(faults, || format!("have {sum} instances in all; a graph has at most {limit}"));
        }
    }
}

/// Reads `array` of a node.
fn size(node: Place<'_, '_>, limits: &Limits, faults: &mut Faults) -> Size {
    let Value::Map(entries) = &node.tree.value else { return Size::Plain };
    let Some((_, tree)) = entries.iter().find(|(key, _)| key.text == "array") else { return Size::Plain };
    let most = u32::try_from(limits.instances()).unwrap_or(u32::MAX);
    let path = Path::Key(node.path, "array");
    let count = Fields::read(Place { tree, path: &path }, &["count"], faults)
        .and_then(|fields| fields.required("count", faults, |place, faults| place.whole_number(1..=most, faults)));
    count.map_or(Size::Unclear, Size::Array)
}
