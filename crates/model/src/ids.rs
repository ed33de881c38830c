//! Names for people and dense numbers for machines.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// A submission, numbered in the order in which it was accepted. Never used twice.
    GraphNo(u64)
);
number!(
    /// The position of a node in its graph, from 0.
    NodeNo(u32)
);
number!(
    /// A forager's name, numbered in the order of first registration: the registry order.
    ForagerNo(u32)
);
number!(
    /// A tool's name, numbered in the order in which it was first heard of.
    ToolNo(u32)
);
number!(
    /// One registration of a forager. Never used twice in a cluster; rises.
    Incarnation(u64)
);
number!(
    /// The Raft term, when it is given to foragers; the generation stands in the upper 16 bits.
    Epoch(u64)
);
number!(
    /// The log index of the entry that made an assignment; rises for every instance. The generation stands in the upper 16 bits.
    Fence(u64)
);
number!(
    /// The position of an entry in the Raft log.
    LogIndex(u64)
);
number!(
    /// The id of a member of the Raft configuration. Never used twice in a cluster.
    MemberId(u64)
);

/// A name that people give: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(Arc<str>);

/// Why a text is no [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The text is empty.
    #[error("a name must not be empty")]
    Empty,
    /// The text has more than 128 characters.
    #[error("a name has at most 128 characters; this one has {0}")]
    TooLong(usize),
    /// The first character is no letter or digit.
    #[error("a name begins with a letter or a digit (A-Z, a-z, 0-9), not with {0:?}")]
    BadStart(char),
    /// A later character is not allowed.
    #[error("a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; {0:?} is none of them")]
    BadCharacter(char),
}

impl Name {
    /// The longest name, in characters.
    pub const MAX_LENGTH: usize = 128;

    /// Checks a text.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let first = text.chars().next().ok_or(InvalidName::Empty)?;
        if !first.is_ascii_alphanumeric() {
            return Err(InvalidName::BadStart(first));
        }
        if let Some(bad) = text.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-')) {
            return Err(InvalidName::BadCharacter(bad));
        }
        if text.len() > Self::MAX_LENGTH {
            return Err(InvalidName::TooLong(text.len()));
        }
        Ok(Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl std::str::FromStr for Name {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::new(text)
    }
}

impl TryFrom<String> for Name {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        Self::new(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.as_ref().into()
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}
