//! One leadership: built when it is certain, dropped when it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Duration;

use antfarm_model::{Epoch, ForagerNo, GraphNo, Incarnation, LogIndex, NodeNo};
use antfarm_planted::{Bug, planted};
use antfarm_protocol::{AttemptRef, QueenMessage, Recall, Welcome};
use antfarm_replication::{Office as Opened, ProposeError};
use antfarm_scheduler::{
    Budget, Command, Entry, Event, Foreseen, InFlight, InstanceId, InstanceState, Liveness, Outcome, Refusal, decide,
    foresee, recalls, stall,
};

use super::clock::{Clock, ask_voters};
use super::convert;
use super::dispatch::Held;
use super::proposals::{Item, Proposal, Proposals, Whom};
use super::register::Registering;
use super::session::Session;
use crate::desk::{ProposeFailure, Request};
use crate::sessions::SessionId;
use crate::shared::{QUORUM_SILENT, Shared};

/// Items that may wait to be proposed before requests have to wait at the desk, which is bounded.
const MAX_QUEUED: usize = 8_192;

/// How long an entry of its own may take when a leadership of the same term begins again.
const BARRIER_WITHIN: Duration = Duration::from_secs(1);

/// How far the clock that counts suspension may outrun the one that does not before a leader gives up office.
const SUSPENSION: Duration = Duration::from_millis(500);

/// Instances whose readiness is remembered, to measure how soon they are sent.
const MAX_READY_TIMES: usize = 100_000;

/// The epoch of a term has the generation above this bit.
const TERM_BITS: u32 = 48;

/// Why a leadership did not begin.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotBegun {
    /// Its first entry came to nothing.
    #[error("its first entry came to nothing: {0}")]
    Entry(#[from] ProposeError),
    /// Nobody knows what time it is.
    #[error("fewer than a quorum of voters told their wall clocks; they are asked again")]
    NoTime,
}

/// Why a leadership ends from within.
#[derive(Debug, thiserror::Error)]
pub(super) enum Loss {
    /// The log refused, or lost, a proposal.
    #[error("a proposal came to nothing: {0}")]
    Proposal(ProposeError),
    /// The state machine refused an entry because of its epoch.
    #[error("an entry was refused, because it was decided in another epoch than that of its term")]
    Epoch,
    /// The machine was suspended: others may have been elected meanwhile.
    #[error("the machine was suspended, and others may have been elected meanwhile")]
    Suspended,
}

/// A forager that talks to this leader, and what it holds as far as it said or was told.
pub(super) struct Active {
    /// A session belongs to one incarnation: nothing that is meant for another one goes through it.
    pub(super) session: SessionId,
    pub(super) incarnation: Incarnation,
    pub(super) held: BTreeMap<antfarm_scheduler::AttemptId, Held>,
}

/// Whether something speaks against a leadership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// A quorum is to be asked.
    New,
    /// A quorum is being asked.
    Asked,
}

pub(super) struct Leadership {
    pub(super) shared: Shared,
    pub(super) epoch: Epoch,
    pub(super) clock: Clock,
    pub(super) liveness: Liveness,
    pub(super) proposals: Proposals,
    pub(super) active: BTreeMap<ForagerNo, Active>,
    pub(super) forager_of: BTreeMap<SessionId, ForagerNo>,
    /// Sessions whose foragers are being registered.
    pub(super) registering: BTreeMap<SessionId, Registering>,
    /// Attempts whose start was reported and is not proposed yet.
    pub(super) started: BTreeSet<(ForagerNo, antfarm_scheduler::AttemptId)>,
    /// When they are proposed at the latest.
    pub(super) starts_due: Option<Duration>,
    /// Ends that were reported and are on their way into the log, and the session that reported each last.
    pub(super) reported: BTreeMap<(ForagerNo, antfarm_scheduler::AttemptId), SessionId>,
    /// Up to here, foragers were told what changed.
    pub(super) dispatched: LogIndex,
    /// Foragers that the next dispatch looks at, whether their work changed or not.
    pub(super) look_again: Vec<ForagerNo>,
    /// What is to be said to sessions.
    pub(super) unsaid: Vec<(SessionId, QueenMessage)>,
    pub(super) ready_at: BTreeMap<InstanceId, Duration>,
    pub(super) in_flight: InFlight,
    /// Something speaks against this leadership: a quorum is to confirm it, and until then nothing is proposed or sent.
    doubt: Doubt,
    /// Something happened that a decision could follow from.
    dirty: bool,
    /// The tick came: judge foragers too.
    sweep: bool,
    /// When the office last took a turn, on the clock that counts suspension.
    last_turn: Duration,
}

