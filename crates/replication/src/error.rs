//! What each operation of a replica can answer, and what the caller should do.

use antfarm_model::{MemberId, Name};
use antfarm_storage::StorageError;

use crate::config::InvalidConfig;
use crate::member::Member;

/// Why a replica did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration makes no sense.
    #[error("the configuration of the replica is wrong: {0}")]
    Config(#[from] InvalidConfig),
    /// openraft refuses its part of the configuration.
    #[error("the configuration of the replica is wrong: {0}")]
    RaftConfig(#[from] openraft::ConfigError),
    /// The data folder belongs to another cluster.
    #[error("the data folder belongs to cluster {found}, not to {expected}: name the right folder or cluster")]
    OtherCluster {
        /// The cluster in the configuration.
        expected: Name,
        /// The cluster in the folder.
        found: Name,
    },
    /// The data folder belongs to another member.
    #[error("the data folder belongs to member {found}, not to {expected}: name the right folder or member")]
    OtherMember {
        /// The member in the configuration.
        expected: MemberId,
        /// The member in the folder.
        found: MemberId,
    },
    /// The data folder has a log or a vote but no identity, or one that cannot be read.
    #[error(
        "the data folder has lost its identity: nothing in it will be used. Remove this member from the cluster, wipe \
         the folder, and join again under a new member id"
    )]
    IdentityLost,
    /// The address for peers cannot be listened at.
    #[error("cannot listen for peers at {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// What is stored cannot be used.
    #[error("the stored log or snapshot cannot be used: {0}")]
    Stored(String),
}

/// Why a replica cannot act as the leader now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotLeading {
    /// Another member leads, or nobody that this one knows of.
    #[error("this member does not lead{}", leader_hint(.leader.as_ref()))]
    NotLeader {
        /// Who seems to lead.
        leader: Option<MemberId>,
    },
    /// No quorum answered in time.
    #[error("no quorum of the members answered in time: check that a majority runs and is reachable")]
    NoQuorum,
    /// The replica has stopped.
    #[error("the replica has stopped")]
    Stopped,
}

/// What became of a proposal that has no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposeError {
    /// Nothing was appended: this member does not lead in that epoch.
    #[error("this member does not lead in that epoch{}; nothing was appended", leader_hint(.leader.as_ref()))]
    NotLeading {
        /// Who seems to lead.
        leader: Option<MemberId>,
    },
    /// Nothing was appended: the entry is too large.
    #[error("an entry of {bytes} bytes is larger than entry_bytes ({limit}); nothing was appended")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u32,
    },
    /// Nothing was appended: the replica has stopped.
    #[error("the replica has stopped; nothing was appended")]
    Stopped,
    /// Leadership was lost while the entry was under way: it may be committed, now or later, or never.
    #[error("leadership was lost while the entry was under way: it may still take effect, or never will")]
    OutcomeUnknown,
}

/// Why leadership was not handed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Only the leader can hand over.
    #[error("this member does not lead{}", leader_hint(.leader.as_ref()))]
    NotLeader {
        /// Who seems to lead.
        leader: Option<MemberId>,
    },
    /// There is no other voter, or not the one that was named.
    #[error("there is no such voter to hand over to")]
    NoSuchVoter,
    /// The other voter did not take over in time; this member may lead again.
    #[error("member {0} did not take over in time")]
    NotTaken(MemberId),
    /// The replica has stopped.
    #[error("the replica has stopped")]
    Stopped,
}

/// Why the membership was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// Only the leader can.
    #[error("this member does not lead{}", leader_hint(.leader.as_ref()))]
    NotLeader {
        /// Who seems to lead.
        leader: Option<MemberId>,
    },
    /// Another change has not come to its end.
    #[error(
        "another change of the membership is under way: wait until it is done, look at the cluster, then try again"
    )]
    UnderWay,
    /// A member with that id is somewhere else.
    #[error("member {id} is there already, at {} (http) and {} (raft): name those addresses, or another id", .member.http, .member.raft)]
    IdTaken {
        /// The id.
        id: MemberId,
        /// Where that member is.
        member: Member,
    },
    /// A member with that id was removed.
    #[error("member {0} was removed, and its id is never used again: give the queen an empty data folder and a new id")]
    WasRemoved(MemberId),
    /// Another member has that address.
    #[error("{address} is an address of member {id}: each member needs its own, and two of them")]
    AddressTaken {
        /// The address.
        address: String,
        /// Whose it is.
        id: MemberId,
    },
    /// There are enough.
    #[error("there are {0} members already, which is the most that a cluster has: remove one first")]
    TooMany(usize),
    /// There never was such a member.
    #[error("there is no member {0}: `antfarm cluster status` lists those that are there")]
    Unknown(MemberId),
    /// A learner does not have what was committed.
    #[error(
        "member {id} has yet to catch up, it is {behind} entries behind what was committed, and would hold up the others as \
         a voter: look at `antfarm cluster status` and try again when it has them; if it stays behind, look at its log"
    )]
    NotCaughtUp {
        /// The learner.
        id: MemberId,
        /// How many entries it lacks.
        behind: u64,
    },
    /// A learner does not answer.
    #[error("member {0} does not answer at its raft address: start it, or look why it cannot be reached")]
    NotReachable(MemberId),
    /// The change would leave a cluster that can commit nothing.
    #[error(
        "of the {voters} voters after this change no majority would answer (silent: {}), so the cluster would stand still: \
         bring them back, or add and promote others first",
        list(.silent)
    )]
    NoQuorumLeft {
        /// How many voters there would be.
        voters: usize,
        /// Those that do not answer.
        silent: Vec<MemberId>,
    },
    /// Nobody would be left to vote.
    #[error("member {0} is the only voter: add and promote another one first")]
    LastVoter(MemberId),
    /// The leader is to be removed, and could not hand over.
    #[error("this member leads, and member {0} did not take over in time: try again")]
    NotHandedOver(MemberId),
    /// It was not committed in time, or leadership was lost meanwhile: it may be in force, now or later, or never.
    #[error("the change was not committed in time: it may still come into force, or never will; a retry is safe")]
    OutcomeUnknown,
    /// The replica has stopped.
    #[error("the replica has stopped")]
    Stopped,
}

/// Why a replica stopped by itself. The process must say so and exit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Storage failed, or a stored or replicated value cannot be read.
    #[error("the replica has stopped, since its storage failed: {0}")]
    Storage(String),
    /// A bug.
    #[error("the replica has stopped, since a part of it panicked: this is a bug")]
    Panicked,
    /// The cluster refuses this member.
    #[error("member {member} refuses this one: {reason}")]
    Refused {
        /// Who refuses.
        member: MemberId,
        /// In its words.
        reason: String,
    },
    /// The cluster that this member wants to join refuses it.
    #[error("the queen at {address} refuses this one: {reason}")]
    NotTaken {
        /// Where.
        address: String,
        /// In its words.
        reason: String,
    },
    /// This member was removed from the cluster.
    #[error(
        "this queen was removed from the cluster, and its member id is never used again: leave it stopped, or give it an \
         empty data folder and a new id and add it (`antfarm cluster add`)"
    )]
    Removed,
}

fn list(members: &[MemberId]) -> String {
    let ids: Vec<String> = members.iter().map(ToString::to_string).collect();
    ids.join(", ")
}

fn leader_hint(leader: Option<&MemberId>) -> String {
    leader.map_or_else(String::new, |leader| format!("; member {leader} seems to"))
}
