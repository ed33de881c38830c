//! Takes connections of peers, and lets openraft answer what they ask, one request after the other.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_env::{Listener, Stream};
use antfarm_model::MemberId;
use antfarm_storage::SnapshotFiles;
use openraft::raft::AppendEntriesResponse;
use openraft::{AsyncRuntime, Raft};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::codec::{self, Kind};
use crate::state_machine::StateMachine;
use crate::succession::Campaigns;
use crate::transport::convert;
use crate::transport::frame::write_frame;
use crate::transport::hello::{self, Connection};
use crate::transport::incoming::Incoming;
use crate::transport::peers::Context;
use crate::transport::wire::{LifeV1, Purpose, Request, Response, StatementV1, StatusV1};
use crate::types::Types;

/// Connections that have not said yet who they are.
const UNKNOWN_CONNECTIONS: usize = 32;

/// An answer that cannot be written for this long breaks the connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// After a failed accept (no file descriptors, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers the requests of peers.
pub(crate) struct Handler<R: AsyncRuntime> {
    pub(crate) context: Arc<Context>,
    pub(crate) raft: Raft<Types<R>, StateMachine>,
    pub(crate) files: SnapshotFiles,
    /// With which members it was told to begin; none if it joins.
    pub(crate) initial_members: Vec<u64>,
    pub(crate) life: LifeV1,
    /// What peers state of leaders that are gone.
    pub(crate) statements: mpsc::Sender<(MemberId, StatementV1)>,
    pub(crate) campaigns: Campaigns,
    /// The connection of each peer for each purpose; a new one ends the old one.
    pub(crate) connections: Mutex<BTreeMap<(MemberId, Purpose), oneshot::Sender<()>>>,
}

/// How a connection ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The other side ended it, or what is between.
    Broke,
    /// This side did.
    Ours,
}

