//! What is stored keeps its bytes: one command of each kind, an entry, and the records of a small state.
//!
//! A line that changes means that logs and snapshots of an earlier version are read differently: append variants and
//! records instead. Variants are never reordered.

use std::sync::Arc;

use antfarm_model::{
    CostClass, EffectClass, Elapsed, Epoch, Fence, ForagerNo, GraphNo, Incarnation, NodeNo, Span, WallTime,
};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Attempts, Command, Decision, Entry, FailureKind, GraphSource, InstanceId, Instances,
    RejectReason, Verdict,
};
use expect_test::expect;

use crate::farm::{Farm, manifest, name};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub(crate) fn commands() -> Vec<(&'static str, Command)> {
    let (graph, forager, incarnation) = (GraphNo(300), ForagerNo(2), Incarnation(7));
    let instance = InstanceId { graph, node: NodeNo(1), index: 5 };
    let instances = Instances { len: 3, ..Instances::one(instance) };
    let attempts = Attempts { instances, fence: Fence(9) };
    let mut registration = Farm::registration("f", 4, &["t"]);
    registration.former = Some(Incarnation(6));
    registration.known = vec![AttemptId { instance, fence: Fence(9) }];
    let decision =
        |verdict| Command::Decide(Decision { instance, fence: Fence(9), verdict, by: "ada".into(), why: "so".into() });
    let end = |outcome| Command::End { forager, attempts, outcome };
    vec![
        ("put_tool", Command::PutTool(manifest("t", CostClass::Io, EffectClass::Pure))),
        ("delete_tool", Command::DeleteTool { name: name("t") }),
        ("upload", Command::Upload { upload: 3, part: 1, bytes: Arc::from(*b"xyz"), parts: 2 }),
        ("submit inline", Command::Submit(GraphSource::Inline(Arc::from(*b"xyz")))),
        ("submit uploaded", Command::Submit(GraphSource::Uploaded { upload: 3, parts: 2 })),
        ("cancel_graph", Command::CancelGraph { graph }),
        ("pause_graph", Command::PauseGraph { graph }),
        ("resume_graph", Command::ResumeGraph { graph }),
        ("remove_graph", Command::RemoveGraph { graph, dedupe_window: Span(60_000) }),
        ("decide retry", decision(Verdict::Retry { assume_ended: true })),
        ("decide succeed", decision(Verdict::Succeed { result: "1".into() })),
        ("decide fail", decision(Verdict::Fail)),
        ("register", Command::Register(registration)),
        ("drain", Command::Drain { forager }),
        ("undrain", Command::Undrain { forager }),
        ("suspect", Command::Suspect { forager, incarnation }),
        ("trust", Command::Trust { forager, incarnation }),
        ("lose", Command::Lose { forager, incarnation }),
        ("assign", Command::Assign { forager, incarnation, instances }),
        ("started", Command::Started { forager, attempts }),
        ("reject", Command::Reject { forager, attempts, reason: RejectReason::StaleEpoch }),
        ("return", Command::Return { forager, attempts }),
        ("end succeeded", end(AttemptOutcome::Succeeded { result: "1".into() })),
        ("end failed", end(AttemptOutcome::Failed { kind: FailureKind::ResultTooLarge, message: "no".into() })),
        ("end cancelled", end(AttemptOutcome::Cancelled { started: true })),
        ("end interrupted", end(AttemptOutcome::Interrupted)),
    ]
}