impl Leadership {
    /// Builds a leadership. If this queen led in the same term before, what it proposed then may still be under way: an
    /// entry of its own, applied, tells that it is not.
    pub(super) async fn new(shared: &Shared, opened: Opened, led_before: bool) -> Result<Self, NotBegun> {
        if led_before {
            let (wall, elapsed) = shared.replica.read(|state| (state.wall(), state.elapsed()));
            let entry = Entry { epoch: opened.epoch, wall, elapsed, commands: Vec::new() };
            let barrier = async { shared.replica.propose(&entry).await?.await };
            tokio::time::timeout(BARRIER_WITHIN, barrier).await.unwrap_or(Err(ProposeError::OutcomeUnknown))?;
        }
        let told = ask_voters(|within| shared.replica.wall_clocks(within)).await.ok_or(NotBegun::NoTime)?;
        let (wall, elapsed) = shared.replica.read(|state| (state.wall(), state.elapsed()));
        let clock = Clock::new(shared.env.clone(), wall.max(told), elapsed);
        let mut liveness = Liveness { since: elapsed, contacts: BTreeMap::new() };
        if planted(Bug::SilenceSurvivesOffice)
            && let Some((former, _)) = &*shared.hearing.read().unwrap_or_else(PoisonError::into_inner)
        {
            liveness.clone_from(former);
        }
        Ok(Self {
            shared: shared.clone(),
            epoch: opened.epoch,
            liveness,
            proposals: Proposals::default(),
            active: BTreeMap::new(),
            forager_of: BTreeMap::new(),
            registering: BTreeMap::new(),
            started: BTreeSet::new(),
            starts_due: None,
            reported: BTreeMap::new(),
            dispatched: LogIndex(0),
            look_again: Vec::new(),
            unsaid: Vec::new(),
            ready_at: BTreeMap::new(),
            in_flight: InFlight::default(),
            doubt: Doubt::None,
            dirty: true,
            sweep: true,
            last_turn: clock.boot_time(),
            clock,
        })
    }

    pub(super) fn term(&self) -> u64 {
        self.epoch.0 & ((1 << TERM_BITS) - 1)
    }

    /// What foragers are told that have not said hello to this leader yet.
    pub(super) fn greeting(&self, shared: &Shared) -> Welcome {
        Welcome { epoch: Some(self.epoch), leading: true, leader: Some(shared.config.id), ..super::welcome(shared) }
    }

    /// What a forager is told again that this leader has registered; the others are yet to be told for the first time.
    pub(super) fn greeting_again(&self, shared: &Shared, id: SessionId) -> Option<Welcome> {
        let incarnation = self.active.get(self.forager_of.get(&id)?)?.incarnation;
        Some(Welcome { incarnation: Some(incarnation), ..self.greeting(shared) })
    }

    /// Something speaks against this leadership.
    pub(super) fn doubt(&mut self) {
        self.doubt = Doubt::New;
    }

    /// Whether a quorum is to confirm this leadership; asked once for every doubt.
    pub(super) fn take_doubt(&mut self) -> bool {
        let is_new = self.doubt == Doubt::New;
        if is_new {
            self.doubt = Doubt::Asked;
        }
        is_new
    }

    /// A quorum confirmed this leadership.
    pub(super) fn confirmed(&mut self) {
        if self.doubt == Doubt::Asked {
            self.doubt = Doubt::None;
        }
    }

