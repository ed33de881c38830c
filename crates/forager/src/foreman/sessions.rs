//! The sessions with queens: who is there, who leads, and what is to be said to whom.

mod lines;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use antfarm_model::{Epoch, MemberId};
use antfarm_protocol::{ForagerMessage, MemberAddress};
use tokio::sync::mpsc;

use crate::config::QueenAddress;
use crate::session::{Event, SessionNo};

pub(crate) use lines::Lines;

/// Heartbeats of a session whose answers are still taken.
const HEARTBEATS_AWAITED: usize = 64;

/// At the end sessions have this long to send what waits.
const FAREWELL_WITHIN: Duration = Duration::from_secs(1);

/// All sessions, and the lines that keep them.
pub(crate) struct Sessions {
    lines: Lines,
    open: BTreeMap<SessionNo, Session>,
    leader: Option<SessionNo>,
}

struct Session {
    address: QueenAddress,
    outgoing: mpsc::Sender<ForagerMessage>,
    outbox: Vec<ForagerMessage>,
    /// Who it is with, once she has said so.
    member: Option<MemberId>,
    /// When the oldest hello was said that no leader has answered, on the boot-time clock.
    greeted_at: Option<Duration>,
    /// In which epoch this forager presented itself here.
    presented: Option<Epoch>,
    sequence: u64,
    /// When heartbeats were sent, on the boot-time clock.
    beats: VecDeque<(u64, Duration)>,
}

impl Sessions {
    /// No session yet; the lines begin to open them.
    pub(crate) fn new(lines: Lines) -> Self {
        Self { lines, open: BTreeMap::new(), leader: None }
    }

    pub(super) fn opened(&mut self, session: SessionNo, address: QueenAddress, outgoing: mpsc::Sender<ForagerMessage>) {
        let new = Session {
            address,
            outgoing,
            outbox: Vec::new(),
            member: None,
            greeted_at: None,
            presented: None,
            sequence: 0,
            beats: VecDeque::new(),
        };
        self.open.insert(session, new);
    }

    pub(super) fn closed(&mut self, session: SessionNo) {
        let member = self.open.remove(&session).and_then(|closed| closed.member);
        if let Some(member) = member
            && !self.open.values().any(|open| open.member == Some(member))
        {
            self.lines.lost(member);
        }
        if self.leader == Some(session) {
            // One of the others leads next, and they may have started again since they were tried last.
            self.leader = None;
            self.lines.hurry();
        }
    }

    /// Ends a session; its line opens another later.
    pub(super) fn drop_session(&mut self, session: SessionNo) {
        self.closed(session);
    }

