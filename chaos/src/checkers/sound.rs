//! Random histories in which everything holds, as a cluster without faults of its own would leave them.
//!
//! One seed decides everything. Clients overlap and lose answers, leaders come and go, one queen lags behind, attempts
//! fail and are tried again; and whatever happens is written down as both sides do, `real` and `sim`.

mod graphs;
mod requests;

use std::collections::BTreeMap;

use self::graphs::Work;
use self::requests::Client;
use crate::history::{
    Ballot, Claim, DiskStep, EntryId, Event, Evidence, FaultKind, ForagerSeen, Goal, Line, Membership, Phase, Plan,
    Progress, QueenStatus, Record, Span, What,
};
use crate::random::Random;

const QUEENS: u16 = 3;
const FORAGERS: u16 = 2;
const CLIENTS: usize = 3;
const SLOTS: u32 = 64;

/// How many things happen in a history.
const STEPS: usize = 220;

/// Wall time when it begins.
const BEGAN_MS: u64 = 1_000_000;

/// The incarnation of the second forager that is lost in between; what it was granted is over long before.
const LOST_INCARNATION: u64 = 7;

/// A history as it is written.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    pub(super) records: Vec<Record>,
    pub(super) ledger: Vec<Line>,
}

impl History {
    /// The history of a seed.
    pub(super) fn of(seed: u64) -> Self {
        let mut world = World::new(seed);
        world.begin();
        for _ in 0..STEPS {
            world.step();
        }
        world.end();
        world.history
    }

    pub(super) fn evidence(self) -> Evidence {
        Evidence::new(self.records, self.ledger)
    }
}

