//! `Drain` and `Undrain`: assign nothing more to a forager; go on, and forgive what spoke against it.

use antfarm_model::ForagerNo;

use super::Answer;
use super::step::Step;
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn drain(&mut self, forager: ForagerNo) -> Answer {
        self.change_forager(forager, |record| record.draining = true).ok_or(Refusal::UnknownForager)?;
        Ok(Reply::Done)
    }

    pub(super) fn undrain(&mut self, forager: ForagerNo) -> Answer {
        self.change_forager(forager, |record| record.draining = false).ok_or(Refusal::UnknownForager)?;
        self.forgive(forager);
        Ok(Reply::Done)
    }
}
