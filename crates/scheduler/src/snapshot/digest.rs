//! A digest of the state out of the digests of its chunks, which are kept with them as long as they do not change.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{GraphHead, Record, node_records, records_before_graphs};
use crate::codec::{self, Kind};
use crate::graph_record::GraphRecord;
use crate::state::Core;

/// The digest of everything that is stored.
pub(super) fn of_core(core: &Core) -> [u8; 32] {
    let mut hash = Sha256::new();
    records_before_graphs(core).for_each(|record| add_record(&mut hash, &record));
    core.graphs.values().for_each(|graph| add_graph(&mut hash, graph));
    hash.finalize().into()
}

/// Adds the head of a graph, how many chunks it has, and their digests.
fn add_graph(hash: &mut Sha256, graph: &GraphRecord) {
    add_record(hash, &Record::Graph(GraphHead::of(graph)));
    hash.update(graph.shape.digest(|| {
        let mut hash = Sha256::new();
        node_records(&graph.shape).for_each(|record| add_record(&mut hash, &record));
        hash.finalize().into()
    }));
    hash.update((graph.progress.len() as u64).to_le_bytes());
    graph.progress.digests(of_elements).for_each(|digest| hash.update(digest));
    hash.update((graph.instances.len() as u64).to_le_bytes());
    graph.instances.digests(of_elements).for_each(|digest| hash.update(digest));
}

fn add_record(hash: &mut Sha256, record: &Record) {
    let bytes = codec::encode(Kind::SnapshotRecord, record);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(&bytes);
}

fn of_elements<T: Serialize>(elements: &[T]) -> [u8; 32] {
    Sha256::digest(antfarm_binary::encode(&elements)).into()
}
