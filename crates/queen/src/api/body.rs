//! Request bodies, bounded each and together.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::Api;
use super::problem::{Kind, Problem};

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_mins(1);

const KIB: usize = 1 << 10;

/// A body that was read to its end, and its share of the memory for all of them.
pub(super) struct HeldBody {
    pub(super) bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

impl Api {
    /// Reads a body of at most `limit` bytes.
    pub(super) async fn read_body(&self, headers: &HeaderMap, body: Body, limit: u64) -> Result<HeldBody, Problem> {
        let stated = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if stated.is_some_and(|stated| stated > limit) {
            return Err(too_large(limit));
        }
        let collected = timeout(BODY_WITHIN, self.collect(body, limit)).await;
        collected.unwrap_or_else(|_| {
            Err(Problem::bad_request(format!("the body did not arrive within {} s", BODY_WITHIN.as_secs())))
        })
    }

    /// A body takes its share as it arrives: one that is announced and never comes takes none.
    async fn collect(&self, body: Body, limit: u64) -> Result<HeldBody, Problem> {
        let mut body = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        let mut share = self.share(1)?;
        let mut bytes = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
                Some(_) => too_large(limit),
                None => Problem::bad_request(format!("the body broke off: {error}")),
            })?;
            let Ok(part) = frame.into_data() else { continue }; // trailers say nothing here
            bytes.extend_from_slice(&part);
            let missing = bytes.len().div_ceil(KIB).saturating_sub(share.num_permits());
            share.merge(self.share(missing)?);
        }
        Ok(HeldBody { bytes: bytes.freeze(), _share: share })
    }

    fn share(&self, kib: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let share = self.bodies.clone().try_acquire_many_owned(u32::try_from(kib).unwrap_or(u32::MAX));
        share.map_err(|_| Problem::overloaded("too many large bodies are being read: try again in a moment"))
    }
}

fn too_large(limit: u64) -> Problem {
    Problem::new(
        Kind::TooLarge,
        format!("the body may have at most {limit} bytes here: divide it, or raise the limit of the queens"),
    )
}
