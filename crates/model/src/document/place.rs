//! A value at its place, read as one of the types that documents have.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::faults::Faults;
use super::path::Path;
use super::quote::quote;
use super::{Tree, Value, suggestion};

/// A value and its path. Each reader gives the value, or nothing and a fault.
#[derive(Clone, Copy)]
pub(super) struct Place<'t, 'p> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) path: &'p Path<'p>,
}

impl<'t> Place<'t, '_> {
    pub(super) fn fault(self, faults: &mut Faults, message: impl FnOnce() -> String) {
        faults.add(self.path, self.tree.position, message);
    }

    /// A string.
    pub(super) fn text(self, faults: &mut Faults) -> Option<&'t str> {
        match &self.tree.value {
            Value::String(text) => return Some(text),
            Value::Null => {
                self.fault(faults, || "must be a string, not null; an optional field is left out".to_owned());
            }
            Value::Number(text) => self.fault(faults, || format!("must be a string; put it in quotes: \"{text:.64}\"")),
            Value::Bool(_) | Value::List(_) | Value::Map(_) => self.wrong_type(faults, "a string"),
        }
        None
    }

    /// A whole number within a range.
    pub(super) fn whole_number(self, range: RangeInclusive<u32>, faults: &mut Faults) -> Option<u32> {
        let Value::Number(text) = &self.tree.value else {
            self.wrong_type(faults, "a whole number");
            return None;
        };
        let number = text.parse().ok().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = (range.start(), range.end());
            self.fault(faults, || format!("must be a whole number from {least} to {most}, not {text:.64}"));
        }
        number
    }

    /// One of a few words.
    pub(super) fn one_of<T: Copy>(self, words: &[(&str, T)], faults: &mut Faults) -> Option<T> {
        let text = self.text(faults)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let known = || words.iter().map(|(word, _)| *word);
            let list: Vec<_> = known().collect();
            let suggestion = suggestion::ending(text, known());
            self.fault(faults, || format!("must be one of {}, not {}{suggestion}", list.join(", "), quote(text)));
        }
        found
    }

    pub(super) fn wrong_type(self, faults: &mut Faults, expected: &str) {
        self.fault(faults, || format!("must be {expected}, not {}", self.tree.value.kind()));
    }
}

/// Bytes of a text that has a form of its own: a name, a time, a length of time.
const LONGEST_TEXT: usize = 256;

/// Reads a string that has a form of its own.
pub(super) fn parsed<T: FromStr<Err: Display>>(place: Place<'_, '_>, faults: &mut Faults) -> Option<T> {
    let text = place.text(faults)?;
    if text.len() > LONGEST_TEXT {
        place.fault(faults, || format!("must have at most {LONGEST_TEXT} bytes, not {}", text.len()));
        return None;
    }
    text.parse().map_err(|why: T::Err| place.fault(faults, || why.to_string())).ok()
}
