//! Replicas, leaders, foragers and messages on their way; each step lets one of them do something.

use std::time::Duration;

use antfarm_model::{
    CostClass, EffectClass, Epoch, ForagerNo, GraphNo, Incarnation, Limits, Manifest, Name, Span, document,
};
use antfarm_scheduler::{AttemptOutcome, Command, GraphRecord, GraphSource, LoadError, Registration, Reply, State};

use super::Summary;
use super::applied::Applied;
use super::forager::{Forager, Rules, ToForager};
use super::leader::Leader;
use super::log::Log;
use crate::checkers::{Fact, Violation, check_facts, check_replicas};
use crate::random::Random;

const REPLICAS: usize = 3;
const NAMES: usize = 3;
const SLOTS: u32 = 2;

/// Processes that want the same name, each with a data folder of its own.
const RIVALS: usize = 2;

/// Messages that are on their way at most; more are lost.
const MAX_MESSAGES: usize = 64;

/// For how long the id of a removed graph stays taken: longer than any history.
const DEDUPE_WINDOW: Span = Span::from_secs(7 * 24 * 3_600);

const TOOLS: [(&str, EffectClass); 3] =
    [("pure", EffectClass::Pure), ("write", EffectClass::Guarded), ("pay", EffectClass::Irrevocable)];

/// A session belongs to one incarnation: what an older one carried is never read after the next one has begun.
struct Message {
    incarnation: Incarnation,
    term: u64,
    epoch: Epoch,
    body: ToForager,
}

pub(super) struct World {
    rules: Rules,
    random: Random,
    now: u64,
    log: Log,
    replicas: Vec<State>,
    leaders: Vec<Leader>,
    foragers: Vec<Forager>,
    messages: Vec<Message>,
    submitted: u64,
    facts: Vec<Fact>,
    applied: Applied,
    summary: Summary,
}

impl World {
    /// The world of a seed, whose foragers keep these rules.
    pub(super) fn new(seed: u64, rules: Rules) -> Self {
        let mut world = Self {
            rules,
            random: Random::new(seed),
            now: 1,
            log: Log::default(),
            replicas: (0..REPLICAS).map(|_| State::new(0)).collect(),
            leaders: Vec::new(),
            foragers: (0..NAMES * RIVALS)
                .map(|which| Forager { rules, name: which % NAMES, ..Forager::default() })
                .collect(),
            messages: Vec::new(),
            submitted: 0,
            facts: Vec::new(),
            applied: Applied::default(),
            summary: Summary::default(),
        };
        for which in 0..world.foragers.len() {
            world.foragers[which].process = world.random.next();
        }
        world.elect();
        let manifests = TOOLS.map(|(tool, effects)| Manifest { effects, ..Manifest::new(name(tool), CostClass::Cpu) });
        world.propose(0, &manifests.map(Command::PutTool));
        world
    }

    pub(super) fn step(&mut self) {
        self.now += self.random.below(60);
        match self.random.below(1_000) {
            0..6 => self.elect(),
            6..16 => self.now += self.random.below(6_000),
            16..36 => self.submit(),
            36..40 => self.cancel(),
            40..44 => self.remove(),
            44..56 => self.register(),
            56..76 => self.cut_off(),
            76..82 => self.restart_forager(),
            82..92 => self.restart_replica(),
            92..300 => self.lead(),
            300..520 => self.replicate(),
            520..700 => self.deliver(),
            700..730 => self.work(),
            _ => self.report(),
        }
        self.kill_unleased();
    }

    /// Every replica applies what is committed; then everything is held to what must hold.
    pub(super) fn check(&mut self) -> Result<(), Violation> {
        for replica in 0..REPLICAS {
            while self.apply_one(replica) {}
        }
        check_facts(&self.facts)?;
        self.applied.check()?;
        check_replicas(&self.replicas)
    }

    #[cfg(test)]
    pub(super) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    pub(super) fn into_summary(mut self) -> Summary {
        self.summary.simulated = Duration::from_millis(self.now);
        self.summary.entries = self.log.committed();
        let finished =
            |state: &State| state.graphs_from(GraphNo(0)).filter(|graph| graph.finished_at.is_some()).count();
        self.summary.graphs_finished = self.replicas.iter().map(finished).max().unwrap_or(0) as u64;
        self.summary
    }

