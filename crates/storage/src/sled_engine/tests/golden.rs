//! What is stored can be read by every later version: these bytes never change.

use std::fmt::Write;

use expect_test::expect;

use super::{folder, open, record, wait};
use crate::engine::{Fact, LogEngine};
use crate::sled_engine::store::Closing;

#[test]
fn the_stored_bytes_stay_as_they_are() {
    let folder = folder();
    let engine = open(&folder);
    wait(|done| engine.append(vec![record(0x0102, b"one"), record(0x0103, b"")], done)).unwrap();
    wait(|done| engine.save_vote(b"vote".to_vec(), done)).unwrap();
    for fact in [Fact::Committed, Fact::Purged, Fact::Identity, Fact::PeerDisk(7)] {
        wait(|done| engine.save_fact(fact, b"fact".to_vec(), done)).unwrap();
    }
    drop(engine);

    let _closing = Closing::of(folder.path()).unwrap();
    let db = sled::Config::new().path(folder.path()).flush_every_ms(None).open().unwrap();
    let mut stored = String::new();
    for entry in db.iter() {
        let (key, value) = entry.unwrap();
        let (key, value) = (key.to_vec(), value.to_vec());
        writeln!(stored, "{key:02x?} = {value:02x?}").unwrap();
    }
    let acknowledged = std::fs::read(folder.path().join("acknowledged")).unwrap();
    writeln!(stored, "acknowledged {acknowledged:02x?}").unwrap();
    expect![[r#"
        [66, 01, 00, 00, 00, 00, 00, 00, 00, 00] = [01, 68, 4a, f7, 0c, 66, 61, 63, 74]
        [66, 02, 00, 00, 00, 00, 00, 00, 00, 00] = [01, a2, b5, fe, f0, 66, 61, 63, 74]
        [66, 03, 00, 00, 00, 00, 00, 00, 00, 00] = [01, e4, e0, f9, a4, 66, 61, 63, 74]
        [66, 04, 00, 00, 00, 00, 00, 00, 00, 07] = [01, 6a, c0, 48, 8b, 66, 61, 63, 74]
        [6c, 00, 00, 00, 00, 00, 00, 01, 02, 00, 00, 00, 00] = [01, fa, 8b, c5, 57, 03, 00, 00, 00, e9, b2, 94, 2a, 6f, 6e, 65]
        [6c, 00, 00, 00, 00, 00, 00, 01, 03, 00, 00, 00, 00] = [01, 19, 8e, d6, 22, 00, 00, 00, 00, 00, 00, 00, 00]
        [6d, 65] = [01, 00, f6, 9d, 79, 04, 01, 00, 00, 00, 00, 00, 00]
        [6d, 6e] = [01, 96, 31, 2a, 9d, 06, 00, 00, 00, 00, 00, 00, 00]
        [6d, 73] = [01, 03, ac, 60, f7, 02, 01, 00, 00, 00, 00, 00, 00]
        [6d, 76] = [01, c7, 84, 4e, fb, 76, 6f, 74, 65]
        acknowledged [01, 00, 00, 00, a9, ca, 4d, 3f, 06, 00, 00, 00, 00, 00, 00, 00]
    "#]]
    .assert_eq(&stored);
}
