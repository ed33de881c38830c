//! L8: memory stays below a cap, and every queue below its limit.

use super::Violation;
use crate::history::{Evidence, What};

const PROPERTY: &str = "L8 bounds";

/// The most memory of a process, in KiB. Runs hold a few thousand small graphs; a queen that keeps what she must is far
/// below, and one that keeps messages for somebody who is gone is soon above.
const MOST_KIB: u64 = 256 << 10;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let what = if let What::Memory { process, life, kib } = &record.what
            && *kib > MOST_KIB
        {
            format!("{process} (life {life}) takes {kib} KiB, and at most {MOST_KIB} are expected")
        } else if let What::Queue { process, queue, length, limit } = &record.what
            && length > limit
        {
            format!("{length} wait in {queue} of {process}, whose limit is {limit}")
        } else {
            continue;
        };
        return Err(Violation::new(PROPERTY, what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::What;

    #[test]
    fn a_process_that_grows_is_found() {
        let memory = What::Memory { process: "queen-1".into(), life: 1, kib: super::MOST_KIB + 1 };
        finds("L8", &with(|sample| sample.add("poll-1", memory)));
    }

    #[test]
    fn a_queue_beyond_its_limit_is_found() {
        let queue = What::Queue { process: "queen-1".into(), queue: "peer 2".into(), length: 9, limit: 8 };
        finds("L8", &with(|sample| sample.add("poll-1", queue)));
    }
}
