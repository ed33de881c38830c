//! What daemons say in their logs, heard as it is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter};

use super::chronicle::Chronicle;
use super::inside::numbered;
use super::life::Life;
use crate::history::{AttemptName, AttemptStep, Ballot, Claim, Membership, What};

/// A queen says so when it takes office.
const LEADS: &str = "this queen leads";

/// A forager says so when it learns of an epoch.
const LEARNT: &str = "a new leader";

/// A queen says so when she has answered a candidate.
const VOTED: &str = "a candidate has this member's vote";

/// A queen says so when she has applied one.
const CONFIGURED: &str = "a configuration is applied";

/// A queen says so when she loads what another one has sent.
const INSTALLED: &str = "a snapshot of another member takes the place of the state";

/// A leader says so when she answers a heartbeat.
const GRANTED: &str = "a lease is granted";

/// A leader says so when she tells a forager.
const CONFIRMED: &str = "an end is confirmed";

/// Foragers say so.
const ENDED: &str = "an attempt has ended";
const FORGOTTEN: &str = "an end is forgotten";

/// Hears what our crates say.
pub(super) struct Listener(pub(super) Chronicle);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::DEBUG && metadata.target().starts_with("antfarm_")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
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
        if *event.metadata().level() <= Level::INFO {
            self.0.say(&life, &format!("{} {}{}", event.metadata().level(), said.message, said.fields));
        }
        if let Some(what) = said.follows(&life, self.0.now_us()) {
            self.0.note(what);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Said {
    message: String,
    fields: String,
    numbers: BTreeMap<&'static str, u64>,
    attempt: Option<AttemptName>,
    voters: BTreeSet<u16>,
}

impl Said {
    /// What is to be written down because of it.
    fn follows(&self, life: &Life, now_us: u64) -> Option<What> {
        let number = |name| self.numbers.get(name).copied();
        let queen = || life.process().strip_prefix("queen-").and_then(|queen| queen.parse::<u16>().ok());
        let (forager, in_life) = (life.process().to_owned(), life.number());
        let step = |step| {
            let (forager, attempt) = (forager.clone(), self.attempt.clone()?);
            Some(What::Attempt { forager, life: in_life, attempt, may_overlap: false, step })
        };
        match self.message.as_str() {
            LEADS => Some(What::Leads { queen: queen()?, life: in_life, epoch: number("epoch")? }),
            LEARNT => Some(What::Learnt { epoch: number("epoch")?, forager, life: in_life }),
            VOTED => {
                let ballot = Ballot { term: number("term")?, candidate: u16::try_from(number("candidate")?).ok()? };
                Some(What::Claim { queen: queen()?, life: in_life, claim: Claim::Voted(ballot) })
            }
            CONFIGURED => {
                let membership = Membership { index: number("index")?, voters: vec![self.voters.clone()] };
                Some(What::Members { queen: queen()?, membership })
            }
            INSTALLED => Some(What::Installed { queen: queen()?, life: in_life, last: number("last")? }),
            GRANTED => Some(What::Granted {
                queen: queen()?,
                epoch: number("epoch")?,
                forager: numbered(u32::try_from(number("forager")?).ok()?),
                incarnation: number("incarnation")?,
                // It counts from when the heartbeat was sent, which was before.
                until_us: now_us + number("lease_ms")? * 1_000,
            }),
            CONFIRMED => step(AttemptStep::Confirmed),
            ENDED => step(AttemptStep::Ends),
            FORGOTTEN => step(AttemptStep::Forgotten),
            _ => None,
        }
    }
}

impl Visit for Said {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.numbers.insert(field.name(), value);
        self.record_debug(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "attempt" {
            self.attempt = format!("{value:?}").parse().ok();
        }
        if field.name() == "voters" {
            let text = format!("{value:?}");
            self.voters = text.split(|digit: char| !digit.is_ascii_digit()).filter_map(|id| id.parse().ok()).collect();
        }
        // A String takes all.
        let _ = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, " {}={value:?}", field.name())
        };
    }
}
