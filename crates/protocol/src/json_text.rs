//! JSON that is passed on and not looked into.

use std::fmt;
use std::sync::Arc;

use serde::de::{Error as _, IgnoredAny};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON document as text: arguments or a result. It is known to be JSON, and never becomes a tree of values here.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(Arc<str>);

/// Why a text is no [`JsonText`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no JSON: {0}")]
pub struct InvalidJson(String);

impl JsonText {
    /// Checks a text.
    pub fn new(text: impl Into<Arc<str>>) -> Result<Self, InvalidJson> {
        let text = text.into();
        match serde_json::from_str::<IgnoredAny>(&text) {
            Ok(IgnoredAny) => Ok(Self(text)),
            Err(error) => Err(InvalidJson(error.to_string())),
        }
    }

    /// `null`.
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, shared.
    pub fn into_text(self) -> Arc<str> {
        self.0
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
        Ok(Self(Box::<str>::from(raw).into()))
    }
}
