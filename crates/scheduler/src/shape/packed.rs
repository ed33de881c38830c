//! Dependencies and references in few bytes, since a graph may have millions.

use std::num::NonZeroU32;

use antfarm_model::{Dependency, NodeNo};

/// One instance of a node, or all of them, in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Which(Option<NonZeroU32>);

impl Which {
    /// All instances; it stands before every single one.
    pub(super) const ALL: Self = Self(None);

    /// The index; none, if it is all of them.
    pub(super) fn index(self) -> Option<u32> {
        self.0.map(|above| above.get() - 1)
    }
}

impl From<Option<u32>> for Which {
    /// A graph has at most 2²⁸ instances, so that there is a number above each index.
    fn from(index: Option<u32>) -> Self {
        Self(index.map(|index| NonZeroU32::MIN.saturating_add(index)))
    }
}

/// A [`Dependency`] in eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedDependency {
    node: NodeNo,
    which: Which,
}

impl From<Dependency> for PackedDependency {
    fn from(of: Dependency) -> Self {
        Self { node: of.node, which: of.index.into() }
    }
}

impl From<PackedDependency> for Dependency {
    fn from(of: PackedDependency) -> Self {
        Self { node: of.node, index: of.which.index() }
    }
}

/// A [`Reference`](antfarm_model::Reference) in sixteen bytes; its pointer stands in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedReference {
    pub(super) at: u32,
    pub(super) of: PackedDependency,
    /// The row in the table of pointers.
    pub(super) pointer: Which,
}

/// A node that waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Successor {
    /// What it waits for.
    pub(super) which: Which,
    /// The node that waits.
    pub(crate) node: NodeNo,
    /// Whether it needs the result, or only the order.
    pub(crate) needs_result: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_small_and_comes_out_the_same() {
        for index in [None, Some(0), Some(7), Some(antfarm_model::Graph::MAX_INSTANCES - 1)] {
            let of = Dependency { node: NodeNo(3), index };
            assert_eq!(Dependency::from(PackedDependency::from(of)), of);
        }
        assert!(Which::ALL < Which::from(Some(0)) && Which::from(Some(0)) < Which::from(Some(1)));
        let sizes = (size_of::<PackedDependency>(), size_of::<PackedReference>(), size_of::<Successor>());
        assert_eq!(sizes, (8, 16, 12));
    }
}