    /// Says something to a session when the outcomes at hand have been worked through.
    pub(super) fn say_later(&mut self, id: SessionId, message: QueenMessage) {
        self.unsaid.push((id, message));
    }

    /// Something happened that a decision could follow from.
    pub(super) fn note_change(&mut self) {
        self.dirty = true;
    }

    /// Whether a judgement on a forager, or a new registration, is on its way.
    pub(super) fn is_judged(&self, forager: ForagerNo) -> bool {
        self.in_flight.touches_forager(forager)
    }

    pub(super) fn session_of(&self, forager: ForagerNo) -> Option<SessionId> {
        self.active.get(&forager).map(|active| active.session)
    }

    /// Whether more may be asked for; what waits has a bound.
    pub(super) fn has_room(&self) -> bool {
        self.proposals.queued() < MAX_QUEUED
    }

    pub(super) fn ask(&mut self, request: Request) {
        self.proposals.queue(Item { commands: request.commands, whom: Whom::Asker(request.answer) });
    }

    pub(super) fn session_closed(&mut self, id: SessionId) {
        self.registering.remove(&id);
        let Some(forager) = self.forager_of.remove(&id) else { return };
        if self.active.get(&forager).is_some_and(|active| active.session == id) {
            self.active.remove(&forager);
            let now = self.clock.now().elapsed;
            if let Some(contact) = self.liveness.contacts.get_mut(&forager) {
                contact.broken_at.get_or_insert(now);
            }
        }
    }

    /// The office takes a turn, which it does at every tick at least. A leader that stood still takes nobody's silence
    /// for loss for as long as that; one whose machine was suspended gives up.
    pub(super) fn take_turn(&mut self) -> Option<Loss> {
        if self.clock.suspended() > SUSPENSION {
            return Some(Loss::Suspended);
        }
        let now = self.clock.boot_time();
        let last_turn = std::mem::replace(&mut self.last_turn, now);
        if let Some(stall) = stall(last_turn, now, self.longest_turn()) {
            tracing::warn!(%stall, "this leader stood still; for that long it takes nobody for silent");
            self.liveness.forgive(stall, self.clock.now().elapsed);
        }
        None
    }

    /// A turn is late that comes more than a heartbeat after the next tick was due: silence is counted in heartbeats.
    fn longest_turn(&self) -> Duration {
        let config = &self.shared.config;
        config.scheduler.tick.to_std() + config.lease.heartbeat.to_std()
    }

    /// Looks for what only time changes.
    pub(super) fn tick(&mut self) {
        self.sweep = true;
        self.dirty = true;
        // Nobody tells a leader that it is cut off.
        if self.shared.replica.quorum_acked().is_some_and(|ago| ago > QUORUM_SILENT) {
            self.doubt();
        }
        self.resend_unacknowledged();
        self.recall();
        self.greet_the_lost();
        let hearing = Some((self.liveness.clone(), self.clock.now()));
        *self.shared.hearing.write().unwrap_or_else(PoisonError::into_inner) = hearing;
    }

    /// What foragers keep for later goes back as far as others could begin it now.
    fn recall(&mut self) {
        let recalled = self.shared.replica.read(|state| recalls(state, &self.liveness));
        let mut of: BTreeMap<ForagerNo, Vec<AttemptRef>> = BTreeMap::new();
        for (forager, attempt) in recalled {
            of.entry(forager).or_default().push(convert::attempt_ref(attempt));
        }
        for (forager, attempts) in of {
            let Some(Active { session, incarnation, .. }) = self.active.get(&forager) else { continue };
            let (epoch, incarnation, session) = (self.epoch, *incarnation, *session);
            self.say_later(session, Recall { epoch, incarnation, attempts }.into());
        }
    }

    /// A forager that was judged lost and talks all the same must register again.
    fn greet_the_lost(&mut self) {
        let lost: Vec<ForagerNo> = self.shared.replica.read(|state| {
            let is_lost = |no: &ForagerNo| state.forager(*no).is_some_and(|forager| forager.lost);
            self.active.keys().copied().filter(is_lost).collect()
        });
        for forager in lost {
            let Some(session) = self.session_of(forager) else { continue };
            self.dismiss(forager);
            let greeting = self.greeting(&self.shared);
            self.say_later(session, greeting.into());
        }
    }

