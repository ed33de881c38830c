//! All links and all connections.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use antfarm_env::Stream;
use bytes::Bytes;
use tokio::io::ReadBuf;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Host;
use super::link::{Link, Weather};
use super::pipe::{Next, Pipe};
use super::stream::End;
use crate::random::Random;
use crate::sim::clock::millis;

/// A connection that cannot be opened because nothing arrives is tried again this often.
pub(super) const SYN_AGAIN: Duration = Duration::from_millis(200);

/// Of a hundred connections that hung on a link that was cut, so many have been given up when it heals.
const GIVEN_UP_PERCENT: u64 = 30;

/// The first bytes of the last so many conversations are kept, to be said once more by somebody else.
const REMEMBERED: usize = 16;
const REMEMBERED_BYTES: usize = 4 << 10;

/// All links and all connections. A clone is the same network.
#[derive(Clone)]
pub(in crate::sim) struct Fabric(Arc<Mutex<State>>);

struct State {
    began: Instant,
    random: Random,
    links: BTreeMap<(Host, Host), Link>,
    /// Machines without power.
    dark: BTreeSet<Host>,
    listeners: BTreeMap<String, mpsc::Sender<(Stream, String)>>,
    pipes: BTreeMap<u64, Pipe>,
    next: u64,
    /// Where somebody connected, and what was said there first.
    remembered: VecDeque<(u64, String, Vec<u8>)>,
    counts: Counts,
}

/// What has happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::sim) struct Counts {
    pub(in crate::sim) connections: u64,
    pub(in crate::sim) bytes: u64,
    /// Of everything that was read: by whom, when and how much.
    pub(in crate::sim) digest: u64,
}

impl Fabric {
    pub(in crate::sim) fn new(random: Random) -> Self {
        Self(Arc::new(Mutex::new(State {
            began: Instant::now(),
            random,
            links: BTreeMap::new(),
            dark: BTreeSet::new(),
            listeners: BTreeMap::new(),
            pipes: BTreeMap::new(),
            next: 0,
            remembered: VecDeque::new(),
            counts: Counts::default(),
        })))
    }

    pub(in crate::sim) fn counts(&self) -> Counts {
        self.state().counts
    }

    // Faults.

    /// Nothing arrives in this direction until it is healed as often as it was cut.
    pub(in crate::sim) fn cut(&self, from: Host, to: Host) {
        self.state().cut(from, to);
    }

    /// Takes back one cut.
    pub(in crate::sim) fn heal(&self, from: Host, to: Host) {
        self.state().heal(from, to);
    }

    /// How much was held up by cuts of a direction so far, in chunks.
    pub(in crate::sim) fn held(&self, from: Host, to: Host) -> u64 {
        self.state().link(from, to).held
    }

    /// What it is like in this direction from now on.
    pub(in crate::sim) fn set_weather(&self, from: Host, to: Host, weather: Weather) {
        self.state().link(from, to).weather = weather;
    }

    /// How many chunks came late in a direction so far, or at their second try.
    pub(in crate::sim) fn disturbed(&self, from: Host, to: Host) -> u64 {
        self.state().link(from, to).disturbed
    }

    /// Breaks every connection between two hosts; how many there were.
    pub(in crate::sim) fn break_all(&self, one: Host, other: Host) -> usize {
        let mut state = self.state();
        let between = |pipe: &Pipe| (pipe.from, pipe.to) == (one, other) || (pipe.from, pipe.to) == (other, one);
        let ids: Vec<u64> = state.pipes.iter().filter(|(_, pipe)| between(pipe)).map(|(id, _)| *id).collect();
        for id in &ids {
            state.reset(*id);
        }
        ids.len() / 2
    }

    /// A machine loses its power: its connections end without a word.
    pub(in crate::sim) fn darken(&self, host: Host) {
        let mut state = self.state();
        state.dark.insert(host);
        for pipe in state.pipes.values_mut().filter(|pipe| pipe.from == host || pipe.to == host) {
            pipe.silent = true;
        }
    }

