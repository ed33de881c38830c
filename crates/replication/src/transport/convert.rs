//! Between openraft's types and those on the wire.

use std::io;

use openraft::AsyncRuntime;
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, TransferLeaderError, TransferLeaderRequest, TransferLeaderResponse,
    VoteRequest, VoteResponse,
};

use crate::record::{decode_entry, encode_entry};
use crate::transport::wire::{AppendAnswerV1, AppendV1, TransferAnswerV1, TransferV1, VoteAnswerV1, VoteRequestV1};
use crate::types::Types;

pub(super) fn append_to_wire<R: AsyncRuntime>(request: &AppendEntriesRequest<Types<R>>) -> AppendV1 {
    AppendV1 {
        vote: request.vote.into(),
        previous: request.prev_log_id.map(Into::into),
        committed: request.leader_commit.map(Into::into),
        first_index: request.entries.first().map_or(0, |entry| entry.log_id.index),
        entries: request.entries.iter().map(encode_entry).collect(),
    }
}

pub(super) fn append_from_wire<R: AsyncRuntime>(request: &AppendV1) -> io::Result<AppendEntriesRequest<Types<R>>> {
    let entries = (request.first_index..).zip(&request.entries).map(|(index, bytes)| decode_entry(index, bytes));
    Ok(AppendEntriesRequest {
        vote: request.vote.into(),
        prev_log_id: request.previous.map(Into::into),
        leader_commit: request.committed.map(Into::into),
        entries: entries.collect::<io::Result<_>>()?,
    })
}

pub(super) fn append_answer_to_wire<R: AsyncRuntime>(answer: &AppendEntriesResponse<Types<R>>) -> AppendAnswerV1 {
    match answer {
        AppendEntriesResponse::Success => AppendAnswerV1::Success,
        AppendEntriesResponse::PartialSuccess(upto) => AppendAnswerV1::PartialSuccess(upto.map(Into::into)),
        AppendEntriesResponse::Conflict => AppendAnswerV1::Conflict,
        AppendEntriesResponse::HigherVote(vote) => AppendAnswerV1::HigherVote((*vote).into()),
    }
}

pub(super) fn append_answer_from_wire<R: AsyncRuntime>(answer: AppendAnswerV1) -> AppendEntriesResponse<Types<R>> {
    match answer {
        AppendAnswerV1::Success => AppendEntriesResponse::Success,
        AppendAnswerV1::PartialSuccess(upto) => AppendEntriesResponse::PartialSuccess(upto.map(Into::into)),
        AppendAnswerV1::Conflict => AppendEntriesResponse::Conflict,
        AppendAnswerV1::HigherVote(vote) => AppendEntriesResponse::HigherVote(vote.into()),
    }
}

pub(super) fn vote_to_wire<R: AsyncRuntime>(request: &VoteRequest<Types<R>>) -> VoteRequestV1 {
    VoteRequestV1 {
        vote: request.vote.into(),
        last: request.last_log_id.map(Into::into),
        leadership_transfer: request.leadership_transfer,
    }
}

pub(super) fn vote_from_wire<R: AsyncRuntime>(request: VoteRequestV1) -> VoteRequest<Types<R>> {
    VoteRequest {
        vote: request.vote.into(),
        last_log_id: request.last.map(Into::into),
        leadership_transfer: request.leadership_transfer,
    }
}

pub(super) fn vote_answer_to_wire<R: AsyncRuntime>(answer: &VoteResponse<Types<R>>) -> VoteAnswerV1 {
    VoteAnswerV1 { vote: answer.vote.into(), granted: answer.vote_granted, last: answer.last_log_id.map(Into::into) }
}

pub(super) fn vote_answer_from_wire<R: AsyncRuntime>(answer: VoteAnswerV1) -> VoteResponse<Types<R>> {
    VoteResponse { vote: answer.vote.into(), vote_granted: answer.granted, last_log_id: answer.last.map(Into::into) }
}

pub(super) fn transfer_to_wire<R: AsyncRuntime>(request: &TransferLeaderRequest<Types<R>>) -> TransferV1 {
    TransferV1 {
        from: (*request.from_leader()).into(),
        to: *request.to_node_id(),
        last: request.last_log_id().copied().map(Into::into),
    }
}

pub(super) fn transfer_from_wire<R: AsyncRuntime>(request: TransferV1) -> TransferLeaderRequest<Types<R>> {
    TransferLeaderRequest::new(request.from.into(), request.to, request.last.map(Into::into))
}

pub(super) fn transfer_answer_to_wire<R: AsyncRuntime>(answer: &TransferLeaderResponse<Types<R>>) -> TransferAnswerV1 {
    match answer {
        Ok(()) => TransferAnswerV1::Accepted,
        Err(TransferLeaderError::VoteChanged { expected, actual }) => {
            TransferAnswerV1::VoteChanged { expected: (*expected).into(), actual: (*actual).into() }
        }
        Err(TransferLeaderError::LogNotFlushed { expected, actual }) => {
            TransferAnswerV1::LogNotFlushed { expected: expected.map(Into::into), actual: actual.map(Into::into) }
        }
    }
}

pub(super) fn transfer_answer_from_wire<R: AsyncRuntime>(answer: TransferAnswerV1) -> TransferLeaderResponse<Types<R>> {
    match answer {
        TransferAnswerV1::Accepted => Ok(()),
        TransferAnswerV1::VoteChanged { expected, actual } => {
            Err(TransferLeaderError::VoteChanged { expected: expected.into(), actual: actual.into() })
        }
        TransferAnswerV1::LogNotFlushed { expected, actual } => Err(TransferLeaderError::LogNotFlushed {
            expected: expected.map(Into::into),
            actual: actual.map(Into::into),
        }),
    }
}