/// Takes connections for ever.
pub(crate) async fn serve<R: AsyncRuntime>(mut listener: Box<dyn Listener>, handler: Arc<Handler<R>>) {
    let unknown = Arc::new(Semaphore::new(UNKNOWN_CONNECTIONS));
    loop {
        let Ok(permit) = unknown.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Err(error) => {
                tracing::warn!(%error, "a connection of a peer could not be taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
            Ok((stream, from)) => {
                let handler = handler.clone();
                handler.context.tasks.clone().spawn(async move {
                    let greeted = handler.clone().greeted(stream, &from).await;
                    drop(permit);
                    if let Some((member, purpose, connection)) = greeted {
                        handler.attend(member, purpose, connection).await;
                    }
                });
            }
        }
    }
}

impl<R: AsyncRuntime> Handler<R> {
    async fn greeted(self: Arc<Self>, stream: Stream, from: &str) -> Option<(MemberId, Purpose, Connection)> {
        let Context { identity, disks, frame_bytes, .. } = self.context.as_ref();
        match timeout(hello::TIMEOUT, hello::receive(stream, identity, disks, *frame_bytes)).await {
            Ok(Ok(greeted)) => Some(greeted),
            Ok(Err(error)) => {
                tracing::warn!(from, %error, "a connection to the peer port was refused");
                None
            }
            Err(_) => None,
        }
    }

    /// Answers a connection until it breaks or its peer opens another one for the same purpose.
    async fn attend(&self, member: MemberId, purpose: Purpose, connection: Connection) {
        let (replace, mut replaced) = oneshot::channel();
        let link = match purpose {
            Purpose::Probe => None,
            Purpose::Control | Purpose::Heartbeat | Purpose::Append | Purpose::Snapshot => {
                self.connections.lock().unwrap_or_else(PoisonError::into_inner).insert((member, purpose), replace);
                Some(self.context.links.open(member))
            }
        };
        if self.carry(member, connection, &mut replaced).await == End::Broke
            && let Some(link) = link
        {
            link.broke();
        }
    }

    async fn carry(&self, member: MemberId, connection: Connection, replaced: &mut oneshot::Receiver<()>) -> End {
        let Connection { mut reader, mut writer } = connection;
        let mut incoming = None;
        loop {
            let frame = tokio::select! {
                biased;
                Ok(()) | Err(_) = &mut *replaced => return End::Ours,
                frame = reader.next() => frame,
            };
            let Ok(frame) = frame else { return End::Broke };
            if self.context.removed.contains(member) {
                return End::Ours; // the handshake of the next connection tells why
            }
            let request = match codec::decode(Kind::Request, &frame) {
                Ok(request) => request,
                Err(error) => {
                    tracing::warn!(%member, %error, "a request of a peer cannot be read");
                    return End::Ours;
                }
            };
            let response = self.answer(member, request, &mut incoming).await.unwrap_or_else(|error| {
                tracing::warn!(%member, %error, "a request of a peer failed");
                Response::Failed
            });
            let body = codec::encode(Kind::Response, &response);
            match timeout(WRITE_TIMEOUT, write_frame(&mut writer, &body)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return End::Broke,
                Err(_) => return End::Ours,
            }
        }
    }

    async fn answer(
        &self,
        member: MemberId,
        request: Request,
        incoming: &mut Option<Incoming>,
    ) -> io::Result<Response> {
        let raft = &self.raft;
        Ok(match request {
            Request::Append(request) => {
                let answer =
                    raft.append_entries(convert::append_from_wire(&request)?).await.map_err(io::Error::other)?;
                if !matches!(answer, AppendEntriesResponse::HigherVote(_)) {
                    self.context.heard.note();
                }
                Response::Append(convert::append_answer_to_wire(&answer))
            }
            Request::Vote(request) => {
                let request = convert::vote_from_wire(request);
                let (term, candidate) = (request.vote.leader_id.term, request.vote.leader_id.voted_for);
                let answer = raft.vote(request).await.map_err(io::Error::other)?;
                if answer.vote_granted {
                    tracing::debug!(term, candidate, "a candidate has this member's vote");
                }
                Response::Vote(convert::vote_answer_to_wire(&answer))
            }
            Request::PreVote(request) => {
                let answer = raft.pre_vote(convert::vote_from_wire(request)).await.map_err(io::Error::other)?;
                Response::Vote(convert::vote_answer_to_wire(&answer))
            }
            Request::Transfer(request) => {
                let request = convert::transfer_from_wire(request);
                if *request.to_node_id() == self.context.identity.member.0 {
                    self.campaigns.handed_over(request.from_leader());
                }
                let answer = raft.handle_transfer_leader(request).await.map_err(io::Error::other)?;
                Response::Transfer(convert::transfer_answer_to_wire(&answer))
            }
            Request::Status => Response::Status(self.status().await?),
            Request::Life => Response::Life(self.life),
            Request::Gone(statement) => {
                // When the queue is full, so much has been stated that nothing is lost: peers state it again.
                let _ = self.statements.try_send((member, statement));
                Response::GoOn
            }
            Request::SnapshotBegin(head) => {
                *incoming = Some(Incoming::begin(&self.files, head)?);
                Response::GoOn
            }
            Request::SnapshotChunk(content) => {
                incoming.as_mut().ok_or(io::ErrorKind::InvalidInput)?.chunk(&content)?;
                Response::GoOn
            }
            Request::SnapshotEnd(end) => {
                let snapshot = incoming.take().ok_or(io::ErrorKind::InvalidInput)?.end(end)?;
                let installed = raft.install_full_snapshot(end.vote.into(), snapshot).await;
                Response::Installed { vote: installed.map_err(io::Error::other)?.vote.into() }
            }
        })
    }

    async fn status(&self) -> io::Result<StatusV1> {
        Ok(StatusV1 {
            initialised: self.raft.is_initialized().await.map_err(io::Error::other)?,
            initial_members: self.initial_members.clone(),
            wall_ms: self.context.env.wall_ms(),
        })
    }
}
