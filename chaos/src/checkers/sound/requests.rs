//! Clients in a sound history: each asks, is heard at some moment, and is answered later, or never.

use super::World;
use super::graphs::spec;
use crate::history::{Call, GraphShown, What};

/// Of a hundred answers, so many are lost.
const LOST_PERCENT: u64 = 12;

/// Of a hundred requests without an answer, so many take effect later, as soon as they are looked at.
const LATE_PERCENT: u64 = 20;

/// Few graphs, so that clients meet each other at them.
const MOST_GRAPHS: u64 = 4;

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    name: String,
    request: Option<Request>,
    /// What has no answer and has had no effect yet.
    unheard: Vec<Call>,
}

#[derive(Debug)]
struct Request {
    op: u64,
    queen: u16,
    call: Call,
    answer: Option<Answer>,
}

#[derive(Debug)]
enum Answer {
    Shown { status: u16, index: u64, graph: GraphShown },
    Refused { status: u16 },
}

impl Client {
    pub(super) fn new(number: usize) -> Self {
        Self { name: format!("client-{number}"), request: None, unheard: Vec::new() }
    }
}

impl World {
    /// Some client goes on.
    pub(super) fn serve(&mut self) {
        let Some(client) = self.random.pick(self.clients.len()) else { return };
        if self.random.percent(LATE_PERCENT) && !self.clients[client].unheard.is_empty() {
            let call = self.clients[client].unheard.remove(0);
            self.hear(&call, 1);
        }
        match self.clients[client].request.take() {
            None => self.ask(client),
            Some(request) if request.answer.is_none() && !self.random.percent(LOST_PERCENT) => {
                let answer = Some(self.hear(&request.call, request.queen));
                self.clients[client].request = Some(Request { answer, ..request });
            }
            Some(request) => self.answer(client, request),
        }
    }

    fn ask(&mut self, client: usize) {
        let made = self.work.graphs.len() as u64;
        let number = usize::try_from(self.random.below((made + 2).min(MOST_GRAPHS))).unwrap_or(0);
        let graph = format!("g{number}");
        let call = match self.random.below(10) {
            0..4 => Call::Submit { graph: spec(number) },
            4 if self.work.find(&graph).is_some() => Call::Conflict { graph },
            4 | 5 => Call::Cancel { graph },
            6 | 7 => Call::Read { graph, stale: false },
            _ => Call::Read { graph, stale: true },
        };
        self.ops += 1;
        // Whoever reads what is old does so at one queen, and must not be sent back.
        let is_stale = matches!(call, Call::Read { stale: true, .. });
        let queen = if is_stale { u16::try_from(client).unwrap_or(0) % super::QUEENS + 1 } else { self.any_queen() };
        let op = self.ops;
        let by = self.clients[client].name.clone();
        self.write(&by, What::Invoke { op, queen, call: call.clone() });
        self.clients[client].request = Some(Request { op, queen, call, answer: None });
    }

    /// A request takes effect.
    fn hear(&mut self, call: &Call, queen: u16) -> Answer {
        let id = match call {
            Call::Submit { graph } => &graph.id,
            Call::Conflict { graph } | Call::Cancel { graph } | Call::Read { graph, .. } => graph,
            Call::Decide { .. } => return Answer::Refused { status: 404 },
        };
        let found = self.work.find(id);
        let (status, index) = match (call, found) {
            (Call::Submit { .. }, None) => (201, self.make(id[1..].parse().expect("ids are numbered"))),
            (Call::Conflict { .. }, Some(_)) => return Answer::Refused { status: 409 },
            (Call::Cancel { .. }, Some(place)) if !self.cancel(place) => return Answer::Refused { status: 409 },
            (Call::Read { stale: true, .. }, _) => (200, self.applied[Self::place(queen)]),
            _ => (200, self.index()),
        };
        let graph = self.work.find(id).and_then(|place| self.work.graphs[place].shown(index));
        graph.map_or(Answer::Refused { status: 404 }, |graph| Answer::Shown { status, index, graph })
    }

    fn answer(&mut self, client: usize, request: Request) {
        let Request { op, call, answer, .. } = request;
        let was_heard = answer.is_some();
        let what = match answer.filter(|_| !self.random.percent(LOST_PERCENT)) {
            Some(Answer::Shown { status, index, graph }) => {
                What::Ok { op, status, index, life: Some(1), graph: Some(graph) }
            }
            Some(Answer::Refused { status }) => What::Fail { op, status, index: 0, problem: "no".into() },
            None => {
                self.clients[client].unheard.extend((!was_heard).then_some(call));
                What::Info { op, why: "no answer".into() }
            }
        };
        let by = self.clients[client].name.clone();
        self.write(&by, what);
    }
}
