//! Ready instances: one queue per cost class, in lanes of instances that the same foragers may run.
//!
//! Order in a class: deadline ascending (none is last), then submission order. A lane holds one bucket for each
//! deadline of each graph, and a bucket holds runs of indices; so a graph is paused or stopped by moving few buckets,
//! and an array of a million instances is one run.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{CostClass, GraphNo, Name, NodeNo, ToolNo, WallTime};

use crate::graph_record::{GraphPhase, GraphRecord};
use crate::instance::InstanceState;
use crate::instances::{InstanceId, Instances};
use crate::memory::of_map;
use crate::shape::Shape;

const CLASSES: usize = CostClass::ALL.len();
pub(super) const NEVER: WallTime = WallTime(u64::MAX);

/// Instances that the same foragers may run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lane {
    pub(crate) tool: ToolNo,
    pub(crate) pin: Option<Name>,
}

impl Lane {
    /// The lane of a node's instances.
    pub(crate) fn of(shape: &Shape, node: NodeNo) -> Self {
        Self { tool: shape.tool(node).tool, pin: shape.pin_and_deadline(node).0.cloned() }
    }
}

/// The place of an instance in the order of its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Head {
    pub(crate) deadline: WallTime,
    pub(crate) instance: InstanceId,
}

/// Runs of indices: `(node, start) → length`.
pub(super) type Bucket = BTreeMap<(NodeNo, u32), u32>;
/// By deadline and graph.
type Buckets = BTreeMap<(WallTime, GraphNo), Bucket>;
pub(super) type BucketKey = (usize, Lane, WallTime);

#[derive(Debug, Default, PartialEq)]
pub(crate) struct ReadyQueues {
    lanes: [BTreeMap<Lane, Buckets>; CLASSES],
    counts: [u64; CLASSES],
    of_graph: BTreeMap<GraphNo, BTreeSet<BucketKey>>,
    paused: BTreeMap<GraphNo, BTreeMap<BucketKey, Bucket>>,
}

fn key_of(shape: &Shape, node: NodeNo) -> BucketKey {
    let (_, deadline) = shape.pin_and_deadline(node);
    (shape.tool(node).class.index(), Lane::of(shape, node), deadline.unwrap_or(NEVER))
}

fn size(bucket: &Bucket) -> u64 {
    bucket.values().map(|len| u64::from(*len)).sum()
}

impl ReadyQueues {
    /// The number of ready instances of a class, without those of paused graphs.
    pub(crate) fn count(&self, class: CostClass) -> u64 {
        self.counts[class.index()]
    }

    /// Adds instances that have become ready.
    pub(crate) fn add(&mut self, shape: &Shape, instances: Instances) {
        let key = key_of(shape, instances.node);
        let bucket = if let Some(buckets) = self.paused.get_mut(&instances.graph) {
            buckets.entry(key).or_default()
        } else {
            self.counts[key.0] += u64::from(instances.len);
            self.of_graph.entry(instances.graph).or_default().insert(key.clone());
            let (class, lane, deadline) = key;
            self.lanes[class].entry(lane).or_default().entry((deadline, instances.graph)).or_default()
        };
        insert_run(bucket, (instances.node, instances.start), instances.len);
    }

    /// Takes an instance out; tells whether it was there.
    pub(crate) fn take(&mut self, shape: &Shape, id: InstanceId) -> bool {
        let key = key_of(shape, id.node);
        if let Some(buckets) = self.paused.get_mut(&id.graph) {
            let taken = buckets.get_mut(&key).is_some_and(|bucket| take_one(bucket, id));
            buckets.retain(|_, bucket| !bucket.is_empty());
            return taken;
        }
        let (class, lane, deadline) = &key;
        let Some(buckets) = self.lanes[*class].get_mut(lane) else { return false };
        let Some(bucket) = buckets.get_mut(&(*deadline, id.graph)) else { return false };
        let taken = take_one(bucket, id);
        self.counts[*class] -= u64::from(taken);
        if bucket.is_empty() {
            self.detach(id.graph, &key);
        }
        taken
    }

    /// Sets the ready instances of a graph aside.
    pub(crate) fn pause(&mut self, graph: GraphNo) {
        let detached = self.detach_all(graph);
        self.paused.insert(graph, detached);
    }

    /// Brings back what [`ReadyQueues::pause`] set aside.
    pub(crate) fn resume(&mut self, graph: GraphNo) {
        for (key, bucket) in self.paused.remove(&graph).unwrap_or_default() {
            let size = size(&bucket);
            self.attach(graph, key, bucket, size);
        }
    }

    /// Adds a bucket with so many instances, of which there was none.
    pub(super) fn attach(&mut self, graph: GraphNo, key: BucketKey, bucket: Bucket, size: u64) {
        self.counts[key.0] += size;
        self.of_graph.entry(graph).or_default().insert(key.clone());
        let (class, lane, deadline) = key;
        self.lanes[class].entry(lane).or_default().insert((deadline, graph), bucket);
    }

    /// Forgets the ready instances of a graph.
    pub(crate) fn remove(&mut self, graph: GraphNo) {
        self.paused.remove(&graph);
        self.detach_all(graph);
    }

