//! How values that TOML has no type for are written.

/// A length of time, such as `2s`.
pub(super) mod span {
    use antfarm_model::Span;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(in crate::config) fn serialize<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(span)
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
