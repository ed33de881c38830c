//! The round robin between the cost classes: who was served longest ago is served first.

use antfarm_model::CostClass;
use serde::{Deserialize, Serialize};

/// The cost classes, the one that was served longest ago first.
///
/// With k classes that could use an assignment, each gets at least every k-th one that it could use: whoever is passed
/// over moves forward, and only who is served goes to the back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Turns([CostClass; CostClass::ALL.len()]);

impl Default for Turns {
    fn default() -> Self {
        Self(CostClass::ALL)
    }
}

impl Turns {
    /// In the order in which they are to be tried.
    pub(crate) fn order(self) -> [CostClass; CostClass::ALL.len()] {
        self.0
    }

    /// A class was served.
    pub(crate) fn serve(&mut self, class: CostClass) {
        if let Some(place) = self.0.iter().position(|other| *other == class) {
            self.0[place..].rotate_left(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_served_goes_to_the_back() {
        let mut turns = Turns::default();
        turns.serve(CostClass::Io);
        assert_eq!(turns.order(), [CostClass::Cpu, CostClass::Model, CostClass::Io]);
        turns.serve(CostClass::Cpu);
        assert_eq!(turns.order(), [CostClass::Model, CostClass::Io, CostClass::Cpu]);
        turns.serve(CostClass::Cpu);
        assert_eq!(turns.order(), [CostClass::Model, CostClass::Io, CostClass::Cpu]);
    }
}
