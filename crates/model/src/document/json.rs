//! JSON (RFC 8259), strictly, into a [`Tree`].

use std::borrow::Cow;

use super::bounds::{self, Bounds};
use super::faults::Faults;
use super::path::Path;
use super::read::{Reading, Stop};
use super::{Key, Position, Tree, Value, duplicates, json_string};

/// Reads a text that is one JSON value.
pub(super) fn read(text: &str, mut bounds: Bounds) -> Result<Reading<'_>, Stop> {
    let mut faults = Faults::default();
    let tree = read_value(text, &Path::Root, 0, 1, &mut bounds, &mut faults)?;
    Ok(Reading { tree, faults, is_sound: true })
}

/// Reads a text that is one JSON value and a part of a document: at `path`, `depth` levels deep, on line `line`.
pub(super) fn read_value<'a>(
    text: &'a str,
    path: &Path<'_>,
    depth: usize,
    line: usize,
    bounds: &mut Bounds,
    faults: &mut Faults,
) -> Result<Tree<'a>, Stop> {
    let mut reader = Reader { text, at: 0, line, line_start: 0, wide: 0, bounds, faults };
    let tree = reader.value(path, depth)?;
    reader.skip_space();
    if reader.at < text.len() { Err(reader.unexpected("the end of the document")) } else { Ok(tree) }
}

struct Reader<'a, 'r> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    /// Bytes of this line that only continue a character.
    wide: usize,
    bounds: &'r mut Bounds,
    faults: &'r mut Faults,
}

impl<'a> Reader<'a, '_> {
    fn value(&mut self, path: &Path<'_>, depth: usize) -> Result<Tree<'a>, Stop> {
        self.skip_space();
        let position = self.position();
        self.bounds.count(depth, position).map_err(Stop::Bound)?;
        let value = match self.next() {
            Some(b'{') => self.map(path, depth)?,
            Some(b'[') => self.list(path, depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(Cow::Borrowed(self.number()?)),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Tree { value, position })
    }

    fn map(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Stop> {
        self.at += 1;
        let mut entries = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Map(entries));
        }
        loop {
            self.skip_space();
            let position = self.position();
            if self.next() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = Key { text: self.string()?, position };
            self.skip_space();
            if !self.take(b':') {
                return Err(self.unexpected("':' after the key"));
            }
            let value = self.value(&Path::Key(path, &key.text), depth + 1)?;
            entries.push((key, value));
            self.skip_space();
            if self.take(b'}') {
                break;
            }
            if !self.take(b',') {
                return Err(self.unexpected("',' or '}'"));
            }
        }
        duplicates::remove(&mut entries, path, self.faults);
        Ok(Value::Map(entries))
    }

    fn list(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Stop> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(&Path::Index(path, items.len()), depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("',' or ']'"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Stop> {
        let (string, end) = json_string::read(self.text, self.at).map_err(|wrong| {
            self.advance(wrong.at);
            self.syntax(wrong.message)
        })?;
        self.advance(end);
        Ok(string)
    }

    fn number(&mut self) -> Result<&'a str, Stop> {
        let start = self.at;
        let read = json_string::number(self.text, start);
        self.at = *read.as_ref().unwrap_or_else(|wrong| &wrong.at);
        match read {
            Ok(end) => Ok(&self.text[start..end]),
            Err(wrong) => Err(self.syntax(wrong.message)),
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Stop> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.next() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                    self.wide = 0;
                }
                _ => break,
            }
        }
    }

    /// Moves on within a line, counting characters.
    fn advance(&mut self, end: usize) {
        let passed = &self.text.as_bytes()[self.at..end];
        self.wide += passed.iter().filter(|byte| *byte & 0xC0 == 0x80).count();
        self.at = end;
    }

    fn position(&self) -> Position {
        bounds::position(self.line, self.at - self.line_start - self.wide + 1)
    }

    fn unexpected(&self, expected: &str) -> Stop {
        match self.text[self.at..].chars().next() {
            Some(found) => self.syntax(&format!("expected {expected}, found {found:?}")),
            None => self.syntax(&format!("expected {expected}, but the document ends here")),
        }
    }

    fn syntax(&self, message: &str) -> Stop {
        Stop::Syntax(bounds::at(self.position(), format!("no valid JSON: {message}")))
    }
}
