//! S27: every reader gets the same events, all of them, in the order of the log, or is told that some are gone.

use super::Violation;
use crate::history::Evidence;

const PROPERTY: &str = "S27 events";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    for (name, reader) in &evidence.log.readers {
        if let Some(fault) = reader.faults.first() {
            return Err(Violation::new(PROPERTY, format!("{name}: {fault}")));
        }
        for (index, events) in &evidence.log.entries {
            let read = reader.entries.get(index);
            if reader.coverage.has(*index) && read != Some(events) {
                let what = format!("of entry {index} {name} got {read:?}, another reader {events:?}");
                return Err(Violation::new(PROPERTY, what));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{change, finds, with};
    use crate::history::What;

    #[test]
    fn an_entry_that_one_reader_does_not_get_is_found() {
        finds(
            "S27",
            &with(|sample| {
                sample.readers[1].remove(&14);
            }),
        );
    }

    #[test]
    fn entries_that_come_again_are_found() {
        finds(
            "S27",
            &with(|sample| {
                let events = vec![change("g1", "write", "assigned", Some(10))];
                sample.add("watch-1", What::Entry { index: 10, events });
            }),
        );
    }
}
