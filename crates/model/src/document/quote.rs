//! Texts of a document inside messages.

/// Characters of a text that a message repeats.
pub(super) const LONGEST_QUOTE: usize = 64;

/// The text in quotes, its unprintable characters escaped, cut after `longest` characters.
pub(super) fn quoted(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// As [`quoted`], cut after [`LONGEST_QUOTE`] characters.
pub(super) fn quote(text: &str) -> String {
    quoted(text, LONGEST_QUOTE)
}