    /// Waits until an entry of the leadership, if there is one, is settled. Safe to drop half-way.
    pub(super) async fn settle_next(leading: &mut Option<Self>) -> Option<Loss> {
        let Some(leading) = leading else { return std::future::pending().await };
        let (number, proposal, outcome) = leading.proposals.settle().await;
        leading.in_flight.settle(number);
        match outcome {
            Ok(outcome) if matches!(outcome.answers.first(), Some(Err(Refusal::StaleEpoch { .. }))) => {
                proposal.items.into_iter().for_each(|item| item.fail(ProposeFailure::NotLeading));
                Some(Loss::Epoch)
            }
            Ok(outcome) => {
                leading.settled(proposal, &outcome);
                None
            }
            Err(ProposeError::NotLeading { leader: None }) => {
                leading.take_back(proposal);
                None
            }
            Err(error) => {
                let failure = match error {
                    ProposeError::OutcomeUnknown => ProposeFailure::OutcomeUnknown,
                    ProposeError::NotLeading { .. } | ProposeError::TooLarge { .. } | ProposeError::Stopped => {
                        ProposeFailure::NotLeading
                    }
                };
                proposal.items.into_iter().for_each(|item| item.fail(failure));
                Some(Loss::Proposal(error))
            }
        }
    }

    /// The log did not take an entry, such as when no quorum has answered this leader for an election time-out, and
    /// nobody else is known to lead. If a quorum confirms it, everything goes on: an office that closed for so little
    /// would have every forager present itself anew, and count everybody's silence from the start.
    fn take_back(&mut self, proposal: Proposal) {
        self.proposals.put_back(proposal.items);
        self.dirty = true;
        self.doubt();
    }

    fn settled(&mut self, proposal: Proposal, outcome: &Outcome) {
        self.dirty = true;
        let now = self.clock.monotonic();
        self.shared.metrics.commit_latency(now.saturating_sub(proposal.proposed_at));
        self.note_ready(outcome, now);
        let mut answers = outcome.answers.iter();
        for item in proposal.items {
            let own: Vec<_> = answers.by_ref().take(item.commands.len()).cloned().collect();
            match item.whom {
                Whom::Nobody | Whom::Leadership => {}
                Whom::Asker(answer) => {
                    let _ = answer.send(Ok(own)); // the asker may have gone; it is done all the same
                }
                Whom::Confirm(forager, attempts) => self.settle_reports(forager, &attempts),
                Whom::Registering(session) => self.registered(session, own.into_iter().next()),
            }
        }
    }

    /// How long the office may wait for something else before it proposes starts.
    pub(super) fn starts_due_in(&self) -> Option<Duration> {
        self.starts_due.map(|due| due.saturating_sub(self.clock.monotonic()))
    }

    /// Remembers when instances became ready, to measure how soon they are sent, as long as they may be.
    fn note_ready(&mut self, outcome: &Outcome, now: Duration) {
        for event in &outcome.events {
            match event {
                Event::Instances { instances, state: InstanceState::Ready, .. } => {
                    if self.ready_at.len() + (instances.len as usize) < MAX_READY_TIMES {
                        self.ready_at.extend(instances.iter().map(|id| (id, now)));
                    }
                }
                Event::Instances { instances, state, .. } if state.is_final() => {
                    for id in instances.iter() {
                        self.ready_at.remove(&id);
                    }
                }
                Event::Graph { graph, finished: true, .. } => self.forget_ready(*graph),
                Event::Instances { .. }
                | Event::Graph { .. }
                | Event::GraphRemoved { .. }
                | Event::Rejected { .. }
                | Event::Forager { .. }
                | Event::ForagerForgotten { .. }
                | Event::Tool { .. } => {}
            }
        }
    }

