//! A document in JSON or YAML, whichever it is.

use crate::{Fault, Limits};

use super::bounds::{self, Bounds};
use super::faults::Faults;
use super::{Tree, json, yaml};

/// A document that was read to its end.
pub(super) struct Reading<'a> {
    /// The tree. With duplicate keys, the first ones are in it.
    pub(super) tree: Tree<'a>,
    /// What is wrong with the text.
    pub(super) faults: Faults,
    /// Whether the tree says what its author meant, so that it is worth checking.
    pub(super) is_sound: bool,
}

/// Why a document could not be read to its end.
pub(super) enum Stop {
    /// The text is not in the language.
    Syntax(Fault),
    /// The text is too large.
    Bound(Fault),
}

impl Stop {
    pub(super) fn into_fault(self) -> Fault {
        match self {
            Self::Syntax(fault) | Self::Bound(fault) => fault,
        }
    }
}

/// Reads a JSON or YAML document.
///
/// JSON is RFC 8259; YAML is 1.2 with its core schema: one document, without anchors, aliases, tags and directives, and
/// only with numbers that JSON has too. The faults are those of the text: syntax, duplicate keys, bounds.
pub fn parse<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Tree<'a>, Vec<Fault>> {
    let reading = read(bytes, limits).map_err(|fault| vec![fault])?;
    if reading.faults.is_empty() { Ok(reading.tree) } else { Err(reading.faults.finish()) }
}

pub(super) fn read<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Reading<'a>, Fault> {
    let text = bounds::text(bytes, limits)?;
    if !text.trim_ascii_start().starts_with(['{', '[']) {
        return yaml::read(text, Bounds::new(limits)).map_err(Stop::into_fault);
    }
    match json::read(text, Bounds::new(limits)) {
        Ok(reading) => Ok(reading),
        Err(Stop::Bound(fault)) => Err(fault),
        // A flow mapping of YAML begins like a JSON object; what is no JSON may be that.
        Err(Stop::Syntax(fault)) => yaml::read(text, Bounds::new(limits)).map_err(|stop| match stop {
            Stop::Syntax(_) if means_json(text) => fault,
            Stop::Syntax(fault) | Stop::Bound(fault) => fault,
        }),
    }
}

/// Whether a text that begins with a bracket goes on as JSON does: a quoted key or another bracket.
fn means_json(text: &str) -> bool {
    text.trim_ascii_start()[1..].trim_ascii_start().starts_with(['"', '{', '}', '[', ']'])
}