    /// It has power again, and knows of no connection from before: it says so to whoever still sends something to it, as
    /// machines do until it is acknowledged.
    pub(in crate::sim) fn brighten(&self, host: Host) {
        let mut state = self.state();
        state.dark.remove(&host);
        let sent_to = |pipe: &Pipe| pipe.to == host && pipe.silent && pipe.is_owed_an_answer();
        let ids: Vec<u64> = state.pipes.iter().filter(|(_, pipe)| sent_to(pipe)).map(|(id, _)| *id).collect();
        for id in ids {
            state.reset(id);
        }
    }

    /// What somebody said first on some connection, and where.
    pub(in crate::sim) fn overheard(&self) -> Option<(String, Vec<u8>)> {
        let mut state = self.state();
        let number = state.remembered.len();
        let place = state.random.pick(number)?;
        state.remembered.get(place).map(|(_, address, bytes)| (address.clone(), bytes.clone()))
    }

    // What hosts do.

    /// Whether a connection could be opened: its first packets must go both ways.
    pub(super) fn reaches(&self, from: Host, to: Host) -> bool {
        let mut state = self.state();
        let open = |state: &mut State, from, to| {
            let link = state.link(from, to);
            link.held += u64::from(link.cuts > 0);
            link.cuts == 0
        };
        open(&mut state, from, to) && open(&mut state, to, from) && !state.dark.contains(&to)
    }

    pub(super) fn round_trip(&self, from: Host, to: Host) -> Duration {
        let mut state = self.state();
        state.transit(from, to) + state.transit(to, from)
    }

    pub(super) fn listen(&self, address: &str, sender: mpsc::Sender<(Stream, String)>) {
        self.state().listeners.insert(address.to_owned(), sender);
    }

    pub(super) fn connect(&self, from: Host, to: Host, address: &str) -> io::Result<End> {
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let mut state = self.state();
        let listener = state.listeners.get(address).cloned().ok_or_else(refused)?;
        let (there, back) = (state.next, state.next + 1);
        state.next += 2;
        state.pipes.insert(there, Pipe::new(from, to, back));
        state.pipes.insert(back, Pipe::new(to, from, there));
        state.counts.connections += 1;
        state.remember(there, address);
        drop(state);
        let near = End::new(self.clone(), back, there);
        let far = End::new(self.clone(), there, back);
        listener.try_send((Box::new(far), from.address(0))).map_err(|_| refused())?;
        Ok(near)
    }

    pub(super) fn read(&self, id: u64, waker: &Waker, buffer: &mut ReadBuf<'_>) -> io::Result<Next> {
        let mut state = self.state();
        let Some(pipe) = state.pipes.get_mut(&id) else { return Ok(Next::End) };
        let next = pipe.read(Instant::now(), |bytes| {
            let some = bytes.len().min(buffer.remaining());
            buffer.put_slice(&bytes[..some]);
            some
        })?;
        match next {
            Next::Bytes(taken) => state.note(id, taken),
            Next::End => {}
            Next::At(_) | Next::Nothing => pipe.reader = Some(waker.clone()),
        }
        Ok(next)
    }

