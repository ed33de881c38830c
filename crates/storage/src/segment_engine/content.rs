//! What a record says.

use crate::change::Change;
use crate::engine::Fact;

/// One step of the log. Kinds are only ever added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// The first record of every segment: where the log begins, if it has begun, and the index that comes next. With the
    /// vote and the facts, which follow it, a segment can do without the former ones.
    Resume { start: Option<u64>, next: u64 },
    /// The next record of the log. The first one ever also says where the log begins.
    Append { index: u64, payload: &'a [u8] },
    /// The records from here on are gone.
    Truncate { next: u64 },
    /// The log begins here.
    Purge { start: u64 },
    /// The vote.
    Vote(&'a [u8]),
    /// A fact.
    Fact(Fact, &'a [u8]),
}

const RESUME: u8 = 1;
const APPEND: u8 = 2;
const TRUNCATE: u8 = 3;
const PURGE: u8 = 4;
const VOTE: u8 = 5;
const FACT: u8 = 6;

impl<'a> Content<'a> {
    /// Gives kind and content to `put`.
    pub(super) fn encode<T>(&self, put: impl FnOnce(u8, &[&[u8]]) -> T) -> T {
        match self {
            Self::Resume { start, next } => {
                let begun = [u8::from(start.is_some())];
                put(RESUME, &[&begun, &start.unwrap_or(0).to_le_bytes(), &next.to_le_bytes()])
            }
            Self::Append { index, payload } => put(APPEND, &[&index.to_le_bytes(), payload]),
            Self::Truncate { next } => put(TRUNCATE, &[&next.to_le_bytes()]),
            Self::Purge { start } => put(PURGE, &[&start.to_le_bytes()]),
            Self::Vote(vote) => put(VOTE, &[vote]),
            Self::Fact(fact, value) => put(FACT, &[&fact.key(), value]),
        }
    }

    /// The content of a record, if this program knows its kind.
    pub(super) fn decode(kind: u8, bytes: &'a [u8]) -> Option<Self> {
        match kind {
            RESUME => {
                let (begun, numbers) = bytes.split_first_chunk::<1>()?;
                let (start, next) = numbers.split_first_chunk()?;
                let start = u64::from_le_bytes(*start);
                let start = match begun {
                    [0] => None,
                    [1] => Some(start),
                    [_] => return None,
                };
                Some(Self::Resume { start, next: number(next)? })
            }
            APPEND => {
                let (index, payload) = bytes.split_first_chunk()?;
                Some(Self::Append { index: u64::from_le_bytes(*index), payload })
            }
            TRUNCATE => Some(Self::Truncate { next: number(bytes)? }),
            PURGE => Some(Self::Purge { start: number(bytes)? }),
            VOTE => Some(Self::Vote(bytes)),
            FACT => {
                let (key, value) = bytes.split_first_chunk()?;
                Some(Self::Fact(Fact::from_key(*key)?, value))
            }
            _ => None,
        }
    }

    /// The steps of a change.
    pub(super) fn of(change: &'a Change) -> impl Iterator<Item = Self> {
        let (records, other) = match change {
            Change::Append { records, .. } => (records.as_slice(), None),
            Change::Truncate(removed) => (&[][..], Some(Self::Truncate { next: removed.first })),
            Change::Purge(start) => (&[][..], Some(Self::Purge { start: *start })),
            Change::Vote(vote) => (&[][..], Some(Self::Vote(vote))),
            Change::Fact(fact, value) => (&[][..], Some(Self::Fact(*fact, value))),
        };
        let appends = records.iter().map(|record| Self::Append { index: record.index, payload: &record.payload });
        appends.chain(other)
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
