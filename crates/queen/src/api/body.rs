//! Request bodies, bounded each and together.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::Api;
use super::problem::{Kind, Problem};

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_mins(1);

/// A body that was read to its end, and its share of the memory for all of them.
pub(super) struct HeldBody {
    pub(super) bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

impl Api {
    /// Reads a body of at most `limit` bytes.
    pub(super) async fn read_body(&self, headers: &HeaderMap, body: Body, limit: u64) -> Result<HeldBody, Problem> {
        let stated = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let is_chunked = headers.contains_key(header::TRANSFER_ENCODING);
        let expected = stated.unwrap_or(if is_chunked { limit } else { 0 });
        if expected > limit {
            return Err(too_large(limit));
        }
        let share = u32::try_from(expected.div_ceil(1024)).unwrap_or(u32::MAX);
        let share = self.bodies.clone().try_acquire_many_owned(share);
        let share =
            share.map_err(|_| Problem::overloaded("too many large bodies are being read: try again in a moment"))?;
        let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        let collected = timeout(BODY_WITHIN, limited.collect()).await;
        let collected = collected
            .map_err(|_| Problem::bad_request(format!("the body did not arrive within {} s", BODY_WITHIN.as_secs())))?;
        match collected {
            Ok(collected) => Ok(HeldBody { bytes: collected.to_bytes(), _share: share }),
            Err(error) if error.is::<LengthLimitError>() => Err(too_large(limit)),
            Err(error) => Err(Problem::bad_request(format!("the body broke off: {error}"))),
        }
    }
}

fn too_large(limit: u64) -> Problem {
    Problem::new(
        Kind::TooLarge,
        format!("the body may have at most {limit} bytes here: divide it, or raise the limit of the queens"),
    )
}