    /// Adds what is ready of a graph, when the index is made anew.
    pub(crate) fn add_graph(&mut self, graph: &GraphRecord) {
        match graph.phase {
            GraphPhase::Stopped(_) => return,
            GraphPhase::Paused => {
                self.paused.insert(graph.no, BTreeMap::new());
            }
            GraphPhase::Running => {}
        }
        let mut instances = graph.instances.iter();
        for (no, node) in graph.shape.nodes() {
            for index in 0..node.instances() {
                if instances.next().is_some_and(|instance| instance.state == InstanceState::Ready) {
                    self.add(&graph.shape, Instances { graph: graph.no, node: no, start: index, len: 1 });
                }
            }
        }
    }

    /// The lanes of a class that hold something.
    pub(crate) fn lanes(&self, class: CostClass) -> impl Iterator<Item = &Lane> {
        self.lanes[class.index()].keys()
    }

    /// The instances of a lane, in order.
    pub(crate) fn walk<'a>(&'a self, class: CostClass, lane: &Lane) -> impl Iterator<Item = Head> + use<'a> {
        self.walk_from(class, lane, WallTime(0), GraphNo(0), NodeNo(0))
    }

    /// The instances of a lane, in order, from a place in that order on. O(log n) to begin.
    pub(crate) fn walk_from<'a>(
        &'a self,
        class: CostClass,
        lane: &Lane,
        deadline: WallTime,
        graph: GraphNo,
        node: NodeNo,
    ) -> impl Iterator<Item = Head> + use<'a> {
        let first = (deadline, graph);
        let lane = self.lanes[class.index()].get(lane);
        lane.into_iter().flat_map(move |buckets| buckets.range(first..)).flat_map(move |(key, bucket)| {
            let (deadline, graph) = *key;
            let from = if *key == first { node } else { NodeNo(0) };
            bucket.range((from, 0)..).flat_map(move |((node, start), len)| {
                (*start..start + len)
                    .map(move |index| Head { deadline, instance: InstanceId { graph, node: *node, index } })
            })
        })
    }

    /// How many instances of its class stand before this one, counted up to `bound`.
    pub(crate) fn place(&self, shape: &Shape, id: InstanceId, bound: usize) -> usize {
        let (class, _, deadline) = key_of(shape, id.node);
        let head = Head { deadline, instance: id };
        let mut before = 0;
        for lane in self.lanes(CostClass::ALL[class]) {
            before +=
                self.walk(CostClass::ALL[class], lane).take_while(|other| *other < head).take(bound - before).count();
        }
        before
    }

    fn detach_all(&mut self, graph: GraphNo) -> BTreeMap<BucketKey, Bucket> {
        let keys = self.of_graph.get(&graph).cloned().unwrap_or_default();
        keys.into_iter().map(|key| (self.detach(graph, &key), key)).map(|(bucket, key)| (key, bucket)).collect()
    }

    /// The bytes of the runs. O(buckets).
    pub(crate) fn bytes(&self) -> usize {
        let buckets = self.lanes.iter().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
        buckets.chain(self.paused.values().flat_map(BTreeMap::values)).map(of_map).sum()
    }

    fn detach(&mut self, graph: GraphNo, key: &BucketKey) -> Bucket {
        if let Some(keys) = self.of_graph.get_mut(&graph) {
            keys.remove(key);
            if keys.is_empty() {
                self.of_graph.remove(&graph);
            }
        }
        let (class, lane, deadline) = key;
        let Some(buckets) = self.lanes[*class].get_mut(lane) else { return Bucket::new() };
        let bucket = buckets.remove(&(*deadline, graph)).unwrap_or_default();
        if buckets.is_empty() {
            self.lanes[*class].remove(lane);
        }
        self.counts[*class] -= size(&bucket);
        bucket
    }
}

/// Adds a run, joined to its neighbours, so that equal sets are equal buckets.
fn insert_run(bucket: &mut Bucket, (node, start): (NodeNo, u32), len: u32) {
    let (mut start, mut len) = (start, len);
    if let Some(after) = bucket.remove(&(node, start + len)) {
        len += after;
    }
    if let Some((&(before_node, before), &before_len)) = bucket.range(..(node, start)).next_back()
        && before_node == node
        && before + before_len == start
    {
        start = before;
        len += before_len;
    }
    bucket.insert((node, start), len);
}

fn take_one(bucket: &mut Bucket, id: InstanceId) -> bool {
    let Some((&(node, start), &len)) = bucket.range(..=(id.node, id.index)).next_back() else { return false };
    if node != id.node || id.index - start >= len {
        return false;
    }
    match bucket.entry((node, start)) {
        Entry::Occupied(mut run) if id.index > start => *run.get_mut() = id.index - start,
        Entry::Occupied(run) => {
            run.remove();
        }
        Entry::Vacant(_) => return false,
    }
    let behind = start + len - id.index - 1;
    if behind > 0 {
        bucket.insert((node, id.index + 1), behind);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: u32) -> InstanceId {
        InstanceId { graph: GraphNo(1), node: NodeNo(0), index }
    }

    #[test]
    fn a_run_is_split_and_joined_again() {
        let mut bucket = Bucket::new();
        insert_run(&mut bucket, (NodeNo(0), 0), 10);
        assert!(take_one(&mut bucket, id(4)));
        assert!(!take_one(&mut bucket, id(4)));
        assert!(take_one(&mut bucket, id(0)));
        assert_eq!(bucket, Bucket::from([((NodeNo(0), 1), 3), ((NodeNo(0), 5), 5)]));
        insert_run(&mut bucket, (NodeNo(0), 4), 1);
        assert_eq!(bucket, Bucket::from([((NodeNo(0), 1), 9)]));
        assert!(!take_one(&mut bucket, id(10)));
    }
}
