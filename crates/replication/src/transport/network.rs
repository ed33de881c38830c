//! openraft's network over the lanes to the peers.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_model::MemberId;
use antfarm_storage::SnapshotFiles;
use openraft::errors::{ErrorSource, NetworkError, RPCError, ReplicationClosed, StreamingError, Timeout, Unreachable};
use openraft::network::RPCOption;
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, SnapshotResponse, TransferLeaderRequest, TransferLeaderResponse,
    VoteRequest, VoteResponse,
};
use openraft::{AsyncRuntime, OptionalSend, RPCTypes, RaftNetworkFactory, RaftNetworkV2, StorageError};

use crate::member::Member;
use crate::snapshot::{self, RaftSnapshot, SnapshotContent, SnapshotHead};
use crate::transport::convert;
use crate::transport::gate::Gate;
use crate::transport::peers::{CallError, Peers};
use crate::transport::wire::{Purpose, Request, Response, SnapshotEndV1};
use crate::types::{Types, Vote};

/// One chunk of a snapshot.
const CHUNK_WITHIN: Duration = Duration::from_secs(5);

/// The last step of a transfer, in which the receiver loads the whole snapshot.
const INSTALL_WITHIN: Duration = Duration::from_mins(2);

/// Makes a client for each peer and purpose.
pub(crate) struct NetworkFactory<R: AsyncRuntime> {
    pub(crate) env: Env,
    pub(crate) peers: Arc<Peers>,
    pub(crate) files: SnapshotFiles,
    pub(crate) member: MemberId,
    /// How long a batch of entries may take until it is durable at the peer.
    pub(crate) append_within: Duration,
    pub(crate) gate: Gate<R>,
}

/// openraft's client of one peer.
pub(crate) struct Network<R: AsyncRuntime> {
    env: Env,
    peers: Arc<Peers>,
    files: SnapshotFiles,
    member: MemberId,
    target: MemberId,
    address: String,
    entries_by: Purpose,
    append_within: Duration,
    gate: Gate<R>,
    made_at: Duration,
}

impl<R: AsyncRuntime> NetworkFactory<R> {
    fn client(&self, target: u64, member: &Member, entries_by: Purpose) -> Network<R> {
        Network {
            env: self.env.clone(),
            peers: self.peers.clone(),
            files: self.files.clone(),
            member: self.member,
            target: MemberId(target),
            address: member.raft.clone(),
            entries_by,
            append_within: self.append_within,
            gate: self.gate.clone(),
            made_at: self.env.monotonic(),
        }
    }
}

impl<R: AsyncRuntime> RaftNetworkFactory<Types<R>> for NetworkFactory<R> {
    type Network = Network<R>;

    async fn new_client(&mut self, target: u64, node: &Member) -> Network<R> {
        self.client(target, node, Purpose::Append)
    }

    async fn new_heartbeat_client(&mut self, target: u64, node: &Member) -> Network<R> {
        self.client(target, node, Purpose::Heartbeat)
    }

    async fn new_snapshot_client(&mut self, target: u64, node: &Member) -> Network<R> {
        self.client(target, node, Purpose::Snapshot)
    }
}

impl<R: AsyncRuntime> Network<R> {
    async fn call(&self, purpose: Purpose, request: &Request, within: Duration) -> Result<Response, CallError> {
        self.peers.call(self.target, &self.address, purpose, request, within).await
    }

    fn error(&self, error: &CallError, action: RPCTypes, within: Duration) -> RPCError<Types<R>> {
        match error {
            CallError::Unreachable { .. } | CallError::Failed => RPCError::Unreachable(Unreachable::new(error)),
            CallError::Broken => RPCError::Network(NetworkError::new(error)),
            CallError::Timeout => {
                let (id, target) = (self.member.0, self.target.0);
                RPCError::Timeout(Timeout { action, id, target, timeout: within })
            }
        }
    }

    async fn send_snapshot(
        &self,
        vote: Vote,
        snapshot: RaftSnapshot,
    ) -> Result<SnapshotResponse<Types<R>>, StreamingError<Types<R>>> {
        let SnapshotContent::File(file) = snapshot.snapshot else {
            return Err(storage_error(io::Error::other("a snapshot that is still arriving cannot be sent")));
        };
        let (meta, mut reader) = snapshot::open(&self.files, &file).map_err(storage_error)?;
        self.snapshot_step(Request::SnapshotBegin(SnapshotHead::from(&meta)), CHUNK_WITHIN).await?;
        let (mut bytes, mut crc) = (0, 0);
        while let Some(chunk) = reader.next_chunk().map_err(|error| storage_error(io::Error::other(error)))? {
            bytes += chunk.len() as u64;
            crc = crc32c::crc32c_append(crc, &chunk);
            self.snapshot_step(Request::SnapshotChunk(chunk), CHUNK_WITHIN).await?;
        }
        let end = SnapshotEndV1 { vote: vote.into(), bytes, crc };
        let answer = self.snapshot_step(Request::SnapshotEnd(end), INSTALL_WITHIN).await?;
        let Response::Installed { vote } = answer else { return Err(unexpected::<R>().into()) };
        Ok(SnapshotResponse::new(vote.into()))
    }

