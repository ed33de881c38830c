//! With which addresses lines are kept: the configured ones and those of the members that queens name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::MemberId;
use antfarm_protocol::MemberAddress;

use crate::config::QueenAddress;
use crate::session::{Line, Surroundings};

/// No cluster has more queens; further addresses are passed over.
const MAX_LINES: usize = 64;

/// The lines.
pub(crate) struct Lines {
    around: Arc<Surroundings>,
    configured: Vec<QueenAddress>,
    members: BTreeSet<QueenAddress>,
    /// Addresses of queens with which there is a session at another address.
    aliases: BTreeMap<QueenAddress, MemberId>,
    open: BTreeMap<QueenAddress, Line>,
}

impl Lines {
    /// Opens a line to each configured queen.
    pub(crate) fn new(around: Arc<Surroundings>, configured: Vec<QueenAddress>) -> Self {
        let (members, aliases, open) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        let mut lines = Self { around, configured, members, aliases, open };
        lines.keep();
        lines
    }

    /// The members that the leader named last are those that count. Another queen may be behind: whom she names is added, and
    /// nobody left out. A queen that names none knows nothing of them.
    pub(super) fn learn(&mut self, members: &[MemberAddress], by_leader: bool) {
        let mut members: BTreeSet<QueenAddress> =
            members.iter().filter_map(|member| member.http.parse().ok()).collect();
        if members.is_empty() {
            return;
        }
        if !by_leader {
            members.extend(self.members.iter().cloned());
        }
        if members != self.members {
            self.members = members;
            self.keep();
        }
    }

    /// There is a session with that member at another address already.
    pub(super) fn is_alias(&mut self, address: QueenAddress, member: MemberId) {
        self.aliases.insert(address, member);
        self.keep();
    }

    /// There is no session with that member any more: another address of hers may be of use again.
    pub(super) fn lost(&mut self, member: MemberId) {
        let aliases = self.aliases.len();
        self.aliases.retain(|_, alias| *alias != member);
        if self.aliases.len() != aliases {
            self.keep();
        }
    }

    /// Those that wait before they try again try now, once.
    pub(super) fn hurry(&self) {
        self.around.hurry.notify_waiters();
    }

    /// Opens the lines that are missing, and ends those that are not wanted.
    fn keep(&mut self) {
        let wanted = self.configured.iter().chain(&self.members);
        let wanted = wanted.filter(|address| !self.aliases.contains_key(*address));
        let wanted: BTreeSet<QueenAddress> = wanted.take(MAX_LINES).cloned().collect();
        self.open.retain(|address, _| wanted.contains(address));
        for address in wanted {
            let around = &self.around;
            self.open.entry(address).or_insert_with_key(|address| Line::open(address.clone(), Arc::clone(around)));
        }
    }
}