#[test]
fn every_command_keeps_its_bytes() {
    let entry = |command| Entry { epoch: Epoch(1), wall: WallTime(2), elapsed: Elapsed(3), commands: vec![command] };
    let line = |(what, command)| {
        let entry = entry(command);
        let bytes = entry.encode();
        assert_eq!(Entry::decode(&bytes).as_ref(), Ok(&entry), "{what}");
        format!("{what}: {}", hex(&bytes))
    };
    let lines = commands().into_iter().map(line).collect::<Vec<_>>().join("\n") + "\n";
    expect![[r#"
        put_tool: 010100010203010001740100fcc027090002fbe803c8fb60ea
        delete_tool: 01010001020301010174
        upload: 010100010203010203010378797a02
        submit inline: 0101000102030103000378797a
        submit uploaded: 0101000102030103010302
        cancel_graph: 0101000102030104fb2c01
        pause_graph: 0101000102030105fb2c01
        resume_graph: 0101000102030106fb2c01
        remove_graph: 0101000102030107fb2c01fb60ea
        decide retry: 0101000102030108fb2c0101050900010361646102736f
        decide succeed: 0101000102030108fb2c010105090101310361646102736f
        decide fail: 0101000102030108fb2c01010509020361646102736f
        register: 0101000102030109016600010601fb2c0101050900040000000001017403
        drain: 010100010203010a02
        undrain: 010100010203010b02
        suspect: 010100010203010c0207
        trust: 010100010203010d0207
        lose: 010100010203010e0207
        assign: 010100010203010f0207fb2c01010503
        started: 010100010203011002fb2c0101050309
        reject: 010100010203011102fb2c010105030904
        return: 010100010203011202fb2c0101050309
        end succeeded: 010100010203011302fb2c0101050309000131
        end failed: 010100010203011302fb2c01010503090106026e6f
        end cancelled: 010100010203011302fb2c01010503090201
        end interrupted: 010100010203011302fb2c010105030903
    "#]]
    .assert_eq(&lines);
}

/// A state with one of everything: tools, foragers, an upload, a tombstone, a graph with attempts of all sorts.
pub(crate) fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("t", CostClass::Io, EffectClass::Irrevocable);
    let forager = farm.forager("f", 4, &["t"]);
    let lost = farm.forager("g", 1, &[]);
    farm.one(Command::Lose { forager: lost, incarnation: farm.incarnation(lost) }).expect("it counts");
    farm.submit("{id: old, nodes: {a: {tool: t}}}").expect("accepted");
    farm.one(Command::CancelGraph { graph: GraphNo(1) }).expect("it runs");
    farm.one(Command::RemoveGraph { graph: GraphNo(1), dedupe_window: Span(60_000) }).expect("it has ended");
    farm.one(Command::Upload { upload: 3, part: 0, bytes: Arc::from(*b"xyz"), parts: 1 }).expect("there is room");
    farm.submit("{id: h, nodes: {n: {tool: t, array: {count: 6}, timeout: 5s}, m: {tool: t, args: {x: {$ref: 'n[0]#/y'}}, pin: g, deadline: 2030-01-01T00:00:00Z}}}")
        .expect("accepted");
    farm.work();
    let open = farm.open(forager);
    farm.start(forager, open[0]);
    farm.end(forager, open[0], AttemptOutcome::Interrupted).expect("open");
    farm.decide(open[0], Verdict::Succeed { result: "{\"y\":1}".into() }).expect("it is undecided");
    farm.reject(forager, open[1], RejectReason::NoSlot);
    farm.end(forager, open[2], AttemptOutcome::Cancelled { started: true }).expect("open");
    farm.fail(forager, open[3]).expect("open");
    farm.submit("{id: i, nodes: {n: {tool: t}}}").expect("accepted");
    farm.work();
    let open = *farm.open(forager).last().expect("it got more");
    farm.start(forager, open);
    farm
}

#[test]
fn every_record_of_a_snapshot_keeps_its_bytes() {
    let farm = farm();
    let built_in = antfarm_model::Manifest::built_in().len();
    let snapshot = farm.state.snapshot();
    let records = snapshot.records().enumerate().filter(|(number, _)| *number == 0 || *number > built_in);
    let lines = records.map(|(_, record)| hex(&record)).collect::<Vec<_>>().join("\n") + "\n";
    expect![[r#"
        02010000001301fc40420f0000000201040702
        020100010601740101740103fcc027090002fbe803c8fb60ea02
        02010002000166020000040000000001060300000000000100000a0001020001640106010002000300000103000012020100010000fc40420f0001fc40420f0000
        020100020101670300000100000000000300000101fc00840c2400000000000000000000
        0201000303000378797afb60ea
        02010004036f6c64fb60ea
        0201000502fc40420f00006ffe5a7248c8f2e5aac604ad7f90c3b8fd2c6d39b7f1d4744e7dc1e2803b275e020301020003000400000101000000010168000001060103fcc027090002fbe803c8fb60ea
        0201000602016e0174027b7d0000000001fb881300000106016d01740a7b2278223a6e756c6c7d010500010001022f790001fd00b4c5dab801000000000001016700
        0201000702000500000100
        020100080704010100010000010a0001fc40420f0001fc40420f00fc40420f000400010103616461146c6f6f6b656420617420746865206c6564676572fc40420f000001077b2279223a317d01010100000000010a0001fc40420f0000fc40420f0006000000000009010100000000010a0001fc40420f0000fc40420f0002000000012f6974207761732063616e63656c6c6564206166746572206974206d617920686176652074616b656e2065666665637405010101000000010a0001fc40420f0000fc40420f000100010b6578697420636f646520310000010b6578697420636f64652031010001000100
        02010009
        0201000503fc40420f00007f634f39b760b6245c8e6263e6b64df932800948e1ec64f274410bb5dca04fcf0000000000010000000000000169000001060103fcc027090002fbe803c8fb60ea
        0201000601016e0174027b7d0000000000000000
        0201000701000100
        0201000801030101000000011200000000
        02010009
        0201000a
    "#]].assert_eq(&lines);
}
