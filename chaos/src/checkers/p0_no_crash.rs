//! P0: no process ends that nobody has ended.

use super::Violation;
use crate::history::{Evidence, What};

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        if let What::Died { process, life, status } = &record.what {
            let what = format!("{process}, in its life {life}, ended by itself: {status}; its log says why");
            return Err(Violation::new("P0 no crash", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::What;

    #[test]
    fn a_process_that_ended_by_itself_is_found() {
        finds(
            "P0",
            &with(|sample| {
                sample.add("nemesis", What::Died { process: "queen-2".into(), life: 1, status: "signal: 6".into() });
            }),
        );
    }
}
