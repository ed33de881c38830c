//! What daemons say in their logs, heard as it is said.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter};

use super::chronicle::Chronicle;
use super::life::Life;
use crate::history::What;

/// A queen says so when it takes office.
const LEADS: &str = "this queen leads";

/// A forager says so when it learns of an epoch.
const LEARNT: &str = "a new leader";

/// Hears what our crates say.
pub(super) struct Listener(pub(super) Chronicle);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::INFO && metadata.target().starts_with("antfarm_")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(life) = Life::current() else { return };
        let mut said = Said::default();
        event.record(&mut said);
        self.0.say(&life, &format!("{} {}{}", event.metadata().level(), said.message, said.fields));
        let (Some(epoch), number) = (said.epoch, life.number()) else { return };
        if said.message == LEADS
            && let Some(queen) = life.process().strip_prefix("queen-").and_then(|queen| queen.parse().ok())
        {
            self.0.note(What::Leads { queen, life: number, epoch });
        } else if said.message == LEARNT {
            self.0.note(What::Learnt { forager: life.process().to_owned(), life: number, epoch });
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Said {
    message: String,
    fields: String,
    epoch: Option<u64>,
}

impl Visit for Said {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "epoch" {
            self.epoch = Some(value);
        }
        self.record_debug(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // A String takes all.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, " {}={value:?}", field.name())
        };
    }
}
