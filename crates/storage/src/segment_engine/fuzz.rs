//! Hostile bytes for what stands in segments.

use antfarm_fuzzing::Target;

use super::content::Content;
use super::format::{GroupHead, SegmentHead, decode_record, encode_record};
use crate::engine::Fact;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The checksum of the record before, and where the group stands.
const FORMER: u32 = 7;
const POSITION: u64 = 1 << 40;

/// Kind and content of a step.
fn written(step: &Content<'_>) -> Vec<u8> {
    step.encode(|kind, parts| [&[kind][..], &parts.concat()].concat())
}

fn read(bytes: &[u8]) -> Option<Vec<u8>> {
    let (kind, content) = bytes.split_first()?;
    Content::decode(*kind, content).map(|step| written(&step))
}

#[test]
fn steps_of_segments() {
    let steps = [
        Content::Resume { start: Some(3), next: 1 << 40 },
        Content::Resume { start: None, next: 0 },
        Content::Append { index: 4, payload: b"record" },
        Content::Truncate { next: 9 },
        Content::Purge { start: 5 },
        Content::Vote(b"vote"),
        Content::Fact(Fact::Identity, b"ants"),
    ];
    Target::new(FOLDER, "steps_of_segments").samples(steps.iter().map(written)).takes(3).run(read, |_, again| {
        assert_eq!(read(&again).as_ref(), Some(&again), "written, it is the same step");
    });
}

#[test]
fn heads_and_records_of_segments() {
    let group = GroupHead { position: POSITION, durable: 5, chain: FORMER, length: 300 };
    let mut record = Vec::new();
    encode_record(&mut record, FORMER, 2, &[b"con", b"tent"]);
    Target::new(FOLDER, "heads_and_records_of_segments")
        .sample(SegmentHead { position: POSITION, chain: FORMER }.encode())
        .sample(group.encode())
        .sample(record)
        .run(
            |bytes| {
                let segment = SegmentHead::decode(bytes).ok();
                let group = GroupHead::decode(bytes, POSITION);
                let record = decode_record(bytes, FORMER).map(|record| (record.kind, record.content.to_vec()));
                (segment.is_some() || group.is_some() || record.is_some()).then_some((segment, group, record))
            },
            |bytes, (segment, group, record)| {
                if let Some(segment) = segment {
                    assert_eq!(SegmentHead::decode(&segment.encode()), Ok(segment));
                }
                if let Some(group) = group {
                    assert!(bytes.starts_with(&group.encode()));
                }
                if let Some((kind, content)) = record {
                    let mut again = Vec::new();
                    encode_record(&mut again, FORMER, kind, &[&content]);
                    assert!(bytes.starts_with(&again));
                }
            },
        );
}