    pub(super) fn is_open(&self, session: SessionNo) -> bool {
        self.open.contains_key(&session)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn address(&self, session: SessionNo) -> Option<&QueenAddress> {
        self.open.get(&session).map(|session| &session.address)
    }

    /// The session with the leader: the one that spoke with the highest epoch last.
    pub(super) fn leader(&self) -> Option<SessionNo> {
        self.leader
    }

    pub(super) fn leader_address(&self) -> Option<&QueenAddress> {
        self.address(self.leader?)
    }

    pub(super) fn follow(&mut self, session: SessionNo) {
        self.leader = Some(session);
    }

    pub(super) fn follow_nobody(&mut self) {
        self.leader = None;
    }

    pub(super) fn unfollow(&mut self, session: SessionNo) {
        if self.leader == Some(session) {
            self.leader = None;
        }
    }

    pub(super) fn said_hello(&mut self, session: SessionNo, boot_time: Duration) {
        if let Some(session) = self.open.get_mut(&session) {
            session.greeted_at.get_or_insert(boot_time);
        }
    }

    pub(super) fn presented(&mut self, session: SessionNo, epoch: Epoch) {
        if let Some(session) = self.open.get_mut(&session) {
            session.presented = Some(epoch);
        }
    }

    pub(super) fn was_presented(&self, session: SessionNo, epoch: Epoch) -> bool {
        self.open.get(&session).is_none_or(|session| session.presented == Some(epoch))
    }

    /// Takes note of whom the session is with. Of two addresses of one queen the one that was there first keeps its
    /// session.
    pub(super) fn welcomed(&mut self, session: SessionNo, member: MemberId) {
        let twin = self.open.iter().any(|(other, open)| *other < session && open.member == Some(member));
        let Some(welcomed) = self.open.get_mut(&session) else { return };
        welcomed.member = Some(member);
        if twin {
            self.lines.is_alias(welcomed.address.clone(), member);
        }
    }

    /// Somebody says who leads. Without a session with that queen there is one soon, even if it did not answer lately: it
    /// may have started again just before it was elected.
    pub(super) fn seek(&self, leader: MemberId) {
        if !self.open.values().any(|session| session.member == Some(leader)) {
            self.lines.hurry();
        }
    }

    /// A leader answered a hello; says when the oldest was said that it can have been.
    pub(super) fn hello_answered(&mut self, session: SessionNo) -> Option<Duration> {
        self.open.get_mut(&session)?.greeted_at.take()
    }

    pub(super) fn learn_members(&mut self, members: &[MemberAddress], by_leader: bool) {
        self.lines.learn(members, by_leader);
    }

    /// The sessions whose queen has answered.
    pub(super) fn welcoming(&self) -> Vec<SessionNo> {
        self.open.iter().filter(|(_, session)| session.member.is_some()).map(|(no, _)| *no).collect()
    }

    /// The number of the next heartbeat, which is sent now.
    pub(super) fn next_heartbeat(&mut self, session: SessionNo, boot_time: Duration) -> u64 {
        let Some(session) = self.open.get_mut(&session) else { return 0 };
        session.sequence += 1;
        session.beats.push_back((session.sequence, boot_time));
        if session.beats.len() > HEARTBEATS_AWAITED {
            session.beats.pop_front();
        }
        session.sequence
    }

    /// When the heartbeat was sent that is answered now.
    pub(super) fn heard_of_heartbeat(&mut self, session: SessionNo, sequence: u64) -> Option<Duration> {
        let beats = &mut self.open.get_mut(&session)?.beats;
        while beats.front().is_some_and(|(earlier, _)| *earlier < sequence) {
            beats.pop_front();
        }
        beats.pop_front_if(|(sent, _)| *sent == sequence).map(|(_, at)| at)
    }

    /// Says something at the end of the turn.
    pub(super) fn tell(&mut self, session: SessionNo, message: ForagerMessage) {
        if let Some(session) = self.open.get_mut(&session) {
            session.outbox.push(message);
        }
    }

    /// Says something to the leader. Without one it is said when there is one, by presenting.
    pub(super) fn tell_leader(&mut self, message: ForagerMessage) {
        if let Some(leader) = self.leader {
            self.tell(leader, message);
        }
    }

    /// Says something to the leader before everything else of this turn that is not said yet.
    pub(super) fn tell_leader_first(&mut self, message: ForagerMessage) {
        if let Some(leader) = self.leader.and_then(|leader| self.open.get_mut(&leader)) {
            leader.outbox.insert(0, message);
        }
    }

    /// Hands over what is to be said. A session that is too far behind is dropped: its successor presents anew. So is one
    /// whose line has ended.
    pub(super) fn flush(&mut self) {
        let mut gone = Vec::new();
        for (no, session) in &mut self.open {
            let is_behind = session.outbox.drain(..).any(|message| session.outgoing.try_send(message).is_err());
            if is_behind || session.outgoing.is_closed() {
                gone.push(*no);
            }
        }
        for session in gone {
            self.drop_session(session);
        }
    }

    /// Ends all sessions, after what waits has been sent.
    pub(super) async fn close(mut self, events: &mut mpsc::Receiver<Event>) {
        self.flush();
        let mut open: Vec<SessionNo> = std::mem::take(&mut self.open).into_keys().collect();
        let all_closed = async {
            while !open.is_empty() {
                match events.recv().await {
                    Some(Event::Closed { session }) => open.retain(|other| *other != session),
                    Some(Event::Opened { .. } | Event::Received { .. }) => {}
                    None => break,
                }
            }
        };
        // Whoever does not listen is not waited for.
        let _ = tokio::time::timeout(FAREWELL_WITHIN, all_closed).await;
    }
}
