//! Members of the cluster that were removed.

use std::collections::BTreeSet;

use antfarm_model::{LogIndex, MemberId};
use antfarm_scheduler::{LoadError, Position, State};

#[test]
fn a_removed_member_is_kept_in_mind_by_snapshots_and_their_digest() {
    let mut state = State::new(0);
    let at = |index| Position { index: LogIndex(index), term: 1 };
    state.skip_membership(at(1), []);
    let nobody = state.snapshot().records().count();
    state.skip_membership(at(2), [MemberId(3)]);
    state.skip_membership(at(3), [MemberId(7)]);
    let snapshot = state.snapshot();
    assert_eq!(snapshot.records().count(), nobody + 1);
    let loaded = State::load(snapshot.records().map(Ok::<_, LoadError>)).expect("it was just written");
    assert_eq!(loaded.removed_members(), &BTreeSet::from([MemberId(3), MemberId(7)]));
    assert_eq!(loaded.snapshot().digest(), snapshot.digest());
    state.skip_membership(at(4), []);
    assert_eq!(state.removed_members(), loaded.removed_members());
}
