//! Random numbers that can be had again.

/// Numbers that follow from a seed and a name (splitmix64, by Steele, Lea and Flood).
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of one target; its name keeps them apart from those of others.
    pub(crate) fn named(seed: u64, name: &str) -> Self {
        Self(name.bytes().fold(seed, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64).max(1)).expect("it is less than a usize")
    }

    /// True once in `times`, on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub(crate) fn one_of<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())]
    }

    /// A range within `0..length`, which may be empty, and is short more often than long.
    pub(crate) fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.once_in(4) { length } else { 16 };
        start..(start + self.below(most + 1)).min(length)
    }
}
