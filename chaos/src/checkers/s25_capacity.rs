//! S25: a forager never has more open attempts than slots, of all classes and of each.

use super::Violation;
use crate::history::{Evidence, What};

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let model_slots = evidence.plan().map_or(u32::MAX, |plan| plan.model_slots);
    for record in &evidence.records {
        let What::Foragers { index, foragers } = &record.what else { continue };
        let full = foragers.iter().find(|one| one.open > one.slots || one.open_model > model_slots);
        if let Some(one) = full {
            let what = format!(
                "at index {index} {} has {} open attempts and {} slots, and {} of the class model of {model_slots}",
                one.name, one.open, one.slots, one.open_model
            );
            return Err(Violation::new("S25 capacity", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, forager, with};
    use crate::history::What;

    #[test]
    fn a_forager_with_too_much_is_found() {
        finds(
            "S25",
            &with(|sample| {
                sample.add("poll-1", What::Foragers { index: 40, foragers: vec![forager(9, 0)] });
            }),
        );
    }

    #[test]
    fn a_class_with_too_much_is_found() {
        finds(
            "S25",
            &with(|sample| {
                sample.add("poll-1", What::Foragers { index: 40, foragers: vec![forager(4, 3)] });
            }),
        );
    }
}
