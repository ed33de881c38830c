//! Arguments of a document become canonical JSON with the places of their references.

use crate::document::faults::Faults;
use crate::document::path::Path;
use crate::document::place::Place;
use crate::document::{Key, Tree, Value, json_string};
use crate::{Args, Reference};

use super::reference::Reader;

const REFERENCE_KEY: &str = "$ref";

/// Writes the arguments of one node.
pub(super) struct ArgsCompiler<'c, 't, 'p> {
    json: String,
    references: Vec<Reference>,
    reader: Reader<'c, 't, 'p>,
    faults: &'c mut Faults,
}

impl<'c, 't, 'p> ArgsCompiler<'c, 't, 'p> {
    pub(super) fn compile(place: Place<'_, '_>, reader: Reader<'c, 't, 'p>, faults: &'c mut Faults) -> Args {
        let mut compiler = Self { json: String::new(), references: Vec::new(), reader, faults };
        compiler.value(place);
        Args { json: compiler.json.into(), references: compiler.references }
    }

    fn value(&mut self, place: Place<'_, '_>) {
        match &place.tree.value {
            Value::Null => self.json.push_str("null"),
            Value::Bool(true) => self.json.push_str("true"),
            Value::Bool(false) => self.json.push_str("false"),
            Value::Number(text) => self.json.push_str(text),
            Value::String(text) => json_string::write(&mut self.json, text),
            Value::List(items) => self.list(items, place.path),
            Value::Map(entries) => match entries.iter().find(|(key, _)| key.text == REFERENCE_KEY) {
                Some((_, target)) => self.reference(target, entries.len(), place),
                None => self.map(entries, place.path),
            },
        }
    }

    fn list(&mut self, items: &[Tree<'_>], path: &Path<'_>) {
        self.json.push('[');
        for (index, tree) in items.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            self.value(Place { tree, path: &Path::Index(path, index) });
        }
        self.json.push(']');
    }

    fn map(&mut self, entries: &[(Key<'_>, Tree<'_>)], path: &Path<'_>) {
        self.json.push('{');
        for (index, (key, tree)) in entries.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            json_string::write(&mut self.json, &key.text);
            self.json.push(':');
            self.value(Place { tree, path: &Path::Key(path, &key.text) });
        }
        self.json.push('}');
    }

    /// Writes the placeholder of a reference, `{"$ref": "…"}` alone in its map.
    fn reference(&mut self, target: &Tree<'_>, keys: usize, place: Place<'_, '_>) {
        let at = self.json.len();
        self.json.push_str(Reference::PLACEHOLDER);
        if keys > 1 {
            place.fault(self.faults, || {
                format!("a reference has no key but {REFERENCE_KEY}; move the others out of it")
            });
        }
        let path = Path::Key(place.path, REFERENCE_KEY);
        let target = Place { tree: target, path: &path };
        let Some(text) = target.text(self.faults) else { return };
        let Some((of, pointer)) = self.reader.reference(target, text, self.faults) else { return };
        // Arguments of more than 4 GiB are refused as too large for a node, whatever their references are.
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.references.push(Reference { at, of, pointer });
    }
}
