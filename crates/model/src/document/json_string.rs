//! The strings and numbers of JSON, read and written.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Where a string is wrong, and why.
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) message: &'static str,
}

/// Reads the string whose opening quote stands at `start`. Gives its text and where it ends, behind the closing quote.
pub(super) fn read(text: &str, start: usize) -> Result<(Cow<'_, str>, usize), Wrong> {
    let begin = start + 1;
    let mut end = plain_end(text, begin)?;
    if text.as_bytes()[end] == b'"' {
        return Ok((Cow::Borrowed(&text[begin..end]), end + 1));
    }
    let mut string = text[begin..end].to_owned();
    loop {
        let (character, behind) = escape(text, end)?;
        string.push(character);
        end = plain_end(text, behind)?;
        string.push_str(&text[behind..end]);
        if text.as_bytes()[end] == b'"' {
            return Ok((Cow::Owned(string), end + 1));
        }
    }
}

/// Where the next quote or backslash stands.
fn plain_end(text: &str, begin: usize) -> Result<usize, Wrong> {
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let Some(length) = text.as_bytes()[begin..].iter().position(special) else {
        return Err(Wrong { at: text.len(), message: "the document ends inside a string" });
    };
    let at = begin + length;
    if text.as_bytes()[at] < 0x20 {
        return Err(Wrong {
            at,
            message: "a control character in a string must be escaped, such as a line break as \\n",
        });
    }
    Ok(at)
}

/// Reads the escape whose backslash stands at `at`. Gives its character and where it ends.
fn escape(text: &str, at: usize) -> Result<(char, usize), Wrong> {
    let character = match text.as_bytes().get(at + 1) {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text, at),
        _ => {
            return Err(Wrong {
                at,
                message: "an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits",
            });
        }
    };
    Ok((character, at + 2))
}

/// Reads `\uXXXX`, or two of them that form a pair of surrogates.
fn unicode(text: &str, at: usize) -> Result<(char, usize), Wrong> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6).and_then(|escape| escape.strip_prefix("\\u"))?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let first = unit(at).ok_or(Wrong { at, message: "\\u is followed by four hex digits" })?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 6));
    }
    let second = unit(at + 6).filter(|second| first < 0xDC00 && (0xDC00..0xE000).contains(second));
    let pair = second.and_then(|second| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    pair.map(|character| (character, at + 12)).ok_or(Wrong { at, message: "half a pair of surrogates is no character" })
}

/// Where the number that begins at `start` ends.
pub(super) fn number(text: &str, start: usize) -> Result<usize, Wrong> {
    let bytes = text.as_bytes();
    let digits = |from: usize| match bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count() {
        0 => Err(Wrong { at: from, message: "a digit is missing in a number" }),
        count => Ok(from + count),
    };
    let whole = start + usize::from(bytes[start] == b'-');
    let mut end = digits(whole)?;
    if bytes[whole] == b'0' && end > whole + 1 {
        return Err(Wrong { at: whole, message: "a number has no leading zeros; leave them out, or make it a string" });
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    Ok(end)
}

/// Appends a text as a JSON string; only what must be escaped is.
pub(super) fn write(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        json.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            control => {
                let _ = write!(json, "\\u{control:04x}"); // writing to a String cannot fail
            }
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
    json.push('"');
}
