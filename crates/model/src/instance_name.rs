//! What people call a node or one instance of an array node: `fan`, `fan[3]`.

use std::fmt;
use std::str::FromStr;

use crate::{InvalidName, Name};

/// The name of a node, or of one instance of an array node. Written `fan` or `fan[3]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceName {
    /// The node.
    pub node: Name,
    /// The instance; the whole node, if none.
    pub index: Option<u32>,
}

/// Why a text is no [`InstanceName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInstanceName {
    /// The part before the index is no name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// What follows the name is no index.
    #[error(
        "an index is a whole number in brackets after the name, without leading zeros and below 4294967296, such as fan[3]"
    )]
    Index,
}

impl FromStr for InstanceName {
    type Err = InvalidInstanceName;

    fn from_str(text: &str) -> Result<Self, InvalidInstanceName> {
        let Some((node, rest)) = text.split_once('[') else {
            return Ok(Self { node: Name::new(text)?, index: None });
        };
        let digits = rest.strip_suffix(']').ok_or(InvalidInstanceName::Index)?;
        let canonical = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let index = digits.parse().ok().filter(|_| canonical).ok_or(InvalidInstanceName::Index)?;
        Ok(Self { node: Name::new(node)?, index: Some(index) })
    }
}

impl fmt::Display for InstanceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}[{index}]", self.node),
            None => self.node.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_it_was_read() {
        for (text, index) in [("fan", None), ("fan[0]", Some(0)), ("a.b-c[4294967295]", Some(u32::MAX))] {
            let name: InstanceName = text.parse().expect("a valid name");
            assert_eq!(name.index, index);
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn an_index_has_one_form() {
        for text in
            ["fan[]", "fan[03]", "fan[+3]", "fan[-1]", "fan[4294967296]", "fan[3", "fan[3]x", "fan[3][4]", "fan[٣]"]
        {
            assert_eq!(text.parse::<InstanceName>(), Err(InvalidInstanceName::Index), "{text}");
        }
        for text in ["", "[3]", "fan]", "fan 3"] {
            assert!(matches!(text.parse::<InstanceName>(), Err(InvalidInstanceName::Name(_))), "{text}");
        }
    }
}