    /// What a graph never started will not be sent any more.
    fn forget_ready(&mut self, graph: GraphNo) {
        let first = |graph| InstanceId { graph, node: NodeNo(0), index: 0 };
        let all = first(graph)..first(GraphNo(graph.0 + 1));
        while let Some(id) = self.ready_at.range(all.clone()).next().map(|(id, _)| *id) {
            self.ready_at.remove(&id);
        }
    }

    /// Proposes what is queued and what is decided, while there is room; then dispatches what was applied.
    pub(super) async fn flush(&mut self, sessions: &mut BTreeMap<SessionId, Session>) -> Option<Loss> {
        // Also in doubt: what is due and stays so would wake the office again at once.
        if self.starts_due.is_some_and(|due| self.proposals.queued() > 0 || due <= self.clock.monotonic()) {
            self.queue_starts();
        }
        if self.doubt != Doubt::None {
            return None;
        }
        while self.proposals.has_room() {
            let number = self.proposals.next_number();
            let mut items = self.proposals.take(self.shared.config.limits.limits().entry_bytes as usize / 2);
            // What ends in an entry has ended for what is decided for the same entry.
            for item in &items {
                self.note_in_flight(number, item);
            }
            if let Some(decided) = self.decide() {
                self.note_in_flight(number, &decided);
                items.push(decided);
            }
            items.extend(self.foresee(number, &items));
            if items.is_empty() && !self.clock_is_due() {
                break;
            }
            match self.propose(number, items).await {
                Ok(()) => {}
                Err(error @ ProposeError::TooLarge { .. }) => tracing::error!(%error, "commands were dropped"),
                Err(error) => return Some(Loss::Proposal(error)),
            }
        }
        self.dispatch(sessions);
        None
    }

    fn decide(&mut self) -> Option<Item> {
        if !std::mem::take(&mut self.dirty) {
            return None;
        }
        let budget = Budget { sweep: std::mem::take(&mut self.sweep), ..Budget::default() };
        let (now, policy) = (self.clock.now(), self.shared.config.policy());
        let commands =
            self.shared.replica.read(|state| decide(state, &self.in_flight, now, &self.liveness, &policy, budget));
        (!commands.is_empty()).then_some(Item { commands, whom: Whom::Leadership })
    }

    /// Assigns what the items of a proposal make ready.
    fn foresee(&mut self, number: u64, items: &[Item]) -> Option<Item> {
        let commands: Vec<&Command> = items.iter().flat_map(|item| &item.commands).collect();
        let now = self.clock.now();
        let foreseen = self.shared.replica.read(|state| {
            let foreseen = foresee(state, &self.in_flight, number, now, &self.liveness, &commands);
            self.in_flight.add_foreseen(number, state, &foreseen);
            foreseen
        });
        let Foreseen { commands, .. } = foreseen;
        (!commands.is_empty()).then_some(Item { commands, whom: Whom::Leadership })
    }

    fn clock_is_due(&self) -> bool {
        let now = self.clock.now();
        self.proposals.is_idle() && self.shared.replica.read(|state| state.is_due(now.wall, now.elapsed))
    }

    fn note_in_flight(&mut self, number: u64, item: &Item) {
        self.shared.replica.read(|state| self.in_flight.add(number, state, &item.commands));
    }

    async fn propose(&mut self, number: u64, items: Vec<Item>) -> Result<(), ProposeError> {
        let now = self.clock.now();
        let commands: Vec<Command> = items.iter().flat_map(|item| item.commands.iter().cloned()).collect();
        let entry = Entry { epoch: self.epoch, wall: now.wall, elapsed: now.elapsed, commands };
        match self.shared.replica.propose(&entry).await {
            Ok(pending) => {
                #[cfg(planted_bugs)]
                if planted(Bug::SentBeforeCommit) {
                    self.send_uncommitted(&entry.commands);
                }
                self.proposals.enter(number, items, self.clock.monotonic(), pending);
                Ok(())
            }
            Err(error) => {
                self.in_flight.settle(number);
                for item in items {
                    item.fail(ProposeFailure::NotLeading);
                }
                Err(error)
            }
        }
    }

    /// Ends the leadership; nobody is left waiting.
    pub(super) fn end(self) {
        self.proposals.end();
    }
}
