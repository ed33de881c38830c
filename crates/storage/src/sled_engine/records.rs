//! Putting records together from their stored pieces, with every check that there is.

use std::path::PathBuf;

use bytes::Bytes;

use crate::engine::{MAX_RECORD_BYTES, Record};
use crate::error::{Damage, Item, StorageError};
use crate::sled_engine::store::engine_error;
use crate::sled_engine::value::{self, PieceHead};

/// The records of a range of keys, in order. After an error nothing more should be asked.
pub(super) struct Records {
    pieces: sled::Iter,
    folder: PathBuf,
}

impl Records {
    pub(super) fn new(pieces: sled::Iter, folder: PathBuf) -> Self {
        Self { pieces, folder }
    }

    fn record(&mut self, key: &[u8], first: &[u8]) -> Result<Record, StorageError> {
        let Some((index, 0)) = value::piece_of(key) else {
            let index = value::piece_of(key).map_or(0, |(index, _)| index);
            return Err(self.malformed(index));
        };
        let (head, piece) = self.piece(key, first, index)?;
        if head.length as usize > MAX_RECORD_BYTES {
            return Err(self.malformed(index));
        }
        let mut payload = Vec::with_capacity(head.length as usize);
        payload.extend_from_slice(piece);
        for number in 1..value::pieces(head.length) {
            let Some((key, value)) = self.next_piece().transpose()? else { return Err(self.malformed(index)) };
            let (same_head, piece) = self.piece(&key, &value, index)?;
            if value::piece_of(&key) != Some((index, number)) || same_head != head {
                return Err(self.malformed(index));
            }
            payload.extend_from_slice(piece);
        }
        if PieceHead::of(&payload) != head {
            let what = Damage::Checksum { item: Item::Record(index) };
            return Err(StorageError::damaged(&self.folder, what));
        }
        Ok(Record { index, payload: Bytes::from(payload) })
    }

    fn piece<'a>(&self, key: &[u8], value: &'a [u8], index: u64) -> Result<(PieceHead, &'a [u8]), StorageError> {
        let content = value::decode(key, value, Item::Record(index));
        let content = content.map_err(|what| StorageError::damaged(&self.folder, what))?;
        PieceHead::split(content).ok_or_else(|| self.malformed(index))
    }

    fn next_piece(&mut self) -> Option<Result<(sled::IVec, sled::IVec), StorageError>> {
        Some(self.pieces.next()?.map_err(|error| engine_error(&self.folder, error)))
    }

    fn malformed(&self, index: u64) -> StorageError {
        StorageError::damaged(&self.folder, Damage::Malformed { item: Item::Record(index) })
    }
}

impl Iterator for Records {
    type Item = Result<Record, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.next_piece()?;
        Some(first.and_then(|(key, value)| self.record(&key, &value)))
    }
}
