//! The path of a value in its document, built on the stack and written only when there is a fault.

use std::fmt;

/// `nodes.fetch.args.url`, `nodes[3].after[0]`; a key that is no plain word is quoted: `args["a b"]`.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    /// The whole document.
    Root,
    /// A value of a map.
    Key(&'p Self, &'p str),
    /// A value of a list.
    Index(&'p Self, usize),
}

/// Characters of a key that are shown; as long as a name may be.
const LONGEST_KEY: usize = crate::Name::MAX_LENGTH;

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) if is_word(key) => {
                let dot = if matches!(parent, Self::Root) { "" } else { "." };
                write!(f, "{parent}{dot}{key}")
            }
            Self::Key(parent, key) => write!(f, "{parent}[{}]", super::quote::quoted(key, LONGEST_KEY)),
        }
    }
}

fn is_word(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$');
    !key.is_empty() && key.len() <= LONGEST_KEY && key.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_from_the_root() {
        let nodes = Path::Key(&Path::Root, "nodes");
        let third = Path::Index(&nodes, 3);
        assert_eq!(Path::Root.to_string(), "");
        assert_eq!(Path::Key(&third, "after").to_string(), "nodes[3].after");
        assert_eq!(Path::Key(&nodes, "a.b").to_string(), r#"nodes["a.b"]"#);
        assert_eq!(Path::Key(&Path::Root, "").to_string(), r#"[""]"#);
    }

    #[test]
    fn a_long_key_is_cut() {
        let key = "k".repeat(10_000_000);
        assert!(Path::Key(&Path::Root, &key).to_string().len() < 200);
    }
}
