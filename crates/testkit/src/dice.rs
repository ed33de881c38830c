//! Random numbers that can be had again.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

/// The seed of this test process: `ANTFARM_SEED`, else a random one. A wait that fails prints it.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("ANTFARM_SEED") {
        Ok(text) => text.parse().expect("ANTFARM_SEED is a number"),
        Err(_) => RandomState::new().hash_one("seed"),
    })
}

/// Numbers that follow from the seed and a name (splitmix64, by Steele, Lea and Flood).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one test; its name keeps them apart from those of others.
    pub fn named(name: &str) -> Self {
        println!("{name}: ANTFARM_SEED={}", seed());
        let mixed =
            name.bytes().fold(seed(), |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Self(mixed)
    }

    /// Dice for what no test depends on.
    pub(crate) fn silent() -> Self {
        Self(RandomState::new().hash_one("silent"))
    }

    /// A number in the range, which is not empty.
    pub fn in_range(&mut self, range: Range<usize>) -> usize {
        let width = (range.end - range.start) as u64;
        range.start + usize::try_from(self.next() % width).expect("it is less than the width of the range")
    }

    /// That many different numbers in the range, in rising order.
    pub fn several_in_range(&mut self, how_many: usize, range: Range<usize>) -> Vec<usize> {
        let mut drawn = std::collections::BTreeSet::new();
        assert!(range.len() >= how_many, "there are not so many numbers in the range");
        while drawn.len() < how_many {
            drawn.insert(self.in_range(range.clone()));
        }
        drawn.into_iter().collect()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
