//! What a plain scalar of YAML means, by the core schema of YAML 1.2.

use std::borrow::Cow;

use super::Value;

/// The meaning of a plain scalar, or why JSON has no such value.
pub(super) fn resolve(text: Cow<'_, str>) -> Result<Value<'_>, &'static str> {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    match number(&text)? {
        Some(number) if number == text => Ok(Value::Number(text)),
        Some(number) => Ok(Value::Number(Cow::Owned(number))),
        None => Ok(Value::String(text)),
    }
}

/// The scalar as a JSON number, if it is a number; why it cannot be one, if JSON has no such number.
fn number(text: &str) -> Result<Option<String>, &'static str> {
    if !text.starts_with(|c: char| matches!(c, '0'..='9' | '+' | '-' | '.')) {
        return Ok(None);
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    refuse_foreign(text, unsigned)?;
    let (whole, rest) = split_digits(unsigned);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    let has_point = unsigned[whole.len()..].starts_with('.');
    let exponent_stands = rest.is_empty() || {
        let digits = rest.strip_prefix(['e', 'E']).map(|digits| digits.strip_prefix(['+', '-']).unwrap_or(digits));
        digits.is_some_and(|digits| !digits.is_empty() && split_digits(digits).1.is_empty())
    };
    if !exponent_stands || (whole.is_empty() && fraction.is_empty()) {
        return Ok(None);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Err("a number has no leading zeros; leave them out, or quote it to make it a string");
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(Some(match (has_point, fraction) {
        (false, _) => format!("{sign}{whole}{rest}"),
        (true, "") => format!("{sign}{whole}.0{rest}"),
        (true, fraction) => format!("{sign}{whole}.{fraction}{rest}"),
    }))
}

/// Numbers of YAML that JSON does not have.
fn refuse_foreign(text: &str, unsigned: &str) -> Result<(), &'static str> {
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err("JSON has no infinite numbers and no NaN; quote it to make it a string");
    }
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if text.strip_prefix("0x").is_some_and(|digits| all(digits, 16))
        || text.strip_prefix("0o").is_some_and(|digits| all(digits, 8))
    {
        return Err("JSON has only decimal numbers; write it in decimal, or quote it to make it a string");
    }
    Ok(())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(text: &str, value: &Value<'_>) {
        assert_eq!(resolve(Cow::Borrowed(text)).as_ref(), Ok(value), "{text}");
    }

    #[test]
    fn numbers_become_those_of_json() {
        let cases = [
            ("0", "0"),
            ("-0", "-0"),
            ("+12", "12"),
            ("9007199254740993", "9007199254740993"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5.0"),
            ("5.e3", "5.0e3"),
            ("1.50E+07", "1.50E+07"),
        ];
        for (text, number) in cases {
            is(text, &Value::Number(Cow::Borrowed(number)));
        }
    }

    #[test]
    fn what_only_looks_like_a_value_is_a_string() {
        let cases = [
            "yes",
            "on",
            "nULL",
            "-",
            "+",
            ".",
            "..",
            "-.",
            "1_000",
            "1e",
            "1e+",
            "e5",
            "1.2.3",
            "12:30:45",
            "2026-12-01",
            "0b1",
            "-0x1",
            "0xg",
            ".e3",
        ];
        for text in cases {
            is(text, &Value::String(Cow::Borrowed(text)));
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_refused() {
        for text in [".inf", "-.Inf", "+.INF", ".nan", "0x1F", "0o17", "007", "-01.5"] {
            assert!(resolve(Cow::Borrowed(text)).is_err(), "{text}");
        }
    }
}
