//! Names of nodes and instances in a document, resolved against its declarations.

use std::sync::Arc;

use crate::document::faults::Faults;
use crate::document::place::Place;
use crate::document::quote::quote;
use crate::{Dependency, InstanceName, NodeNo, pointer};

use super::declared::{Declarations, Size};

/// Resolves the names that one node uses.
#[derive(Clone, Copy)]
pub(super) struct Reader<'c, 't, 'p> {
    pub(super) declared: &'c Declarations<'t, 'p>,
    /// The node whose dependencies are read.
    pub(super) of: NodeNo,
}

impl Reader<'_, '_, '_> {
    /// Resolves the text of a reference: `fan`, `fan[3]`, `fan#/x`, `fan[3]#/x`.
    pub(super) fn reference(
        self,
        place: Place<'_, '_>,
        text: &str,
        faults: &mut Faults,
    ) -> Option<(Dependency, Option<Arc<str>>)> {
        let (name, pointer) = text.split_once('#').unwrap_or((text, ""));
        let dependency = self.dependency(place, name, faults);
        if let Err(why) = pointer::check(pointer) {
            place.fault(faults, || format!("{}: {why}", quote(text)));
            return None;
        }
        Some((dependency?, (!pointer.is_empty()).then(|| pointer.into())))
    }

    /// Resolves `fan` or `fan[3]`.
    pub(super) fn dependency(self, place: Place<'_, '_>, text: &str, faults: &mut Faults) -> Option<Dependency> {
        // Most names are those of nodes as they stand, and need not be checked once more.
        let (node, index) = match self.declared.find(text) {
            Some(node) => (node, None),
            None => self.parse(place, text, faults)?,
        };
        if node == self.of {
            place.fault(faults, || format!("{} is the node itself, which cannot wait for itself", quote(text)));
            return None;
        }
        match (index, self.declared.nodes[node.0 as usize].size) {
            (Some(_), Size::Plain) => {
                place.fault(faults, || format!("{} is no instance: the node is no array", quote(text)));
                None
            }
            (Some(index), Size::Array(count)) if index >= count => {
                place.fault(faults, || {
                    format!("{} is no instance: the array's last index is {}", quote(text), count - 1)
                });
                None
            }
            _ => Some(Dependency { node, index }),
        }
    }

    fn parse(self, place: Place<'_, '_>, text: &str, faults: &mut Faults) -> Option<(NodeNo, Option<u32>)> {
        let name: InstanceName = match text.parse() {
            Ok(name) => name,
            Err(why) => {
                place.fault(faults, || format!("{} names no node: {why}", quote(text)));
                return None;
            }
        };
        let node = self.declared.find(name.node.as_str());
        if node.is_none() {
            let message = || {
                format!(
                    "no node is named {}{}",
                    quote(name.node.as_str()),
                    self.declared.suggestion(name.node.as_str())
                )
            };
            place.fault(faults, message);
        }
        Some((node?, name.index))
    }
}
