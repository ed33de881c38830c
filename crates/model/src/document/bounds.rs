//! How much of a document is read: bytes, values and depth.

use crate::{Fault, Limits};

use super::{Position, faults};

/// Levels of lists and maps inside each other.
pub const MAX_DEPTH: usize = 64;

/// Values (keys apart) of a document for each node that a graph may have.
pub const VALUES_PER_NODE: u64 = 8;

/// Counts the values of a document against its bounds.
pub(super) struct Bounds {
    values: u64,
    max_values: u64,
}

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { values: 0, max_values: u64::from(limits.nodes) * VALUES_PER_NODE }
    }

    /// Counts one value that has `depth` lists and maps around it.
    pub(super) fn count(&mut self, depth: usize, position: Position) -> Result<(), Fault> {
        self.values += 1;
        if depth > MAX_DEPTH {
            return Err(too_deep(position));
        }
        if self.values > self.max_values {
            let message = format!("the document has more than {} values; divide it", self.max_values);
            return Err(at(position, message));
        }
        Ok(())
    }
}

/// The fault of a value with more than [`MAX_DEPTH`] lists and maps around it.
pub(super) fn too_deep(position: Position) -> Fault {
    at(position, format!("lists and maps stand inside each other more than {MAX_DEPTH} deep; flatten the document"))
}

/// The bytes as text without a byte order mark, if they are few enough and UTF-8.
pub(super) fn text<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Fault> {
    if bytes.len() as u64 > limits.graph_bytes {
        let (length, limit) = (bytes.len(), limits.graph_bytes);
        return Err(faults::whole(format!("the document has {length} bytes; at most {limit} are accepted")));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(fault) => {
            let before = String::from_utf8_lossy(&bytes[..fault.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
            let message = format!("the document is not UTF-8: byte {:#04x} stands here", bytes[fault.valid_up_to()]);
            Err(at(position(line, column), message))
        }
    }
}

/// A fault of the text, not of a value in it.
pub(super) fn at(position: Position, message: String) -> Fault {
    Fault { position: Some(position), ..faults::whole(message) }
}

/// Line and column, both from 1. A document is never so long that they do not fit, unless its limits say so.
pub(super) fn position(line: usize, column: usize) -> Position {
    let fit = |number| u32::try_from(number).unwrap_or(u32::MAX);
    (fit(line), fit(column))
}
