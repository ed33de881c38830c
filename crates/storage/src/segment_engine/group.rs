//! Building the bytes of a group.

use crate::segment_engine::content::Content;
use crate::segment_engine::format::{self, GROUP_HEAD, GroupHead};
use crate::segment_engine::places::Place;

/// A group that is being put together.
pub(super) struct Group {
    /// Room for the head, and the records so far.
    bytes: Vec<u8>,
    position: u64,
    /// The checksum of the record before it.
    chain: u32,
    /// The checksum of its last record.
    last: u32,
}

impl Group {
    pub(super) fn new(position: u64, chain: u32) -> Self {
        Self { bytes: vec![0; GROUP_HEAD], position, chain, last: chain }
    }

    /// Adds a record, and says where it will be.
    pub(super) fn add(&mut self, content: &Content<'_>) -> Place {
        let place = Place { position: self.position + self.bytes.len() as u64, former: self.last };
        self.last = content.encode(|kind, parts| format::encode_record(&mut self.bytes, self.last, kind, parts));
        place
    }

    pub(super) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The whole group, in whole sectors, and the checksum of its last record. `durable` is what its head says.
    pub(super) fn close(mut self, durable: u64) -> (Vec<u8>, u32) {
        let length = u32::try_from(self.bytes.len() - GROUP_HEAD).expect("a group is closed long before");
        let head = GroupHead { position: self.position, durable, chain: self.chain, length };
        self.bytes[..GROUP_HEAD].copy_from_slice(&head.encode());
        self.bytes.resize(format::whole_sectors(self.bytes.len()), 0);
        (self.bytes, self.last)
    }
}
