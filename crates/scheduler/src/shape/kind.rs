//! What many nodes have in common, kept once.

use std::collections::BTreeMap;

use antfarm_model::{Name, Node, Span, WallTime};

/// What a node has beside its name, its arguments and its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// The position of its tool among those of the graph.
    pub(super) tool: u32,
    pub(super) deadline: Option<WallTime>,
    pub(super) not_before: Option<WallTime>,
    pub(super) timeout: Option<Span>,
    pub(super) retries: Option<u32>,
    pub(super) pin: Option<Name>,
    pub(super) array: Option<u32>,
}

impl Kind {
    pub(super) fn new(tool: u32, node: &Node) -> Self {
        Self {
            tool,
            deadline: node.deadline,
            not_before: node.not_before,
            timeout: node.timeout,
            retries: node.retries,
            pin: node.pin.clone(),
            array: node.array,
        }
    }
}

/// The different ones among many values, each with the number of its first place among them.
#[derive(Debug)]
pub(super) struct Distinct<T> {
    numbers: BTreeMap<T, u32>,
    values: Vec<T>,
}

impl<T: Ord + Clone> Distinct<T> {
    pub(super) fn new() -> Self {
        Self { numbers: BTreeMap::new(), values: Vec::new() }
    }

    /// The number of a value, which is new or was there before.
    pub(super) fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).expect("a graph has fewer nodes and references");
        self.numbers.insert(value.clone(), number);
        self.values.push(value);
        number
    }

    /// The values by their numbers.
    pub(super) fn into_values(self) -> Vec<T> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number() {
        let mut distinct = Distinct::new();
        let numbers = ["b", "a", "b", "c", "a"].map(|value| distinct.number(value));
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!(distinct.into_values(), ["b", "a", "c"]);
    }
}
