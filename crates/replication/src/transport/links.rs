//! With whom this member has connections, and how often the last one with a peer broke.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antfarm_model::MemberId;
use tokio::sync::watch;

/// The connections with all peers, in both directions. A clone is the same one.
#[derive(Clone)]
pub(crate) struct Links(Arc<Inner>);

struct Inner {
    /// Only peers that have said who they are.
    peers: Mutex<BTreeMap<MemberId, Peer>>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Peer {
    open: u32,
    /// One of them was ended by the other side since there was none.
    broke: bool,
    breaks: u64,
}

/// How things stand with a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// There is a connection.
    pub(crate) is_open: bool,
    /// How often all connections were gone, and not by this side's doing alone.
    pub(crate) breaks: u64,
}

/// A connection that is open as long as this lives.
pub(super) struct Link {
    links: Links,
    member: MemberId,
}

impl Links {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner { peers: Mutex::default(), changed: watch::Sender::new(()) }))
    }

    /// To wait until the last connection with some peer breaks, or the first one is there again.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    pub(crate) fn standing(&self, member: MemberId) -> Standing {
        let peers = self.peers();
        let peer = peers.get(&member);
        Standing { is_open: peer.is_some_and(|peer| peer.open > 0), breaks: peer.map_or(0, |peer| peer.breaks) }
    }

    pub(super) fn open(&self, member: MemberId) -> Link {
        let first = {
            let mut peers = self.peers();
            let peer = peers.entry(member).or_default();
            peer.open += 1;
            peer.open == 1 && peer.breaks > 0
        };
        if first {
            self.0.changed.send_replace(());
        }
        Link { links: self.clone(), member }
    }

    fn peers(&self) -> MutexGuard<'_, BTreeMap<MemberId, Peer>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Link {
    /// The other side has ended it, or what is between.
    pub(super) fn broke(self) {
        if let Some(peer) = self.links.peers().get_mut(&self.member) {
            peer.broke = true;
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let broke = {
            let mut peers = self.links.peers();
            let Some(peer) = peers.get_mut(&self.member) else { return };
            peer.open -= 1;
            let broke = peer.open == 0 && std::mem::take(&mut peer.broke);
            peer.breaks += u64::from(broke);
            broke
        };
        if broke {
            self.links.0.changed.send_replace(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: MemberId = MemberId(2);

    fn standing(links: &Links) -> (bool, u64) {
        let Standing { is_open, breaks } = links.standing(PEER);
        (is_open, breaks)
    }

    #[test]
    fn only_the_end_of_the_last_connection_is_a_break() {
        let links = Links::new();
        let (control, heartbeat) = (links.open(PEER), links.open(PEER));
        control.broke();
        assert_eq!(standing(&links), (true, 0));
        heartbeat.broke();
        assert_eq!(standing(&links), (false, 1));
        let _again = links.open(PEER);
        assert_eq!(standing(&links), (true, 1));
    }

    #[test]
    fn what_this_side_ends_is_no_break() {
        let links = Links::new();
        drop(links.open(PEER));
        assert_eq!(standing(&links), (false, 0));
    }
}
