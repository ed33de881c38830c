//! The end of what programs write to their standard error.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_protocol::{AttemptRef, LARGEST_LOG_BYTES};

/// Logs of attempts that have ended are kept for so many of them.
const KEPT_LOGS: usize = 256;

/// The last 64 KiB that a program wrote.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<VecDeque<u8>>);

impl Log {
    /// Adds what was written; what is too long ago is dropped.
    pub(crate) fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(LARGEST_LOG_BYTES)..];
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let excess = (kept.len() + bytes.len()).saturating_sub(LARGEST_LOG_BYTES);
        kept.drain(..excess);
        kept.extend(bytes);
    }

    /// The last `bytes` of it; what is no UTF-8 is replaced.
    pub(crate) fn tail(&self, bytes: usize) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tail: Vec<u8> = kept.range(kept.len().saturating_sub(bytes)..).copied().collect();
        String::from_utf8_lossy(&tail).into_owned()
    }

    /// All that is kept.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The logs of the attempts that ended last, as far as they wrote any.
#[derive(Debug, Default)]
pub(crate) struct KeptLogs {
    logs: BTreeMap<AttemptRef, Arc<Log>>,
    order: VecDeque<AttemptRef>,
}

impl KeptLogs {
    /// Keeps a log, in place of the oldest if there are too many.
    pub(crate) fn keep(&mut self, attempt: AttemptRef, log: Arc<Log>) {
        if log.is_empty() {
            return;
        }
        if self.logs.insert(attempt, log).is_none() {
            self.order.push_back(attempt);
        }
        if self.order.len() > KEPT_LOGS
            && let Some(oldest) = self.order.pop_front()
        {
            self.logs.remove(&oldest);
        }
    }

    /// The log of an attempt that has ended.
    pub(crate) fn find(&self, attempt: &AttemptRef) -> Option<&Arc<Log>> {
        self.logs.get(attempt)
    }
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Fence, GraphNo, NodeNo};

    use super::*;

    #[test]
    fn the_last_64_kib_are_kept() {
        let log = Log::default();
        log.push(&vec![b'a'; LARGEST_LOG_BYTES]);
        log.push(b"bc");
        assert_eq!(log.tail(3), "abc");
        assert_eq!(log.tail(usize::MAX).len(), LARGEST_LOG_BYTES);
        log.push(&vec![b'd'; 3 * LARGEST_LOG_BYTES]);
        assert_eq!(log.tail(usize::MAX), "d".repeat(LARGEST_LOG_BYTES));
    }

    #[test]
    fn the_logs_of_the_last_256_attempts_are_kept() {
        let mut kept = KeptLogs::default();
        let attempt = |fence| AttemptRef { graph: GraphNo(1), node: NodeNo(0), index: 0, fence: Fence(fence) };
        for fence in 0..=256 {
            let log = Arc::new(Log::default());
            log.push(b"x");
            kept.keep(attempt(fence), log);
        }
        kept.keep(attempt(1_000), Arc::new(Log::default()));
        assert!(kept.find(&attempt(0)).is_none());
        assert!(kept.find(&attempt(1)).is_some());
        assert!(kept.find(&attempt(1_000)).is_none(), "nothing was written");
    }
}
