//! JSON pointers (RFC 6901) into JSON text, without a tree of values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Steps that a pointer may have.
pub const MAX_STEPS: usize = 64;

/// Why a text is no pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPointer {
    /// A pointer that is not empty begins with a slash.
    #[error("a JSON pointer begins with '/', as in /rows/0")]
    NoSlash,
    /// A tilde is not followed by 0 or 1.
    #[error("in a JSON pointer '~' stands only in '~0' (for '~') and '~1' (for '/')")]
    BadEscape,
    /// More than [`MAX_STEPS`] steps.
    #[error("a JSON pointer has at most {MAX_STEPS} steps")]
    TooLong,
}

/// Checks the form of a pointer.
pub fn check(pointer: &str) -> Result<(), InvalidPointer> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(InvalidPointer::NoSlash);
    }
    if pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1'])) {
        return Err(InvalidPointer::BadEscape);
    }
    if pointer.split('/').skip(1).count() > MAX_STEPS { Err(InvalidPointer::TooLong) } else { Ok(()) }
}

/// The part of a JSON text that a pointer names, as it stands there; nothing if there is none, or if the text is no JSON.
///
/// Of equal keys in one object the last counts, as most readers of JSON have it. Takes time linear in the text.
pub fn find<'a>(json: &'a str, pointer: &str) -> Option<&'a str> {
    if pointer.is_empty() {
        return Some(json.trim_ascii());
    }
    check(pointer).ok()?;
    let mut reader = serde_json::Deserializer::from_str(json);
    let found = Steps(&pointer[1..]).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    found.map(RawValue::get)
}

/// Divides a non-empty pointer into its first step, unescaped, and the pointer of the rest.
pub(crate) fn split_first(pointer: &str) -> Option<(Cow<'_, str>, &str)> {
    let steps = pointer.strip_prefix('/')?;
    let end = steps.find('/').unwrap_or(steps.len());
    Some((unescape(&steps[..end]), &steps[end..]))
}

/// An index as RFC 6901 writes it: decimal, without leading zeros.
pub(crate) fn index(step: &str) -> Option<usize> {
    let canonical = step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
    step.parse().ok().filter(|_| canonical)
}

fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') { Cow::Owned(step.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(step) }
}

/// The steps still to go, at least one, without the first slash.
struct Steps<'p>(&'p str);

impl Steps<'_> {
    fn first(&self) -> (Cow<'_, str>, Option<Self>) {
        match self.0.split_once('/') {
            Some((first, rest)) => (unescape(first), Some(Self(rest))),
            None => (unescape(self.0), None),
        }
    }
}

/// What a step leads to: the value itself, or a value to step into.
struct Rest<'p>(Option<Steps<'p>>);

impl<'de> DeserializeSeed<'de> for Rest<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            Some(steps) => steps.deserialize(deserializer),
            None => serde::Deserialize::deserialize(deserializer).map(Some),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Steps<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Steps<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (wanted, _) = self.first();
        let mut found = None;
        while let Some(key) = map.next_key_seed(Key)? {
            if key == wanted {
                found = map.next_value_seed(Rest(self.first().1))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (step, rest) = self.first();
        let mut found = None;
        if let Some(wanted) = index(&step) {
            for _ in 0..wanted {
                if list.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(None);
                }
            }
            found = list.next_element_seed(Rest(rest))?.flatten();
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// A key of an object, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_hold() {
        let json = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#;
        let cases = [
            ("", Some(json)),
            ("/foo", Some(r#"["bar", "baz"]"#)),
            ("/foo/0", Some(r#""bar""#)),
            ("/", Some("0")),
            ("/a~1b", Some("1")),
            ("/c%d", Some("2")),
            ("/e^f", Some("3")),
            ("/g|h", Some("4")),
            ("/i\\j", Some("5")),
            ("/k\"l", Some("6")),
            ("/ ", Some("7")),
            ("/m~0n", Some("8")),
            ("/foo/2", None),
            ("/foo/-", None),
            ("/foo/00", None),
            ("/foo/0/x", None),
            ("/bar", None),
            ("foo", None),
        ];
        for (pointer, part) in cases {
            assert_eq!(find(json, pointer), part, "{pointer}");
        }
    }

    #[test]
    fn escapes_are_undone_once() {
        assert_eq!(find(r#"{"~1": 1, "/": 2}"#, "/~01"), Some("1"));
        assert_eq!(find(r#"{"~1": 1, "/": 2}"#, "/~1"), Some("2"));
    }

    #[test]
    fn a_part_keeps_its_text() {
        let json = r#" {"x": {"n": 123456789012345678901234567890.10, "big": 1e999}} "#;
        assert_eq!(find(json, "/x/n"), Some("123456789012345678901234567890.10"));
        assert_eq!(find(json, "/x/big"), Some("1e999"));
        assert_eq!(find(json, ""), Some(json.trim()));
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        assert_eq!(find(r#"{"a": {"b": 1}, "a": 2}"#, "/a"), Some("2"));
        assert_eq!(find(r#"{"a": {"b": 1}, "a": 2}"#, "/a/b"), None);
    }

    #[test]
    fn broken_json_has_no_parts() {
        for json in ["", "{", r#"{"a": 1"#, r#"{"a": 1} x"#, "[1,]"] {
            assert_eq!(find(json, "/a"), None, "{json}");
            assert_eq!(find(json, "/0"), None, "{json}");
        }
    }

    #[test]
    fn a_deep_value_is_found_without_recursion() {
        let json = format!(r#"{{"a": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(find(&json, "/a").map(str::len), Some(200_000));
        assert_eq!(find(&json, "/b"), None);
    }

    #[test]
    fn the_form_is_checked() {
        assert_eq!(check(""), Ok(()));
        assert_eq!(check("/a~0b/~1"), Ok(()));
        assert_eq!(check("a"), Err(InvalidPointer::NoSlash));
        assert_eq!(check("/a~"), Err(InvalidPointer::BadEscape));
        assert_eq!(check("/a~2"), Err(InvalidPointer::BadEscape));
        assert_eq!(check(&"/a".repeat(65)), Err(InvalidPointer::TooLong));
    }
}
