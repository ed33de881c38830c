//! Snapshots of the state as files: what their head says, how they are written and read.
//!
//! The content is the state's records, each `[length u32, little endian]` and its bytes; the file cuts that into chunks
//! with checksums of its own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use antfarm_env::Env;
use antfarm_scheduler::{LoadError, Snapshot, State};
use antfarm_storage::{SnapshotFile, SnapshotFiles, SnapshotReader, SnapshotWriter};
use openraft::{AsyncRuntime, RaftSnapshotBuilder};
use serde::{Deserialize, Serialize};

use crate::codec::{self, Kind};
use crate::durations::Durations;
use crate::record::{LogIdV1, StoredMembershipV1, invalid};
use crate::types::{LogId, SnapshotMeta, StoredMembership, Types};

/// What openraft hands around as a snapshot.
pub(crate) enum SnapshotContent {
    /// A finished file.
    File(SnapshotFile),
    /// One that a peer has sent: whole and verified, but not among the files before it is installed.
    Received(Box<SnapshotWriter>),
}

/// A snapshot with its meta data, as openraft names it.
pub(crate) type RaftSnapshot = openraft::Snapshot<
    openraft::vote::leader_id_std::CommittedLeaderId<u64>,
    u64,
    crate::member::Member,
    SnapshotContent,
>;

/// The description in the head of a snapshot file, and of a transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotHead {
    last: Option<LogIdV1>,
    membership: StoredMembershipV1,
}

impl From<&SnapshotMeta> for SnapshotHead {
    fn from(meta: &SnapshotMeta) -> Self {
        Self { last: meta.last_log_id.map(LogIdV1::from), membership: (&meta.last_membership).into() }
    }
}

impl TryFrom<SnapshotHead> for SnapshotMeta {
    type Error = io::Error;

    fn try_from(head: SnapshotHead) -> io::Result<Self> {
        Ok(Self { last_log_id: head.last.map(LogId::from), last_membership: head.membership.try_into()? })
    }
}

/// Begins a file for the snapshot with this description.
pub(crate) fn begin(files: &SnapshotFiles, meta: &SnapshotMeta) -> io::Result<SnapshotWriter> {
    let index = meta.last_log_id.map_or(0, |last| last.index);
    let head = codec::encode(Kind::SnapshotHead, &SnapshotHead::from(meta));
    files.begin(index, &head).map_err(io::Error::other)
}

/// Opens a file and reads its description.
pub(crate) fn open(files: &SnapshotFiles, file: &SnapshotFile) -> io::Result<(SnapshotMeta, SnapshotReader)> {
    let reader = files.load(file).map_err(io::Error::other)?;
    let head: SnapshotHead = codec::decode(Kind::SnapshotHead, reader.meta()).map_err(invalid)?;
    Ok((head.try_into()?, reader))
}

/// Reads the state in a file, and how many bytes it takes there.
pub(crate) fn read_state(files: &SnapshotFiles, file: &SnapshotFile) -> io::Result<(State, u64)> {
    let (_, reader) = open(files, file)?;
    let mut records = Records { reader, rest: Vec::new(), position: 0, bytes: 0 };
    let all = std::iter::from_fn(|| records.next().map_err(Unreadable).transpose());
    let state = State::load(all).map_err(|Unreadable(error)| error)?;
    Ok((state, records.bytes))
}

/// Why a snapshot file gives no state.
struct Unreadable(io::Error);

impl From<LoadError> for Unreadable {
    fn from(error: LoadError) -> Self {
        Self(invalid(error))
    }
}

/// The records in the chunks of a file.
struct Records {
    reader: SnapshotReader,
    /// What was read and not handed out, from `position` on.
    rest: Vec<u8>,
    position: usize,
    bytes: u64,
}

impl Records {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if !self.fill(LENGTH_BYTES)? {
            return if self.unread().is_empty() { Ok(None) } else { Err(self.cut()) };
        }
        let (length, _) = self.unread().split_first_chunk::<LENGTH_BYTES>().expect("fill was asked for that much");
        let end = LENGTH_BYTES + u32::from_le_bytes(*length) as usize;
        if !self.fill(end)? {
            return Err(self.cut());
        }
        let record = self.unread()[LENGTH_BYTES..end].to_vec();
        self.position += end;
        Ok(Some(record))
    }

    fn unread(&self) -> &[u8] {
        &self.rest[self.position..]
    }

    /// Reads until that much is unread; says whether there is that much.
    fn fill(&mut self, bytes: usize) -> io::Result<bool> {
        while self.unread().len() < bytes {
            let Some(chunk) = self.reader.next_chunk().map_err(io::Error::other)? else { return Ok(false) };
            self.rest.drain(..self.position);
            self.position = 0;
            self.rest.extend_from_slice(&chunk);
            self.bytes += chunk.len() as u64;
        }
        Ok(true)
    }

    fn cut(&self) -> io::Error {
        let text = format!("the snapshot is cut inside a record, after {} bytes", self.bytes);
        io::Error::new(io::ErrorKind::InvalidData, text)
    }
}

const LENGTH_BYTES: usize = 4;

/// Writes a copy of the state to a file while entries are applied to the original.
pub(crate) struct SnapshotBuilder {
    pub(crate) files: SnapshotFiles,
    /// Nothing when it is written.
    pub(crate) state: Option<Snapshot>,
    pub(crate) last: Option<LogId>,
    pub(crate) membership: StoredMembership,
    /// Where to tell how large the snapshot became.
    pub(crate) bytes: Arc<AtomicU64>,
    pub(crate) env: Env,
    pub(crate) times: Durations,
}

impl<R: AsyncRuntime> RaftSnapshotBuilder<Types<R>> for SnapshotBuilder {
    type SnapshotData = SnapshotContent;

    async fn build_snapshot(&mut self) -> io::Result<RaftSnapshot> {
        let meta = SnapshotMeta { last_log_id: self.last, last_membership: self.membership.clone() };
        let writer = begin(&self.files, &meta)?;
        let state = self.state.take().ok_or_else(|| io::Error::other("a builder writes one snapshot"))?;
        let began = self.env.monotonic();
        // The copy is dropped there, too: what was changed meanwhile is then freed.
        let (file, written) = self.env.blocking(move || write(&state, writer)).await?;
        let took = self.env.monotonic().saturating_sub(began);
        self.times.add(took);
        self.bytes.store(written, Ordering::Relaxed);
        tracing::info!(index = file.index, bytes = written, ms = took.as_millis(), "snapshot written");
        Ok(RaftSnapshot { meta, snapshot: SnapshotContent::File(file) })
    }
}

/// Writes all records of a state, and tells how many bytes they took.
fn write(state: &Snapshot, mut writer: SnapshotWriter) -> io::Result<(SnapshotFile, u64)> {
    let mut written = 0;
    for record in state.records() {
        let length = u32::try_from(record.len()).map_err(invalid)?;
        writer.write(&length.to_le_bytes()).map_err(io::Error::other)?;
        writer.write(&record).map_err(io::Error::other)?;
        written += (LENGTH_BYTES + record.len()) as u64;
    }
    Ok((writer.finish().map_err(io::Error::other)?, written))
}