    /// A new leader. Its replica has everything that is committed; former leaders do not know, unless they are told.
    fn elect(&mut self) {
        let term = self.log.elect(&mut self.random);
        let replica = usize::try_from(self.random.below(REPLICAS as u64)).unwrap_or(0);
        self.leaders.retain(|leader| leader.replica != replica);
        self.leaders.push(Leader::new(term, replica, self.now));
        while self.apply_one(replica) {}
        self.summary.elections += 1;
    }

    /// A graph appears, or is submitted once more.
    fn submit(&mut self) {
        let again = self.random.percent(20) && self.submitted > 0;
        let number = if again { 1 + self.random.below(self.submitted) } else { self.submitted + 1 };
        self.submitted = number.max(self.submitted);
        let tool = TOOLS[usize::try_from(number).unwrap_or(0) % TOOLS.len()].0;
        let text = format!(
            "{{id: g{number}, on_failure: continue, nodes: {{a: {{tool: {tool}, array: {{count: 3}}}}, b: {{tool: write, after: [a]}}}}}}"
        );
        let graph = document::graph(text.as_bytes(), &Limits::default()).expect("the simulation submits good graphs");
        let command = Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into()));
        self.propose_anywhere(&[command]);
    }

    fn cancel(&mut self) {
        if let Some(graph) = self.any_graph(|_| true) {
            self.propose_anywhere(&[Command::CancelGraph { graph }]);
        }
    }

    /// Forgets a graph that has ended, as leaders do after the retention.
    fn remove(&mut self) {
        if let Some(graph) = self.any_graph(|graph| graph.finished_at.is_some()) {
            self.propose_anywhere(&[Command::RemoveGraph { graph, dedupe_window: DEDUPE_WINDOW }]);
        }
    }

    fn any_graph(&mut self, is_meant: impl Fn(&GraphRecord) -> bool) -> Option<GraphNo> {
        let replica = self.random.pick(REPLICAS)?;
        let graphs = self.replicas[replica].graphs_from(GraphNo(0)).filter(|graph| is_meant(graph));
        let graphs: Vec<_> = graphs.map(|graph| graph.no).collect();
        self.random.pick(graphs.len()).map(|place| graphs[place])
    }

    fn propose_anywhere(&mut self, commands: &[Command]) {
        if let Some(leader) = self.random.pick(self.leaders.len()) {
            self.propose(leader, commands);
        }
    }

    fn propose(&mut self, leader: usize, commands: &[Command]) {
        let leader = &mut self.leaders[leader];
        let state = &self.replicas[leader.replica];
        let Some(index) = self.log.next(leader.term) else {
            self.summary.refused_appends += 1;
            return;
        };
        let mut commands = commands.to_vec();
        leader.note(state, index, &commands);
        commands.extend(leader.foresee(state, self.now, index, &commands));
        self.log.append(leader.term, leader.entry(state, self.now, commands));
    }

    /// A forager registers, with or without the journal of its former incarnation.
    fn register(&mut self) {
        let Some(which) = self.random.pick(self.foragers.len()) else { return };
        let forager = &self.foragers[which];
        if self.now < forager.cut_until && forager.cut_from.is_none() {
            return;
        }
        let known = forager.running.keys().chain(forager.ended.keys()).copied().collect();
        let registration = Registration {
            name: name(&format!("f{}", forager.name)),
            process: Some(forager.process),
            former: forager.incarnation.or(forager.former),
            known,
            rebooted: false,
            slots: SLOTS,
            class_slots: [None; 3],
            prefetch: 0,
            tools: TOOLS.iter().map(|(tool, _)| name(tool)).collect(),
            poison_limit: 3,
        };
        self.propose_anywhere(&[Command::Register(registration)]);
    }

    fn cut_off(&mut self) {
        let Some(which) = self.random.pick(self.foragers.len()) else { return };
        let newest = self.leaders.iter().map(|leader| leader.term).max();
        self.foragers[which].cut_from = newest.filter(|_| self.random.percent(50));
        self.foragers[which].cut_until = self.now + self.random.below(20_000);
    }

    /// The process dies and starts again with its journal: what ran is interrupted, as its keeper or its group is killed.
    fn restart_forager(&mut self) {
        let Some(which) = self.random.pick(self.foragers.len()) else { return };
        for attempt in self.foragers[which].running.keys().copied().collect::<Vec<_>>() {
            self.end(which, attempt, false);
        }
        let process = self.random.next();
        self.foragers[which].restart(process);
        self.summary.restarts += 1;
    }

    /// A replica that does not lead starts again from a snapshot of itself.
    fn restart_replica(&mut self) {
        let replica = usize::try_from(self.random.below(REPLICAS as u64)).unwrap_or(0);
        let records: Vec<_> = self.replicas[replica].snapshot().records().map(Ok::<_, LoadError>).collect();
        self.replicas[replica] = State::load(records).expect("a snapshot loads");
        self.leaders.retain(|leader| leader.replica != replica);
    }

    /// A leader, the newest or an older one, decides and dispatches.
    fn lead(&mut self) {
        let Some(which) = self.random.pick(self.leaders.len()) else { return };
        let replica = self.leaders[which].replica;
        if self.leaders[which].term == self.log.term() {
            self.leaders[which].quorum_asked_at = self.now;
        }
        self.leaders[which].settle(self.replicas[replica].applied().index.0);
        let commands = self.leaders[which].decide(&self.replicas[replica], self.now);
        self.summary.losses += commands.iter().filter(|command| matches!(command, Command::Lose { .. })).count() as u64;
        if !commands.is_empty() {
            self.propose(which, &commands);
        }
        self.dispatch(which);
        if self.leaders[which].term < self.log.term() && self.random.percent(2) {
            self.leaders.remove(which); // it hears of the newer term
        }
    }

    /// Sends every forager that this leader hears what it should run, whether it was sent before or not.
    fn dispatch(&mut self, which: usize) {
        let leader = &self.leaders[which];
        let state = &self.replicas[leader.replica];
        let epoch = state.epoch(leader.term);
        for forager in state.foragers() {
            let heard = leader.liveness.contacts.get(&forager.no);
            let is_judged = self.rules.withholding && leader.in_flight.touches_forager(forager.no);
            if is_judged || heard.is_none_or(|contact| contact.incarnation != forager.incarnation) {
                continue;
            }
            for (attempt, open) in forager.attempts() {
                let effects =
                    state.graph(attempt.instance.graph).map(|graph| graph.shape().tool(attempt.instance.node).effects);
                let may_overlap = effects.is_some_and(EffectClass::may_overlap);
                let body = match open.cancel {
                    Some(_) => ToForager::Cancel { attempt: *attempt },
                    None => ToForager::Assign { attempt: *attempt, may_overlap },
                };
                let committed = attempt.fence.0 <= self.log.committed();
                self.facts.push(Fact::Dispatched { epoch, attempt: *attempt, committed });
                self.messages.push(Message { incarnation: forager.incarnation, term: leader.term, epoch, body });
            }
        }
        while self.messages.len() > MAX_MESSAGES {
            let lost = self.random.pick(self.messages.len()).unwrap_or(0);
            self.messages.swap_remove(lost);
        }
    }

    fn replicate(&mut self) {
        self.log.commit_one();
        let replica = usize::try_from(self.random.below(REPLICAS as u64)).unwrap_or(0);
        for _ in 0..=self.random.below(8) {
            self.apply_one(replica);
        }
    }

    fn apply_one(&mut self, replica: usize) -> bool {
        let state = &mut self.replicas[replica];
        let Some((position, logged)) = self.log.get(state.applied().index.0 + 1) else { return false };
        let Some(entry) = &logged.entry else {
            state.skip(position);
            return true;
        };
        let outcome = state.apply(position, entry);
        self.applied.note(&entry.commands, &outcome);
        for answer in outcome.answers {
            if let Ok(Reply::Registered { forager, incarnation }) = answer
                && let Some(process) = state.forager(forager).and_then(|record| record.process)
                && let Some(own) = self.foragers.iter_mut().find(|own| own.process == process)
                && own.incarnation < Some(incarnation)
                && self.random.percent(60)
            {
                own.incarnation = Some(incarnation); // the answer reached it
            }
        }
        true
    }

    /// A message arrives, late, in any order, perhaps twice, or never.
    fn deliver(&mut self) {
        let Some(which) = self.random.pick(self.messages.len()) else { return };
        let twice = self.random.percent(10);
        let message = self.messages.swap_remove(which);
        let Message { incarnation, term, epoch, body } = message;
        if twice {
            self.messages.push(Message { incarnation, term, epoch, body });
        }
        let owner = self.foragers.iter().position(|forager| forager.incarnation == Some(incarnation));
        let Some(number) = owner else { return };
        let to = ForagerNo(u32::try_from(number).expect("there are few"));
        let forager = &mut self.foragers[number];
        if forager.is_cut_from(term, self.now) {
            return;
        }
        if !forager.accepts(epoch) {
            self.summary.stale_messages += 1;
            return;
        }
        self.facts.push(Fact::EpochSeen { forager: to, epoch });
        match body {
            ToForager::Assign { attempt, may_overlap } => {
                if forager.starts(attempt, may_overlap, self.now) {
                    self.summary.starts += 1;
                    self.facts.push(Fact::Started { forager: to, epoch, attempt, may_overlap, at: self.now });
                }
            }
            ToForager::Cancel { attempt } => self.end(number, attempt, false),
            ToForager::Lease { until } => forager.lease_until = forager.lease_until.max(until),
        }
    }

    /// Something that runs ends.
    fn work(&mut self) {
        let Some(which) = self.random.pick(self.foragers.len()) else { return };
        let running: Vec<_> = self.foragers[which].running.keys().copied().collect();
        if let Some(attempt) = self.random.pick(running.len()).map(|place| running[place]) {
            self.end(which, attempt, true);
        }
    }

    fn end(&mut self, which: usize, attempt: antfarm_scheduler::AttemptId, succeeded: bool) {
        if self.foragers[which].ends(attempt, succeeded) {
            self.facts.push(Fact::Ended { attempt, at: self.now });
        }
    }

    fn kill_unleased(&mut self) {
        for which in 0..self.foragers.len() {
            for attempt in self.foragers[which].unleased(self.now) {
                self.end(which, attempt, false);
            }
        }
    }

    /// A forager talks to a leader: heartbeat, lease, unconfirmed ends.
    fn report(&mut self) {
        let Some(which) = self.random.pick(self.foragers.len()) else { return };
        let Some(to) = self.random.pick(self.leaders.len()) else { return };
        let forager = &self.foragers[which];
        let replica = self.leaders[to].replica;
        let record = self.replicas[replica]
            .forager_named(&format!("f{}", forager.name))
            .map(|record| (record.no, record.incarnation, record.lost));
        let Some((no, incarnation, lost)) = record else { return };
        let term = self.leaders[to].term;
        if forager.is_cut_from(term, self.now) || forager.incarnation != Some(incarnation) {
            return;
        }
        let ended: Vec<_> = forager.ended.iter().map(|(attempt, succeeded)| (*attempt, *succeeded)).collect();
        self.leaders[to].hear(no, incarnation, self.now);
        let is_judged = self.rules.withholding && self.leaders[to].in_flight.touches_forager(no);
        let sent_at = self.now - self.random.below(500).min(self.now); // its heartbeat was on its way for a while
        let length = self.leaders[to].grant(self.now).filter(|_| !lost && !is_judged);
        if let Some(length) = length {
            let (until, epoch) = (sent_at + length, self.replicas[replica].epoch(term));
            self.messages.push(Message { incarnation, term, epoch, body: ToForager::Lease { until } });
        }
        let commands = ended.into_iter().map(|(attempt, succeeded)| {
            let outcome =
                if succeeded { AttemptOutcome::Succeeded { result: "1".into() } } else { AttemptOutcome::Interrupted };
            Command::End { forager: no, attempts: attempt.into(), outcome }
        });
        let commands: Vec<_> = commands.collect();
        if !commands.is_empty() {
            self.propose(to, &commands);
        }
    }
}

fn name(text: &str) -> Name {
    Name::new(text).expect("the simulation uses good names")
}
