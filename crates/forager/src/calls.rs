//! The calls of tools, counted, so that others can tell whether everything that they submitted ran, and once.

use antfarm_model::{GraphNo, NodeNo};

/// How many calls there were, and of which instances, in a number that does not depend on their order.
///
/// Two sets of calls of the same number and digest are the same set: another one with both is as unlikely as to guess a
/// number of 64 bits. It takes no memory, however much a forager runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// How many.
    pub number: u64,
    /// The sum over all calls of a number that an instance has.
    pub digest: u64,
}

impl Calls {
    /// Counts the call of a tool for an instance.
    pub fn note(&mut self, graph: GraphNo, node: NodeNo, index: u32) {
        let instance = mixed(graph.0) ^ (u64::from(node.0) << 32 | u64::from(index));
        self.number += 1;
        self.digest = self.digest.wrapping_add(mixed(instance));
    }

    /// Counts what somebody else has counted.
    pub fn add(&mut self, others: Self) {
        self.number += others.number;
        self.digest = self.digest.wrapping_add(others.digest);
    }
}

/// A bijection after which neighbours have nothing in common: the last steps of SplitMix64 (Steele, Lea and Flood, 2014).
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(of: impl IntoIterator<Item = (u64, u32, u32)>) -> Calls {
        let mut calls = Calls::default();
        of.into_iter().for_each(|(graph, node, index)| calls.note(GraphNo(graph), NodeNo(node), index));
        calls
    }

    #[test]
    fn whoever_makes_a_call_and_when_it_is_the_same() {
        let mut sum = calls([(1, 0, 2), (1, 0, 0)]);
        sum.add(calls([(2, 7, 0), (1, 0, 1)]));
        assert_eq!(sum, calls([(1, 0, 0), (1, 0, 1), (1, 0, 2), (2, 7, 0)]));
    }

    #[test]
    fn one_instance_twice_and_another_never_is_not_each_of_them_once() {
        let each = calls((0..100).map(|index| (1, 0, index)));
        for (twice, never) in [(3, 4), (0, 99), (98, 1)] {
            let other = calls((0..100).map(|index| (1, 0, if index == never { twice } else { index })));
            assert_eq!(other.number, each.number);
            assert_ne!(other.digest, each.digest, "{twice} ran twice, {never} never");
        }
        assert_ne!(calls([(1, 2, 3)]), calls([(1, 3, 2)]));
        assert_ne!(calls([(1, 2, 3)]), calls([(2, 1, 3)]));
    }
}
