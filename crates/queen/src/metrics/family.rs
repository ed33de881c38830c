//! Counters that differ by one label.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A counter for each value of a label.
#[derive(Debug, Default)]
pub(super) struct Family(Mutex<BTreeMap<&'static str, u64>>);

impl Family {
    pub(super) fn add(&self, label: &'static str, number: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(label).or_default() += number;
    }

    pub(super) fn values(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
