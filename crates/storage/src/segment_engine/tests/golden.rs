//! What is stored can be read by every later version: these bytes never change.

use std::fmt::Write;

use expect_test::expect;

use super::{open, segments, write};
use crate::disk::{Disk, MemoryDisk};
use crate::engine::{Fact, LogEngine};
use crate::engine_tests::record;
use crate::segment_engine::format::SECTOR;

#[test]
fn the_stored_bytes_stay_as_they_are() {
    let disk = MemoryDisk::new();
    let engine = open(&disk).unwrap();
    let records = vec![record(0x0102, b"one"), record(0x0103, b"")];
    write(&engine, |engine, done| engine.append(records, done)).unwrap();
    engine.save_vote(b"vote".to_vec(), Box::new(|_| ()));
    for fact in [Fact::Committed, Fact::Purged, Fact::Identity, Fact::PeerDisk(7)] {
        engine.save_fact(fact, b"fact".to_vec(), Box::new(|_| ()));
    }
    write(&engine, |engine, done| engine.purge_to(0x0102, done)).unwrap();
    write(&engine, |engine, done| engine.truncate_after(None, done)).unwrap();
    drop(engine);
    let engine = open(&disk).unwrap();
    write(&engine, |engine, done| engine.append(vec![record(0x0103, b"two")], done)).unwrap();

    let mut stored = String::new();
    for path in segments(&disk) {
        writeln!(stored, "{}", path.display()).unwrap();
        for (number, sector) in disk.read(&path).unwrap().chunks(SECTOR).enumerate() {
            let Some(last) = sector.iter().rposition(|byte| *byte != 0) else { continue };
            writeln!(stored, "sector {number}").unwrap();
            for line in sector[..=last].chunks(16) {
                writeln!(stored, "  {line:02x?}").unwrap();
            }
        }
    }
    expect![[r#"
        /log/00000000000000000000.segment
        sector 0
          [ff, 61, 6e, 74, 6c, 6f, 67, 0a, 01, 00, 00, 00, 00, 00, 00, 00]
          [00, 00, 00, 00, 00, 00, 00, 00, 6b, d6, 44, 69]
        sector 1
          [ff, 67, 72, 70, 3f, 00, 00, 00, 00, 02, 00, 00, 00, 00, 00, 00]
          [00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 69, a6, b6, f0]
          [11, 00, 00, 00, 7c, 73, e9, 50, 01, 00, 00, 00, 00, 00, 00, 00]
          [00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 0b, 00, 00, 00, 64, 23]
          [77, 84, 02, 02, 01, 00, 00, 00, 00, 00, 00, 6f, 6e, 65, 08, 00]
          [00, 00, aa, 8b, 62, e7, 02, 03, 01]
        sector 2
          [ff, 67, 72, 70, 76, 00, 00, 00, 00, 04, 00, 00, 00, 00, 00, 00]
          [00, 04, 00, 00, 00, 00, 00, 00, aa, 8b, 62, e7, 34, ef, c3, 5c]
          [04, 00, 00, 00, 8a, d8, 9b, 0d, 05, 76, 6f, 74, 65, 0d, 00, 00]
          [00, b1, 85, fe, fa, 06, 01, 00, 00, 00, 00, 00, 00, 00, 00, 66]
          [61, 63, 74, 0d, 00, 00, 00, 27, 6c, 85, 5c, 06, 02, 00, 00, 00]
          [00, 00, 00, 00, 00, 66, 61, 63, 74, 0d, 00, 00, 00, bc, 40, 9f]
          [1a, 06, 03, 00, 00, 00, 00, 00, 00, 00, 00, 66, 61, 63, 74, 0d]
          [00, 00, 00, 84, 4f, b0, 73, 06, 04, 00, 00, 00, 00, 00, 00, 00]
          [07, 66, 61, 63, 74, 08, 00, 00, 00, 7a, d8, 57, f3, 04, 03, 01]
        sector 3
          [ff, 67, 72, 70, 11, 00, 00, 00, 00, 06, 00, 00, 00, 00, 00, 00]
          [00, 06, 00, 00, 00, 00, 00, 00, 7a, d8, 57, f3, 55, 6c, 6a, bd]
          [08, 00, 00, 00, 0a, dc, 19, 5c, 03, 03, 01]
        /log/00000000000000002048.segment
        sector 0
          [ff, 61, 6e, 74, 6c, 6f, 67, 0a, 01, 00, 00, 00, 0a, dc, 19, 5c]
          [00, 08, 00, 00, 00, 00, 00, 00, d4, e7, e6, 3a]
        sector 1
          [ff, 67, 72, 70, 93, 00, 00, 00, 00, 0a, 00, 00, 00, 00, 00, 00]
          [00, 08, 00, 00, 00, 00, 00, 00, 0a, dc, 19, 5c, c9, 3e, c1, ef]
          [11, 00, 00, 00, ac, 56, c6, f0, 01, 01, 03, 01, 00, 00, 00, 00]
          [00, 00, 03, 01, 00, 00, 00, 00, 00, 00, 04, 00, 00, 00, 89, 75]
          [ce, 9d, 05, 76, 6f, 74, 65, 0d, 00, 00, 00, 5a, bc, 61, 38, 06]
          [01, 00, 00, 00, 00, 00, 00, 00, 00, 66, 61, 63, 74, 0d, 00, 00]
          [00, 11, 7e, e6, 8a, 06, 02, 00, 00, 00, 00, 00, 00, 00, 00, 66]
          [61, 63, 74, 0d, 00, 00, 00, a4, eb, 1c, 42, 06, 03, 00, 00, 00]
          [00, 00, 00, 00, 00, 66, 61, 63, 74, 0d, 00, 00, 00, 7f, 38, e1]
          [27, 06, 04, 00, 00, 00, 00, 00, 00, 00, 07, 66, 61, 63, 74, 0b]
          [00, 00, 00, 3e, 47, 4c, 89, 02, 03, 01, 00, 00, 00, 00, 00, 00]
          [74, 77, 6f]
    "#]]
    .assert_eq(&stored);
}
