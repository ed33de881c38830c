//! `Register`: a forager process announces itself, and takes over from the one before it only with its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{ForagerNo, Incarnation, ToolNo};

use super::Answer;
use super::step::Step;
use crate::command::Registration;
use crate::event::Event;
use crate::forager::{Forager, ForagerState};
use crate::instance::Ending;
use crate::outcome::{Refusal, Reply};
use crate::standing::Standing;

impl Step<'_> {
    pub(super) fn register(&mut self, registration: &Registration) -> Answer {
        let incarnation = Incarnation(self.fence().0);
        let known = self.state.index.foragers.get(&registration.name).copied();
        let forager = match known {
            Some(forager) => {
                let record = self.forager(forager)?;
                if record.is_process(registration.process) && !record.lost {
                    return Ok(Reply::Registered { forager, incarnation: record.incarnation }); // its answer was lost
                }
                self.take_over(forager, incarnation, registration)?
            }
            None => self.add_forager(incarnation, registration),
        };
        let tools: BTreeSet<ToolNo> = registration.tools.iter().map(|tool| self.tool_no(tool)).collect();
        let registered_at = self.elapsed();
        let before = self.forager(forager).map(Forager::state);
        self.change_forager(forager, |record| {
            record.process = registration.process;
            record.registered_at = registered_at;
            record.incarnation = incarnation;
            record.slots = registration.slots;
            record.class_slots = registration.class_slots;
            record.prefetch = registration.prefetch;
            record.poison_limit = registration.poison_limit;
            record.suspect = false;
            record.lost = false;
            for attempt in record.open.iter_mut().flat_map(BTreeMap::values_mut) {
                attempt.incarnation = incarnation;
            }
        });
        self.remember(forager);
        self.forgive(forager);
        self.set_tools(forager, tools);
        let state = self.forager(forager).map_or(ForagerState::Ready, Forager::state);
        if before == Ok(state) {
            self.tell(Event::Forager { forager, state });
        }
        Ok(Reply::Registered { forager, incarnation })
    }

    fn add_forager(&mut self, incarnation: Incarnation, registration: &Registration) -> ForagerNo {
        let registered_at = self.elapsed();
        let core = &mut self.state.core;
        let no = core.next_forager;
        core.next_forager =
            ForagerNo(no.0.checked_add(1).expect("there are fewer foragers than log entries of a year"));
        let name = registration.name.clone();
        self.state.index.foragers.insert(name.clone(), no);
        let record = Forager {
            no,
            name,
            incarnation,
            registered_at,
            process: registration.process,
            slots: 0,
            class_slots: registration.class_slots,
            prefetch: 0,
            tools: Arc::default(),
            poison_limit: registration.poison_limit,
            draining: false,
            suspect: false,
            lost: false,
            forget_at: None,
            standing: Standing::default(),
            open: <[BTreeMap<_, _>; 3]>::default(),
        };
        core.foragers.insert(no, Arc::new(record));
        no
    }

    /// With the journal of the incarnation that counts, its attempts go on; what a reboot may have hidden is closed as
    /// of unknown fate. Without it, the name is free only when that incarnation's lease is over, and so nothing of it is
    /// open: whether it had anything to do does not matter, or two processes could take the name from each other for ever.
    fn take_over(
        &mut self,
        forager: ForagerNo,
        incarnation: Incarnation,
        registration: &Registration,
    ) -> Result<ForagerNo, Refusal> {
        let record = self.forager(forager)?;
        let two_in_one_entry = record.incarnation == incarnation;
        if two_in_one_entry || !record.may_be_followed_by(registration.process, registration.former) {
            return Err(Refusal::NameHeld(registration.name.clone()));
        }
        if registration.rebooted {
            let open: Vec<_> = record.attempts().map(|(id, _)| *id).collect();
            let known: BTreeSet<_> = registration.known.iter().collect();
            for id in open.into_iter().filter(|id| !known.contains(id)) {
                self.close_without_end(id, forager, Ending::Interrupted);
            }
        }
        Ok(forager)
    }
}
