//! The tree of a document: ordered, with positions, borrowed from its text.

use std::borrow::Cow;

/// Line and column of a place in a text, both from 1; columns count characters.
pub type Position = (u32, u32);

/// A value and where it begins. Its depth is at most [`MAX_DEPTH`](super::MAX_DEPTH), so it may be walked recursively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree<'a> {
    /// The value.
    pub value: Value<'a>,
    /// Where it begins.
    pub position: Position,
}

/// What JSON can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as JSON text: digits beyond 2^53 and trailing zeros survive.
    Number(Cow<'a, str>),
    /// A text, without escapes.
    String(Cow<'a, str>),
    /// A list.
    List(Vec<Tree<'a>>),
    /// A map in document order, without duplicate keys.
    Map(Vec<(Key<'a>, Tree<'a>)>),
}

/// A key of a map and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// The key, without escapes.
    pub text: Cow<'a, str>,
    /// Where it begins.
    pub position: Position,
}

impl Value<'_> {
    /// What it is, with its article, as messages say it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}
