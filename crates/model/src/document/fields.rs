//! A map whose keys are the fields of a type.

use super::faults::Faults;
use super::path::Path;
use super::place::Place;
use super::quote::quote;
use super::{Key, Tree, Value, suggestion};

/// The fields of a map. All keys are known ones; the others were faults.
pub(super) struct Fields<'t, 'p> {
    place: Place<'t, 'p>,
    entries: &'t [(Key<'t>, Tree<'t>)],
}

impl<'t, 'p> Fields<'t, 'p> {
    /// Reads a map that has no other keys than `known`.
    pub(super) fn read(place: Place<'t, 'p>, known: &[&str], faults: &mut Faults) -> Option<Self> {
        let Value::Map(entries) = &place.tree.value else {
            place.wrong_type(faults, &format!("a map with {}", known.join(", ")));
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&&*key.text)) {
            faults.add(&Path::Key(place.path, &key.text), key.position, || {
                let suggestion = suggestion::ending(&key.text, known.iter().copied());
                let ending =
                    if suggestion.is_empty() { format!("; known are {}", known.join(", ")) } else { suggestion };
                format!("no such field as {}{ending}", quote(&key.text))
            });
        }
        Some(Self { place, entries })
    }

    /// Reads a field that may be absent.
    pub(super) fn optional<T>(
        &self,
        field: &str,
        faults: &mut Faults,
        read: impl FnOnce(Place<'t, '_>, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        let (_, tree) = self.entries.iter().find(|(key, _)| key.text == field)?;
        read(Place { tree, path: &Path::Key(self.place.path, field) }, faults)
    }

    /// Reads a field that must be there.
    pub(super) fn required<T>(
        &self,
        field: &str,
        faults: &mut Faults,
        read: impl FnOnce(Place<'t, '_>, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        if !self.entries.iter().any(|(key, _)| key.text == field) {
            self.place.fault(faults, || format!("has no {field}, which it must have"));
        }
        self.optional(field, faults, read)
    }
}