struct World {
    history: History,
    random: Random,
    at_us: u64,
    term: u64,
    leader: u16,
    /// Terms and events of all entries, from index 1 on; all are committed.
    log: Vec<(u64, Vec<Event>)>,
    /// How far each queen has kept and applied the log.
    kept: [u64; QUEENS as usize],
    applied: [u64; QUEENS as usize],
    /// How far each of two readers has read it.
    read: [u64; 2],
    faults: u64,
    work: Work,
    clients: Vec<Client>,
    ops: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            history: History::default(),
            random: Random::new(seed),
            at_us: 0,
            term: 0,
            leader: 1,
            log: Vec::new(),
            kept: [0; QUEENS as usize],
            applied: [0; QUEENS as usize],
            read: [0; 2],
            faults: 0,
            work: Work::default(),
            clients: (1..=CLIENTS).map(Client::new).collect(),
            ops: 0,
        }
    }

    /// Writes something down, a moment after what was written before.
    fn write(&mut self, by: &str, what: What) {
        self.at_us += 1 + self.random.below(2_000);
        let seq = self.history.records.len() as u64;
        self.history.records.push(Record { at_us: self.at_us, by: by.to_owned(), seq, what });
    }

    fn now_ms(&self) -> u64 {
        BEGAN_MS + self.at_us / 1_000
    }

    fn index(&self) -> u64 {
        self.log.len() as u64
    }

    fn begin(&mut self) {
        self.write("nemesis", What::Clock { wall_ms: BEGAN_MS });
        let faults = vec![FaultKind::Kill];
        self.write(
            "nemesis",
            What::Plan(Plan {
                scenario: "sound".into(),
                seed: 1,
                hosts: false,
                queens: QUEENS,
                foragers: FORAGERS,
                slots: SLOTS,
                model_slots: SLOTS,
                faults,
            }),
        );
        for queen in 1..=QUEENS {
            self.disk(queen, DiskStep::Found { ballot: None, log: vec![], purged: 0, snapshot: 0 });
        }
        for reader in 1..=2 {
            self.write(&format!("watch-{reader}"), What::Stream { queen: reader, after: 0 });
        }
        let until_us = self.at_us;
        let forager = "forager-2".to_owned();
        self.write("inside", What::Granted { queen: 1, epoch: 1, forager, incarnation: LOST_INCARNATION, until_us });
        self.elect();
        let membership = Membership { index: 1, voters: vec![(1..=QUEENS).collect()] };
        self.write("inside", What::Members { queen: 1, membership });
        let registered = (1..=FORAGERS).map(|number| super::sample::registered(&format!("forager-{number}"))).collect();
        self.commit(registered);
        self.write("nemesis", What::Phase { phase: Phase::Calm });
        self.write("nemesis", What::Phase { phase: Phase::Faults });
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..3 => self.elect(),
            3..6 => self.lose_the_lost(),
            6..20 => self.follow(),
            20..32 => self.read_on(),
            32..60 => self.work_on(),
            60..62 => self.look_around(),
            _ => self.serve(),
        }
    }

    fn disk(&mut self, queen: u16, step: DiskStep) {
        self.write("inside", What::Disk { queen, life: 1, step });
    }

    fn claim(&mut self, queen: u16, claim: Claim) {
        self.write("inside", What::Claim { queen, life: 1, claim });
    }

    fn any_queen(&mut self) -> u16 {
        1 + u16::try_from(self.random.below(u64::from(QUEENS))).unwrap_or(0)
    }

    fn place(queen: u16) -> usize {
        usize::from(queen) - 1
    }

    /// A fault, and another leader.
    fn elect(&mut self) {
        if self.term > 0 {
            self.faults += 1;
            let (fault, on) = (self.faults, format!("queen-{}", self.leader));
            self.write("nemesis", What::FaultOn { fault, kind: FaultKind::Kill, on, confirmed_by: None });
            self.write("nemesis", What::FaultOff { fault, confirmed_by: Some("another pid".into()) });
        }
        self.term += 1;
        self.leader = self.any_queen();
        self.keep(self.leader);
        let ballot = Ballot { term: self.term, candidate: self.leader };
        self.disk(self.leader, DiskStep::Voted(ballot));
        let voter = self.leader % QUEENS + 1;
        self.disk(voter, DiskStep::Voted(ballot));
        self.claim(voter, Claim::Voted(ballot));
        self.commit(Vec::new());
        let (queen, epoch) = (self.leader, self.term);
        self.write("inside", What::Leads { queen, life: 1, epoch });
        self.write("poll", What::Status(QueenStatus { queen, life: 1, epoch, leads: true }));
        for number in 1..=FORAGERS {
            self.write("inside", What::Learnt { forager: format!("forager-{number}"), life: 1, epoch });
        }
    }

    /// An entry is kept by the leader and one other, and applied by the leader. Its index.
    fn commit(&mut self, events: Vec<Event>) -> u64 {
        self.log.push((self.term, events));
        let index = self.index();
        let other = 1 + (self.leader + u16::try_from(self.random.below(2)).unwrap_or(0)) % QUEENS;
        self.keep(self.leader);
        self.keep(other);
        self.claim(other, Claim::Matched { term: self.term, upto: index });
        self.claim(self.leader, Claim::Committed { upto: EntryId { index, term: self.term } });
        self.apply(self.leader);
        index
    }

    /// A queen keeps everything that there is.
    fn keep(&mut self, queen: u16) {
        let from = self.kept[Self::place(queen)] + 1;
        let mut entries: Vec<Span> = Vec::new();
        for index in from..=self.index() {
            let term = self.log[usize::try_from(index).unwrap_or(0) - 1].0;
            match entries.last_mut() {
                Some(span) if span.term == term => span.last = index,
                Some(_) | None => entries.push(Span { term, first: index, last: index }),
            }
        }
        if !entries.is_empty() {
            self.disk(queen, DiskStep::Kept { entries });
        }
        self.kept[Self::place(queen)] = self.index();
    }

    /// A queen applies everything that she has kept, and says so.
    fn apply(&mut self, queen: u16) {
        let place = Self::place(queen);
        for index in self.applied[place] + 1..=self.kept[place] {
            let term = self.log[usize::try_from(index).unwrap_or(0) - 1].0;
            self.write("inside", What::Applied { queen, life: 1, index, term, digest: format!("entry {index}") });
        }
        self.applied[place] = self.kept[place];
    }

    /// A queen catches up, and is looked at.
    fn follow(&mut self) {
        let queen = self.any_queen();
        self.keep(queen);
        self.apply(queen);
        let applied = self.applied[Self::place(queen)];
        self.write("poll", What::Position { queen, life: 1, applied, digest: format!("state {applied}") });
        let (term, last) = (self.log[usize::try_from(applied).unwrap_or(0) - 1].0, Some(applied));
        let progress =
            Progress { queen, life: 1, term, purged: None, snapshot: None, applied, committed: applied, last };
        self.write("poll", What::Progress(progress));
    }

    fn read_on(&mut self) {
        let reader = usize::try_from(self.random.below(2)).unwrap_or(0);
        let by = format!("watch-{}", reader + 1);
        for index in self.read[reader] + 1..=self.index() {
            let events = self.log[usize::try_from(index).unwrap_or(0) - 1].1.clone();
            if !events.is_empty() {
                self.write(&by, What::Entry { index, events });
            }
        }
        self.read[reader] = self.index();
        self.write(&by, What::Read { upto: self.read[reader] });
    }

    fn lose_the_lost(&mut self) {
        self.write("inside", What::Lost { forager: "forager-2".into(), incarnation: LOST_INCARNATION });
    }

    fn look_around(&mut self) {
        let open = self.work.open();
        let seen = |(name, open): (&String, &u32)| ForagerSeen {
            name: name.clone(),
            state: "ready".into(),
            slots: SLOTS,
            open: *open,
            open_model: 0,
        };
        let foragers: Vec<ForagerSeen> = open.iter().map(seen).collect();
        let index = self.index();
        self.write("poll", What::Foragers { index, foragers });
        self.write("poll", What::Memory { process: "queen-1".into(), life: 1, kib: 40_000 });
        let queue = "peer 2".to_owned();
        self.write("inside", What::Queue { process: "queen-1".into(), queue, length: 3, limit: 8 });
        let end = crate::history::HostileEnd::Refused;
        self.write("hostile", What::Hostile { to: "queen-1".into(), sent: "noise".into(), end });
        let attempts = self.work.open_attempts();
        self.write("inside", What::Open { queen: self.leader, applied: index, attempts });
        let (graph, node, reason) = ("g1".into(), "write".into(), "no_forager_available".into());
        self.write("poll", What::Waits { graph, node, reason, ready_foragers: 0 });
    }

    fn end(&mut self) {
        self.write("nemesis", What::Phase { phase: Phase::Healed });
        for goal in
            [Goal::Leader, Goal::FreshSubmission, Goal::AllFinal, Goal::Settled, Goal::Resumed, Goal::ServesAgain]
        {
            self.write("closing", What::Reached { goal, after_ms: Some(100), last_look: String::new() });
        }
        for queen in 1..=QUEENS {
            self.keep(queen);
            self.apply(queen);
            let applied = self.index();
            self.write("poll", What::Position { queen, life: 1, applied, digest: format!("state {applied}") });
        }
        for _ in 0..12 {
            self.read_on();
        }
        for (graph, results) in self.work.finals() {
            self.write("closing", What::Final { graph, results });
        }
    }
}

#[test]
fn histories_without_a_fault_are_found_sound() {
    let mut kinds = BTreeMap::new();
    for seed in 0..60 {
        let evidence = History::of(seed).evidence();
        for record in &evidence.records {
            let value = serde_json::to_value(record).expect("a record is plain JSON");
            *kinds.entry(value["what"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
        let violations = super::check_evidence(&evidence);
        assert!(violations.is_empty(), "seed {seed}: {violations:?}");
        let agreement = super::compare_linearizability(&evidence).expect("both checks agree");
        assert!(agreement.witnessed > 0, "seed {seed}: {agreement:?}");
    }
    for kind in ["ok", "fail", "info", "attempt", "entry", "final", "claim", "foragers", "lost"] {
        assert!(kinds.get(kind) > Some(&10), "there are few records {kind}: {kinds:?}");
    }
}
