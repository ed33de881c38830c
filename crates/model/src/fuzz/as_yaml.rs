//! A tree as YAML in block style, with every text in double quotes.

use std::fmt::Write as _;

use crate::document::{Tree, Value};

/// The tree as a YAML document.
pub(super) fn written(tree: &Tree<'_>) -> String {
    let mut yaml = String::new();
    write(&mut yaml, tree, 0);
    yaml
}

/// Writes a value behind whatever stands on its line, its parts on lines of their own.
fn write(yaml: &mut String, tree: &Tree<'_>, indent: usize) {
    match &tree.value {
        Value::Null => yaml.push_str(" null\n"),
        Value::Bool(value) => writeln!(yaml, " {value}").expect("a String takes everything"),
        Value::Number(number) => writeln!(yaml, " {number}").expect("a String takes everything"),
        Value::String(text) => {
            yaml.push(' ');
            quote(yaml, text);
            yaml.push('\n');
        }
        Value::List(items) if items.is_empty() => yaml.push_str(" []\n"),
        Value::Map(entries) if entries.is_empty() => yaml.push_str(" {}\n"),
        Value::List(items) => {
            yaml.push('\n');
            for item in items {
                yaml.extend(std::iter::repeat_n(' ', indent));
                yaml.push('-');
                write(yaml, item, indent + 1);
            }
        }
        Value::Map(entries) => {
            yaml.push('\n');
            for (key, value) in entries {
                // A key behind a question mark may have any length.
                yaml.extend(std::iter::repeat_n(' ', indent));
                yaml.push_str("? ");
                quote(yaml, &key.text);
                yaml.push('\n');
                yaml.extend(std::iter::repeat_n(' ', indent));
                yaml.push(':');
                write(yaml, value, indent + 1);
            }
        }
    }
}

fn quote(yaml: &mut String, text: &str) {
    yaml.push('"');
    for character in text.chars() {
        match character {
            '"' => yaml.push_str("\\\""),
            '\\' => yaml.push_str("\\\\"),
            ' '..='~' => yaml.push(character),
            other => write!(yaml, "\\U{:08x}", u32::from(other)).expect("a String takes everything"),
        }
    }
    yaml.push('"');
}
