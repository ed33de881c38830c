//! One forager as far as queens can tell: it holds what it is given until it is told to finish.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::flock::Notes;

/// What a session remembers.
#[derive(Debug, Default)]
pub(super) struct Talk {
    sequence: u64,
    /// When heartbeats were sent that are not answered.
    beats: VecDeque<(u64, Instant)>,
    /// In which epoch the stub presented itself here.
    presented: Option<u64>,
    /// Whether it speaks with a leader that has adopted it.
    leads: bool,
}

/// One forager.
#[derive(Debug)]
pub(super) struct Stub {
    which: usize,
    tools: Vec<String>,
    notes: Notes,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    incarnation: Option<u64>,
    epoch_seen: u64,
    lease_until: Option<Instant>,
    /// By the attempt as it is written, whether it is guarded.
    running: BTreeMap<String, bool>,
    /// Ends that are not confirmed.
    ended: Vec<Value>,
    finishes: bool,
}

impl Stub {
    pub(super) fn new(which: usize, tools: &[String], notes: Notes) -> Self {
        Self { which, tools: tools.to_vec(), notes, state: RefCell::default() }
    }

    pub(super) fn hello(&self) -> Value {
        let state = self.state.borrow();
        let running: Vec<Value> = state.running.keys().map(|attempt| read(attempt)).collect();
        json!({
            "type": "forager.hello", "name": format!("stub-{}", self.which), "process": self.which,
            "incarnation": state.incarnation, "epoch_seen": state.epoch_seen, "slots": 1, "tools": self.tools,
            "running": running, "ended": state.ended,
        })
    }

    pub(super) fn heartbeat(&self, talk: &mut Talk) -> Value {
        talk.sequence += 1;
        talk.beats.push_back((talk.sequence, Instant::now()));
        self.watch_lease();
        let state = self.state.borrow();
        json!({
            "type": "forager.heartbeat", "epoch_seen": state.epoch_seen, "sequence": talk.sequence,
            "load": {"running": state.running.len(), "load_average_percent": 0}, "running_digest": 0,
        })
    }

    /// What it answers to a frame.
    pub(super) fn hear(&self, talk: &mut Talk, messages: &[Value]) -> Vec<Value> {
        messages.iter().flat_map(|message| self.hear_one(talk, message)).collect()
    }

    fn hear_one(&self, talk: &mut Talk, message: &Value) -> Vec<Value> {
        if let Some(epoch) = message["epoch"].as_u64() {
            let mut state = self.state.borrow_mut();
            if epoch < state.epoch_seen {
                return Vec::new();
            }
            state.epoch_seen = epoch;
        }
        let incarnation = self.state.borrow().incarnation;
        let addressee = message["incarnation"].as_u64();
        match message["type"].as_str().unwrap_or_default() {
            "queen.welcome" => self.welcome(talk, message),
            "queen.heartbeat_ack" => {
                self.take_lease(talk, message);
                Vec::new()
            }
            "task.assign" | "task.cancel" if addressee != incarnation => {
                self.mishap(&format!("addressed to another incarnation than {incarnation:?}: {message}"));
                Vec::new()
            }
            "task.assign" => self.assign(message),
            "task.confirmed" => {
                let confirmed = message["attempts"].as_array().cloned().unwrap_or_default();
                self.state.borrow_mut().ended.retain(|attempt| !confirmed.contains(attempt));
                Vec::new()
            }
            _ => {
                self.mishap(&message.to_string());
                Vec::new()
            }
        }
    }

    fn welcome(&self, talk: &mut Talk, message: &Value) -> Vec<Value> {
        let Some(epoch) = message["epoch"].as_u64() else {
            talk.leads = false;
            return Vec::new();
        };
        let mut answers = Vec::new();
        let registered = message["incarnation"].as_u64();
        if let Some(incarnation) = registered {
            talk.leads = true;
            self.state.borrow_mut().incarnation = Some(incarnation);
            self.notes.lock().adopted.insert(self.which, epoch);
        }
        if registered.is_none() || talk.presented != Some(epoch) {
            talk.presented = Some(epoch);
            answers.push(self.hello());
            answers.extend(self.reports());
        }
        if registered.is_some() {
            answers.push(self.heartbeat(talk));
            if self.state.borrow().finishes {
                answers.extend(self.end_all()); // nobody led when it was told to
            }
        }
        answers
    }

    fn take_lease(&self, talk: &mut Talk, message: &Value) {
        let sequence = message["sequence"].as_u64().unwrap_or_default();
        while talk.beats.front().is_some_and(|(earlier, _)| *earlier < sequence) {
            talk.beats.pop_front();
        }
        let Some((_, sent_at)) = talk.beats.pop_front_if(|(sent, _)| *sent == sequence) else { return };
        if let Some(lease) = message["lease_ms"].as_u64() {
            let until = Some(sent_at + Duration::from_millis(lease));
            let mut state = self.state.borrow_mut();
            state.lease_until = state.lease_until.max(until);
        }
    }

    fn assign(&self, message: &Value) -> Vec<Value> {
        let attempt = &message["attempt"];
        let mut state = self.state.borrow_mut();
        if state.ended.contains(attempt) {
            return vec![result(attempt)];
        }
        let guarded = message["effects"] == "guarded";
        if state.running.insert(attempt.to_string(), guarded).is_none() {
            let instance = format!("{}/{}/{}", attempt["graph"], attempt["node"], attempt["index"]);
            *self.notes.lock().starts.entry(instance).or_default() += 1;
        }
        let accept = json!({"type": "task.accept", "attempts": [attempt]});
        let finishes = state.finishes;
        drop(state);
        let end = if finishes { self.end_all() } else { Vec::new() };
        std::iter::once(accept).chain(end).collect()
    }

    /// It was told to finish; the leader hears of it.
    pub(super) fn finish(&self, talk: &Talk) -> Vec<Value> {
        self.state.borrow_mut().finishes = true;
        if talk.leads { self.end_all() } else { Vec::new() }
    }

    fn end_all(&self) -> Vec<Value> {
        let mut state = self.state.borrow_mut();
        let ended: Vec<Value> = std::mem::take(&mut state.running).keys().map(|attempt| read(attempt)).collect();
        state.ended.extend(ended.iter().cloned());
        ended.iter().map(result).collect()
    }

    fn reports(&self) -> Vec<Value> {
        self.state.borrow().ended.iter().map(result).collect()
    }

    /// Its guarded work would be dead now.
    fn watch_lease(&self) {
        let state = self.state.borrow();
        let is_over = state.lease_until.is_some_and(|until| until < Instant::now());
        if is_over && state.running.values().any(|guarded| *guarded) {
            self.mishap("its lease is over");
        }
    }

    fn mishap(&self, what: &str) {
        self.notes.lock().mishaps.push(format!("stub-{}: {what}", self.which));
    }
}

fn read(attempt: &str) -> Value {
    serde_json::from_str(attempt).expect("it was written from one")
}

fn result(attempt: &Value) -> Value {
    json!({"type": "task.result", "attempt": attempt, "outcome": "succeeded", "result": null})
}
