//! Finds a queen that answers: asks the next one when one is slow, and all of them again until the time is over.

use std::time::Duration;

use antfarm_planted::{Bug, planted};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::answer::Answer;
use crate::error::{ClientError, Problem};
use crate::transport::{Ask, NoAnswer, Transport};

/// After how long without an answer the next queen is asked, too.
const NEXT_AFTER: Duration = Duration::from_millis(300);

/// How long to go on after a queen said that there is no quorum, or that it lost its own.
const AFTER_NO_QUORUM: Duration = Duration::from_secs(2);

/// The pause after all queens were asked in vain.
const ROUND_PAUSE: Duration = Duration::from_millis(100);

/// One request on its way to some answer.
pub(crate) struct Search<'a> {
    transport: &'a Transport,
    servers: &'a [String],
    ask: &'a Ask,
    deadline: Instant,
    first_no_quorum: Option<Instant>,
    may_have_arrived: bool,
    /// What the queens said last.
    last: Option<String>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(transport: &'a Transport, servers: &'a [String], ask: &'a Ask, within: Duration) -> Self {
        let deadline = Instant::now() + within;
        Self { transport, servers, ask, deadline, first_no_quorum: None, may_have_arrived: false, last: None }
    }

    /// The answer, and the position of the queen that gave it; `first` is asked first.
    pub(crate) async fn run(mut self, first: usize) -> Result<(Answer, usize), ClientError> {
        if self.servers.is_empty() {
            return Err(ClientError::NoServer);
        }
        loop {
            if let Some((answer, server)) = self.round(first).await {
                return match answer.problem() {
                    None => Ok((answer, server)),
                    Some(problem) => Err(ClientError::Refused(problem)),
                };
            }
            let again = Instant::now() + ROUND_PAUSE;
            if again >= self.end() {
                return Err(self.give_up());
            }
            sleep_until(again).await;
        }
    }

    /// Asks each queen once, one after another or, if they are slow, side by side.
    async fn round(&mut self, first: usize) -> Option<(Answer, usize)> {
        let repeats = self.may_have_arrived && planted(Bug::AnotherId);
        let other = if repeats { self.ask.under_another_id() } else { None };
        let (transport, servers, ask) = (self.transport, self.servers, other.as_ref().unwrap_or(self.ask));
        let mut waiting = (0..servers.len()).map(|step| (first + step) % servers.len());
        let asked = |server: usize| async move { (server, transport.ask(&servers[server], ask).await) };
        let mut under_way = FuturesUnordered::new();
        let mut ask_next_at = Instant::now();
        loop {
            if ask_next_at <= Instant::now()
                && let Some(next) = waiting.next()
            {
                under_way.push(asked(next));
                ask_next_at = Instant::now() + NEXT_AFTER;
            }
            if under_way.is_empty() {
                return None;
            }
            let until = if waiting.len() > 0 { ask_next_at.min(self.end()) } else { self.end() };
            match timeout_at(until, under_way.next()).await {
                Ok(Some((server, Ok(answer)))) => match self.note(&answer) {
                    Verdict::Final => return Some((answer, server)),
                    Verdict::AskAgain => ask_next_at = Instant::now(),
                },
                Ok(Some((server, Err(NoAnswer { may_have_arrived, why })))) => {
                    self.may_have_arrived |= may_have_arrived;
                    // What a queen said about the quorum explains more than that another one is not there.
                    if self.first_no_quorum.is_none() {
                        self.last = Some(format!("{}: {why}", servers[server]));
                    }
                    ask_next_at = Instant::now();
                }
                Ok(None) => return None,
                Err(_) if Instant::now() >= self.end() => {
                    self.may_have_arrived = true;
                    return None;
                }
                Err(_) => {}
            }
        }
    }

    fn note(&mut self, answer: &Answer) -> Verdict {
        let Some(problem) = answer.problem() else { return Verdict::Final };
        match problem.kind() {
            "no-quorum" => {
                self.first_no_quorum.get_or_insert_with(Instant::now);
            }
            "outcome-unknown" => {
                self.first_no_quorum.get_or_insert_with(Instant::now);
                self.may_have_arrived = true;
            }
            "no-leader" | "not-ready" => {}
            _ => return Verdict::Final,
        }
        let Problem { detail, .. } = problem;
        self.last = Some(format!("{}: {detail}", answer.server));
        Verdict::AskAgain
    }

    fn end(&self) -> Instant {
        self.first_no_quorum.map_or(self.deadline, |said| self.deadline.min(said + AFTER_NO_QUORUM))
    }

    fn give_up(self) -> ClientError {
        let last = self.last.unwrap_or_else(|| format!("No answer from {}", self.servers.join(", ")));
        if self.may_have_arrived && !self.ask.is_read() {
            ClientError::OutcomeUnknown(last)
        } else {
            ClientError::NoLeader(last)
        }
    }
}

enum Verdict {
    Final,
    AskAgain,
}
