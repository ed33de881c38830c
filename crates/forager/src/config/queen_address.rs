//! Where a queen's HTTP interface is.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The HTTP address of a queen. Written `http://host:port` or `host:port`; kept as `host:port`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QueenAddress(Arc<str>);

/// Why a text is no [`QueenAddress`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no queen's address: write http://host:port or host:port")]
pub struct InvalidQueenAddress(String);

/// No address is longer.
const MAX_BYTES: usize = 300;

impl QueenAddress {
    /// `host:port`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for QueenAddress {
    type Err = InvalidQueenAddress;

    fn from_str(text: &str) -> Result<Self, InvalidQueenAddress> {
        let invalid = || InvalidQueenAddress(text.chars().take(MAX_BYTES).collect());
        let address = text.strip_prefix("http://").unwrap_or(text);
        let address = address.strip_suffix('/').unwrap_or(address);
        let (host, port) = address.rsplit_once(':').ok_or_else(invalid)?;
        let host_is_plain = host.chars().all(|c| c.is_ascii_alphanumeric() || "._-[]:".contains(c));
        let bracketed = host.starts_with('[') == host.ends_with(']') && (host.starts_with('[') || !host.contains(':'));
        let port_is_valid = port.parse::<u16>().is_ok_and(|port| port > 0);
        let valid = !host.is_empty() && host_is_plain && bracketed && port_is_valid && address.len() <= MAX_BYTES;
        if valid { Ok(Self(address.into())) } else { Err(invalid()) }
    }
}

impl TryFrom<String> for QueenAddress {
    type Error = InvalidQueenAddress;

    fn try_from(text: String) -> Result<Self, InvalidQueenAddress> {
        text.parse()
    }
}

impl From<QueenAddress> for String {
    fn from(address: QueenAddress) -> Self {
        format!("http://{}", address.0)
    }
}

impl fmt::Display for QueenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
