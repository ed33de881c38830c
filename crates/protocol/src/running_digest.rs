//! A digest of a set of attempts that follows the set one by one.

use crate::attempt::AttemptRef;

/// A digest of a set of attempts. It does not depend on the order; two ends that disagree about the set notice, though not
/// on purpose: it is no protection against forgery.
///
/// The exclusive or of one number for each attempt: the fields `graph`, `node`, `index`, `fence` in this order, each added
/// to the state, which starts at 0 and is mixed after each by the finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunningDigest(u64);

impl RunningDigest {
    /// Adds an attempt that was not in the set, or takes out one that was.
    pub fn toggle(&mut self, attempt: &AttemptRef) {
        let fields = [attempt.graph.0, u64::from(attempt.node.0), u64::from(attempt.index), attempt.fence.0];
        self.0 ^= fields.into_iter().fold(0, |state: u64, field| mix(state.wrapping_add(field)));
    }

    /// The digest as it is sent.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl<'a> FromIterator<&'a AttemptRef> for RunningDigest {
    fn from_iter<I: IntoIterator<Item = &'a AttemptRef>>(attempts: I) -> Self {
        let mut digest = Self::default();
        attempts.into_iter().for_each(|attempt| digest.toggle(attempt));
        digest
    }
}

const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