    pub(super) fn write(&self, id: u64, waker: &Waker, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.state();
        let Some(pipe) = state.pipes.get_mut(&id) else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let (from, to) = (pipe.from, pipe.to);
        if pipe.reset {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if pipe.reader_gone || pipe.silent {
            let silent = pipe.silent;
            let nothing_comes_back = state.dark.contains(&to) || state.link(to, from).cuts > 0;
            if nothing_comes_back || state.link(from, to).cuts > 0 {
                if let Some(pipe) = state.pipes.get_mut(&id) {
                    pipe.unheard = true;
                }
                return Poll::Ready(Ok(bytes.len())); // nobody is there, and nobody says so
            }
            if silent {
                state.reset(id);
            }
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let room = pipe.room(bytes.len());
        if room == 0 && !bytes.is_empty() {
            pipe.wait_for_room(waker);
            return Poll::Pending;
        }
        state.send(id, Bytes::copy_from_slice(&bytes[..room]));
        Poll::Ready(Ok(room))
    }

    /// Says that nothing more comes.
    pub(super) fn end(&self, id: u64) {
        let mut state = self.state();
        let Some(pipe) = state.pipes.get_mut(&id) else { return };
        if !std::mem::replace(&mut pipe.writer_gone, true) && !pipe.silent && !pipe.reader_gone {
            state.send(id, Bytes::new());
        }
        state.forget(id);
    }

    /// Nobody reads any more.
    pub(super) fn leave(&self, id: u64) {
        let mut state = self.state();
        let Some(pipe) = state.pipes.get_mut(&id) else { return };
        pipe.reader_gone = true;
        pipe.unheard |= pipe.silent && !pipe.chunks.is_empty();
        pipe.chunks.clear();
        pipe.wake_writer();
        state.forget(id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn link(&mut self, from: Host, to: Host) -> &mut Link {
        self.links.entry((from, to)).or_default()
    }

    fn transit(&mut self, from: Host, to: Host) -> Duration {
        let Self { links, random, .. } = self;
        links.entry((from, to)).or_default().transit(random)
    }

    fn send(&mut self, id: u64, bytes: Bytes) {
        let Some(pipe) = self.pipes.get(&id) else { return };
        let (from, to, last_at) = (pipe.from, pipe.to, pipe.last_at);
        let waits = pipe.chunks.back().is_some_and(|chunk| chunk.at.is_none());
        let link = self.link(from, to);
        let at = if waits || link.cuts > 0 {
            link.held += 1;
            None
        } else {
            Some((Instant::now() + self.transit(from, to)).max(last_at.unwrap_or_else(Instant::now)))
        };
        if let Some((.., said)) = self.remembered.iter_mut().find(|(pipe, ..)| *pipe == id)
            && said.len() < REMEMBERED_BYTES
        {
            said.extend_from_slice(&bytes);
        }
        if let Some(pipe) = self.pipes.get_mut(&id) {
            pipe.send(bytes, at);
        }
    }

    fn cut(&mut self, from: Host, to: Host) {
        let now = Instant::now();
        let mut held = 0;
        for pipe in self.pipes.values_mut().filter(|pipe| pipe.from == from && pipe.to == to) {
            for chunk in pipe.chunks.iter_mut().filter(|chunk| chunk.at.is_some_and(|at| at > now)) {
                chunk.at = None;
                held += 1;
            }
        }
        let link = self.link(from, to);
        link.cuts += 1;
        link.held += held;
    }

    fn heal(&mut self, from: Host, to: Host) {
        let link = self.link(from, to);
        link.cuts = link.cuts.saturating_sub(1);
        if link.cuts > 0 {
            return;
        }
        let on_it = self.pipes.iter().filter(|(_, pipe)| pipe.from == from && pipe.to == to);
        let hung = on_it.filter(|(_, pipe)| pipe.chunks.iter().any(|chunk| chunk.at.is_none()));
        for id in hung.map(|(id, _)| *id).collect::<Vec<_>>() {
            if self.random.percent(GIVEN_UP_PERCENT) {
                self.reset(id);
                continue;
            }
            let mut at = Instant::now() + self.transit(from, to);
            let Some(pipe) = self.pipes.get_mut(&id) else { continue };
            at = at.max(pipe.last_at.unwrap_or(at));
            pipe.last_at = Some(at);
            pipe.chunks.iter_mut().for_each(|chunk| chunk.at = chunk.at.or(Some(at)));
            pipe.wake_reader();
        }
    }

    /// Breaks a connection, given one of its pipes.
    fn reset(&mut self, id: u64) {
        let twin = self.pipes.get(&id).map(|pipe| pipe.twin);
        for id in [Some(id), twin].into_iter().flatten() {
            if let Some(pipe) = self.pipes.get_mut(&id) {
                pipe.reset = true;
                pipe.wake_reader();
                pipe.wake_writer();
            }
        }
    }

    /// A pipe without ends is nothing.
    fn forget(&mut self, id: u64) {
        if self.pipes.get(&id).is_some_and(|pipe| pipe.reader_gone && pipe.writer_gone) {
            self.pipes.remove(&id);
        }
    }

    fn note(&mut self, pipe: u64, bytes: usize) {
        let at = millis(self.began.elapsed());
        self.counts.bytes += bytes as u64;
        for value in [at, pipe, bytes as u64] {
            self.counts.digest = Random::new(self.counts.digest ^ value).next();
        }
    }

    fn remember(&mut self, pipe: u64, address: &str) {
        if self.remembered.len() >= REMEMBERED {
            self.remembered.pop_front();
        }
        self.remembered.push_back((pipe, address.to_owned(), Vec::new()));
    }
}
