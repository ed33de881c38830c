//! Addresses: of queens, and of what is asked of them.

use std::fmt::Write as _;

use crate::error::ClientError;

/// `http://host:port` or `host:port`, as `host:port`.
pub(crate) fn server(text: &str) -> Result<String, ClientError> {
    let bad = || ClientError::BadServer(text.to_owned());
    let rest = text.trim().strip_prefix("http://").unwrap_or(text.trim());
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = rest.rsplit_once(':').ok_or_else(bad)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    if host.is_empty() || !host.chars().all(plain) || port.parse::<u16>().is_err() {
        return Err(bad());
    }
    Ok(rest.to_owned())
}

/// A path with a name in the place of each `{}`, escaped where an address needs it.
pub(crate) fn path(template: &str, names: &[&str]) -> String {
    let mut pieces = template.split("{}");
    let mut path = pieces.next().unwrap_or_default().to_owned();
    for (name, piece) in names.iter().zip(pieces) {
        escape(name, &mut path);
        path.push_str(piece);
    }
    path
}

/// A path with a query; pairs without a value are left out.
pub(crate) fn with_query(path: &str, pairs: &[(&str, Option<String>)]) -> String {
    let mut address = path.to_owned();
    let mut separator = '?';
    for (key, value) in pairs {
        if let Some(value) = value {
            address.push(separator);
            address.push_str(key);
            address.push('=');
            escape(value, &mut address);
            separator = '&';
        }
    }
    address
}

fn escape(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            into.push(char::from(byte));
        } else {
            let _ = write!(into, "%{byte:02X}"); // writing to a String cannot fail
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_be_written_with_or_without_its_scheme() {
        for text in ["http://127.0.0.1:7101", "127.0.0.1:7101", " http://127.0.0.1:7101/ "] {
            assert_eq!(server(text).as_deref(), Ok("127.0.0.1:7101"));
        }
        assert_eq!(server("[::1]:7101").as_deref(), Ok("[::1]:7101"));
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for text in ["", "localhost", "https://localhost:7101", "http://:7101", "a b:1", "x:99999", "http://h:1/v1"] {
            assert_eq!(server(text), Err(ClientError::BadServer(text.to_owned())));
        }
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(path("/v1/graphs/{}/nodes/{}", &["a/b?", "fan[3]"]), "/v1/graphs/a%2Fb%3F/nodes/fan%5B3%5D");
        let pairs = [("state", None), ("after", Some("a b".to_owned())), ("limit", Some("3".to_owned()))];
        assert_eq!(with_query("/v1/graphs", &pairs), "/v1/graphs?after=a%20b&limit=3");
    }
}
