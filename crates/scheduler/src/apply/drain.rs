//! `Drain` and `Undrain`: assign nothing more to a forager; go on, and forgive what spoke against it.

use antfarm_model::ForagerNo;

use super::Answer;
use super::step::Step;
use crate::outcome::{Refusal, Reply};
use crate::standing::Standing;

impl Step<'_> {
    pub(super) fn drain(&mut self, forager: ForagerNo) -> Answer {
        self.change_forager(forager, |record| record.draining = true).ok_or(Refusal::UnknownForager)?;
        Ok(Reply::Done)
    }

    pub(super) fn undrain(&mut self, forager: ForagerNo) -> Answer {
        self.change_forager(forager, |record| {
            record.draining = false;
            record.standing = Standing::default();
        })
        .ok_or(Refusal::UnknownForager)?;
        Ok(Reply::Done)
    }
}
