//! `score`: every mistake of the catalogue is made on purpose, and must be found by the checker of a property.
//!
//! The mistakes stand in product code, where a build of its own can make them ([`antfarm_planted`]). `score` makes that
//! build and runs itself in it; there each mistake is made by a process of its own, which looks for violations in one layer
//! until one is found or its budget is used up. The same layers must find nothing where no mistake is made.

mod build;
mod catalogue;
mod choice;
mod layer;
mod table;
mod trial;

pub(crate) use choice::ScoreArguments;
pub(crate) use trial::{TrialArguments, trial};

/// Tells the score; a normal build makes the one first that can make mistakes.
pub(crate) fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    if cfg!(planted_bugs) { table::score(arguments) } else { build::score(arguments) }
}

#[cfg(test)]
mod tests {
    use antfarm_planted::{Bug, MARK};

    #[test]
    fn the_program_that_ships_can_make_no_mistake_on_purpose() {
        let program = std::fs::read(antfarm_testkit::binary()).expect("it was built");
        let holds = |text: &str| program.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(holds("antfarm"), "its texts can be found");
        assert!(!holds(MARK));
        assert!(!Bug::ALL.into_iter().any(|bug| holds(bug.wrong())));
    }
}