    async fn snapshot_step(&self, request: Request, within: Duration) -> Result<Response, StreamingError<Types<R>>> {
        let answer = self.call(Purpose::Snapshot, &request, within).await;
        answer.map_err(|error| self.error(&error, RPCTypes::InstallSnapshot, within).into())
    }
}

impl<R: AsyncRuntime> RaftNetworkV2<Types<R>> for Network<R> {
    type SnapshotData = SnapshotContent;

    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types<R>>,
        option: RPCOption,
    ) -> Result<AppendEntriesResponse<Types<R>>, RPCError<Types<R>>> {
        if self.gate.is_shut(self.env.monotonic().saturating_sub(self.made_at)) {
            let silent =
                Unreachable::from_string("the quorum is lost, or the disk stands still: this leader is silent");
            return Err(RPCError::Unreachable(silent));
        }
        let within = match self.entries_by {
            Purpose::Append => option.soft_ttl().max(self.append_within),
            Purpose::Control | Purpose::Heartbeat | Purpose::Snapshot | Purpose::Probe => option.soft_ttl(),
        };
        let request = Request::Append(convert::append_to_wire(&rpc));
        match self.call(self.entries_by, &request, within).await {
            Ok(Response::Append(answer)) => Ok(convert::append_answer_from_wire(answer)),
            Ok(_) => Err(unexpected::<R>()),
            Err(error) => Err(self.error(&error, RPCTypes::AppendEntries, within)),
        }
    }

    async fn vote(
        &mut self,
        rpc: VoteRequest<Types<R>>,
        option: RPCOption,
    ) -> Result<VoteResponse<Types<R>>, RPCError<Types<R>>> {
        let within = option.soft_ttl();
        match self.call(Purpose::Control, &Request::Vote(convert::vote_to_wire(&rpc)), within).await {
            Ok(Response::Vote(answer)) => Ok(convert::vote_answer_from_wire(answer)),
            Ok(_) => Err(unexpected::<R>()),
            Err(error) => Err(self.error(&error, RPCTypes::Vote, within)),
        }
    }

    async fn pre_vote(
        &mut self,
        rpc: VoteRequest<Types<R>>,
        option: RPCOption,
    ) -> Result<VoteResponse<Types<R>>, RPCError<Types<R>>> {
        let within = option.soft_ttl();
        match self.call(Purpose::Control, &Request::PreVote(convert::vote_to_wire(&rpc)), within).await {
            Ok(Response::Vote(answer)) => Ok(convert::vote_answer_from_wire(answer)),
            Ok(_) => Err(unexpected::<R>()),
            Err(error) => Err(self.error(&error, RPCTypes::Vote, within)),
        }
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote,
        snapshot: RaftSnapshot,
        cancel: impl Future<Output = ReplicationClosed> + OptionalSend + 'static,
        _option: RPCOption,
    ) -> Result<SnapshotResponse<Types<R>>, StreamingError<Types<R>>> {
        tokio::select! {
            biased;
            closed = cancel => Err(StreamingError::Closed(closed)),
            sent = self.send_snapshot(vote, snapshot) => sent,
        }
    }

    async fn transfer_leader(
        &mut self,
        rpc: TransferLeaderRequest<Types<R>>,
        option: RPCOption,
    ) -> Result<TransferLeaderResponse<Types<R>>, RPCError<Types<R>>> {
        let within = option.soft_ttl();
        match self.call(Purpose::Control, &Request::Transfer(convert::transfer_to_wire(&rpc)), within).await {
            Ok(Response::Transfer(answer)) => Ok(convert::transfer_answer_from_wire(answer)),
            Ok(_) => Err(unexpected::<R>()),
            Err(error) => Err(self.error(&error, RPCTypes::TransferLeader, within)),
        }
    }
}

/// The peer answered something else: its program is not this one.
fn unexpected<R: AsyncRuntime>() -> RPCError<Types<R>> {
    RPCError::Unreachable(Unreachable::from_string("the peer answered something else than it was asked"))
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn storage_error<R: AsyncRuntime>(error: io::Error) -> StreamingError<Types<R>> {
    StreamingError::StorageError(StorageError::read_snapshot(None, ErrorSource::from_error(&error)))
}
