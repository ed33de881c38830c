//! `Drain` and `Undrain`: assign nothing more to a forager; go on, also after a quarantine.

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
        self.change_forager(forager, |record| {
            record.draining = false;
            record.quarantined_until = None;
            record.rejects = 0;
        })
        .ok_or(Refusal::UnknownForager)?;
        Ok(Reply::Done)
    }
}
