//! Failover on proof of death, without waiting for a time-out.
//!
//! ```text
//!  links: the last connection with the leader broke ──▶ probe its address ──▶ refused, reset, or a new life
//!                                                                                     │ own statement
//!  peers: «the leader of this vote is gone; my last entry is …» ──────────▶ Inquest ◀─┤
//!                                                                             │       └──▶ told to all voters
//!                              openraft's vote of a leadership transfer ◀── campaign
//! ```
//!
//! Safe, because Raft needs no leader lease: the vote is an ordinary one that voters do not refuse because they heard the
//! leader lately. Nothing of ours needs that lease, either.

mod cause;
mod inquest;
#[cfg(test)]
mod inquest_tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::MemberId;
use openraft::raft::TransferLeaderRequest;
use openraft::{AsyncRuntime, Raft};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::member::Member;
use crate::state_machine::StateMachine;
use crate::transport::{Context, Finding, Peers, Purpose, Request, Standing, StatementV1, probe};
use crate::types::{Types, Vote};

pub(crate) use cause::Campaigns;
pub use cause::ElectionCause;
use inquest::{Inquest, Verdict, View};

/// Statements of peers that may wait; they are made again.
pub(crate) const MAX_UNHEARD: usize = 64;

/// How often a statement is made again while it stands: a peer may not have known the leader yet.
const STATE_AGAIN: Duration = Duration::from_millis(20);

/// A peer takes a statement within this time, or is told again.
const TELL_WITHIN: Duration = Duration::from_millis(100);

/// A connection that just ends may be that of a process that is ending, or beginning: so often its address is tried…
const PROBES: u32 = 5;

/// … and so long after the last try.
const PROBE_AGAIN: Duration = Duration::from_millis(2);

/// The task that looks for leaders that are gone.
pub(crate) struct Succession<R: AsyncRuntime> {
    context: Arc<Context>,
    peers: Arc<Peers>,
    raft: Raft<Types<R>, StateMachine>,
    member: u64,
    inquest: Inquest,
    heard: mpsc::Receiver<(MemberId, StatementV1)>,
    campaigns: Campaigns,
    /// What was last looked into.
    examined: Option<(Vote, Standing)>,
    /// Of whom the others were told last, and when.
    told: Option<(Vote, Duration)>,
}

impl<R: AsyncRuntime> Succession<R> {
    /// `spacing` is the least time between two elections on proof.
    pub(crate) fn new(
        context: Arc<Context>,
        peers: Arc<Peers>,
        raft: Raft<Types<R>, StateMachine>,
        heard: mpsc::Receiver<(MemberId, StatementV1)>,
        campaigns: Campaigns,
        spacing: Duration,
    ) -> Self {
        let member = context.identity.member.0;
        let inquest = Inquest::new(member, spacing);
        Self { context, peers, raft, member, inquest, heard, campaigns, examined: None, told: None }
    }

    /// Runs until the replica has stopped.
    pub(crate) async fn run(mut self) {
        let mut links = self.context.links.changes();
        let mut wake = None;
        loop {
            tokio::select! {
                biased;
                Some((member, statement)) = self.heard.recv() => {
                    let last = statement.last.map(Into::into);
                    self.inquest.hear(member.0, statement.vote.into(), last, self.context.env.monotonic());
                }
                changed = links.changed() => if changed.is_err() { return },
                () = sleep(wake.unwrap_or_default()), if wake.is_some() => {}
            }
            let Some((view, members)) = self.look().await else { return };
            wake = self.turn(&view, &members).await;
        }
    }

    /// What consensus knows at this moment; nothing when it has stopped.
    async fn look(&self) -> Option<(View, BTreeMap<u64, Member>)> {
        let looked = self.raft.with_raft_state(|state| {
            let membership = state.membership_state.effective().membership();
            let view = View {
                vote: *state.vote_ref(),
                last: state.log_ids.last().copied(),
                voters: membership.get_joint_config().clone(),
            };
            (view, membership.nodes().map(|(id, member)| (*id, member.clone())).collect())
        });
        looked.await.ok()
    }

    /// Does what is due, and tells how long nothing is, unless something happens.
    async fn turn(&mut self, view: &View, members: &BTreeMap<u64, Member>) -> Option<Duration> {
        if let Some(leader) = view.leader().filter(|leader| *leader != self.member) {
            self.examine(view, leader, members.get(&leader)?).await;
        }
        let now = self.context.env.monotonic();
        let verdict = self.inquest.judge(view, now);
        if let Verdict::Campaign(stating) = verdict {
            self.campaign(view, stating).await;
            return None;
        }
        let tell_again = self.inquest.states(view.vote).then(|| self.tell(view, members, now));
        let look_again = if let Verdict::LookAgainAt(due) = verdict { Some(due) } else { None };
        let next = tell_again.into_iter().chain(look_again).min()?;
        Some(next.saturating_sub(now))
    }

    /// Tells the others, if it is time; says when it is again.
    fn tell(&mut self, view: &View, members: &BTreeMap<u64, Member>, now: Duration) -> Duration {
        let due = self.told.filter(|(of, _)| *of == view.vote).map_or(now, |(_, at)| at + STATE_AGAIN);
        if now < due {
            return due;
        }
        self.told = Some((view.vote, now));
        self.tell_all(view, members);
        now + STATE_AGAIN
    }

    /// Looks for the leader where it should be, once for every change of how things stand with it.
    async fn examine(&mut self, view: &View, leader: u64, member: &Member) {
        let leader = MemberId(leader);
        let standing = self.context.links.standing(leader);
        if standing.breaks == 0 || self.examined == Some((view.vote, standing)) {
            return;
        }
        self.examined = Some((view.vote, standing));
        for _ in 0..PROBES {
            match probe(&self.context, leader, &member.raft, view.vote.leader_id.term).await {
                // Something else on the way refuses, while the leader and this member talk to each other.
                Finding::Refused if self.context.links.standing(leader).is_open => return self.inquest.withdraw(),
                found @ (Finding::Refused | Finding::NewLife) => {
                    tracing::info!(%leader, term = view.vote.leader_id.term, ?found, "the leader is gone, as this member sees it");
                    return self.inquest.find(view.vote);
                }
                Finding::Alive => return self.inquest.withdraw(),
                Finding::Unclear => return,
                Finding::Nothing => sleep(PROBE_AGAIN).await,
            }
        }
    }

    /// Tells all other voters, none of whom is waited for.
    fn tell_all(&self, view: &View, members: &BTreeMap<u64, Member>) {
        let statement = StatementV1 { vote: view.vote.into(), last: view.last.map(Into::into) };
        let others = members.iter().filter(|(id, _)| **id != self.member && Some(**id) != view.leader());
        for (id, member) in others {
            let (peers, id, address) = (self.peers.clone(), MemberId(*id), member.raft.clone());
            self.context.tasks.spawn(async move {
                // Whoever is not reached is told again as long as it stands.
                let _ = peers.call(id, &address, Purpose::Control, &Request::Gone(statement), TELL_WITHIN).await;
            });
        }
    }

    async fn campaign(&self, view: &View, stating: usize) {
        let former = view.vote.leader_id.voted_for;
        tracing::info!(
            term = view.vote.leader_id.term,
            former,
            stating,
            "campaigning: a quorum states that the leader is gone"
        );
        self.campaigns.on_proof(&view.vote);
        let request = TransferLeaderRequest::new(view.vote, self.member, view.last);
        match self.raft.handle_transfer_leader(request).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::info!(%error, "this member does not campaign after all"),
            Err(error) => tracing::debug!(%error, "consensus has stopped"),
        }
    }
}
