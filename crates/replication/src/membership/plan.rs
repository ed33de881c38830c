//! Which configuration follows from a change, without a socket or a clock.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::MemberId;

use crate::error::ChangeError;
use crate::member::Member;
use crate::membership::Change;
use crate::types::Membership;

/// The most members that a cluster has: every one costs the leader what a voter does.
const MAX_MEMBERS: usize = 16;

/// The next configuration; nothing if the change is in force already.
pub(super) fn next(
    current: &Membership,
    removed: &BTreeSet<MemberId>,
    change: &Change,
) -> Result<Option<Membership>, ChangeError> {
    let mut voters: BTreeSet<u64> = current.voter_ids().collect();
    let mut members: BTreeMap<u64, Member> = current.nodes().map(|(id, member)| (*id, member.clone())).collect();
    match change {
        Change::Add { id, member } => {
            if !may_be_added(&members, removed, *id, member)? {
                return Ok(None);
            }
            members.insert(id.0, member.clone());
        }
        Change::Promote { id } => {
            known(&members, removed, *id)?;
            if !voters.insert(id.0) {
                return Ok(None);
            }
        }
        Change::Remove { id, .. } => {
            if removed.contains(id) {
                return Ok(None);
            }
            known(&members, removed, *id)?;
            voters.remove(&id.0);
            members.remove(&id.0);
            if voters.is_empty() {
                return Err(ChangeError::LastVoter(*id));
            }
        }
    }
    Ok(Some(Membership::new(vec![voters], members).expect("every voter is a member, and one is left")))
}

/// Whether a member is to be added, not there already, and not in conflict with anybody.
fn may_be_added(
    members: &BTreeMap<u64, Member>,
    removed: &BTreeSet<MemberId>,
    id: MemberId,
    member: &Member,
) -> Result<bool, ChangeError> {
    if removed.contains(&id) {
        return Err(ChangeError::WasRemoved(id));
    }
    if let Some(known) = members.get(&id.0) {
        let is_same = known == member;
        return if is_same { Ok(false) } else { Err(ChangeError::IdTaken { id, member: known.clone() }) };
    }
    for (other, known) in members {
        for address in [&member.raft, &member.http] {
            if *address == known.raft || *address == known.http {
                return Err(ChangeError::AddressTaken { address: address.clone(), id: MemberId(*other) });
            }
        }
    }
    if members.len() >= MAX_MEMBERS {
        return Err(ChangeError::TooMany(MAX_MEMBERS));
    }
    Ok(true)
}

fn known(members: &BTreeMap<u64, Member>, removed: &BTreeSet<MemberId>, id: MemberId) -> Result<(), ChangeError> {
    if members.contains_key(&id.0) {
        return Ok(());
    }
    Err(if removed.contains(&id) { ChangeError::WasRemoved(id) } else { ChangeError::Unknown(id) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: u64) -> Member {
        Member { raft: format!("r:{id}"), http: format!("h:{id}") }
    }

    /// Voters 1 to 3, and a learner 4.
    fn current() -> Membership {
        let members: BTreeMap<u64, Member> = (1..=4).map(|id| (id, member(id))).collect();
        Membership::new(vec![BTreeSet::from([1, 2, 3])], members).expect("it is sound")
    }

    fn add(id: u64, member: Member) -> Change {
        Change::Add { id: MemberId(id), member }
    }

    fn remove(id: u64) -> Change {
        Change::Remove { id: MemberId(id), forced: false }
    }

    /// Voters and learners.
    type Members = (Vec<u64>, Vec<u64>);

    /// The voters and the learners that follow; 9 was removed before.
    fn after(change: &Change) -> Result<Option<Members>, ChangeError> {
        let next = next(&current(), &BTreeSet::from([MemberId(9)]), change)?;
        Ok(next.map(|next| (next.voter_ids().collect(), next.learner_ids().collect())))
    }

    #[test]
    fn each_change_moves_one_member() {
        assert_eq!(after(&add(5, member(5))), Ok(Some((vec![1, 2, 3], vec![4, 5]))));
        assert_eq!(after(&Change::Promote { id: MemberId(4) }), Ok(Some((vec![1, 2, 3, 4], vec![]))));
        assert_eq!(after(&remove(4)), Ok(Some((vec![1, 2, 3], vec![]))));
        assert_eq!(after(&remove(2)), Ok(Some((vec![1, 3], vec![4]))));
    }

    #[test]
    fn a_change_that_is_in_force_changes_nothing() {
        for change in [add(4, member(4)), add(1, member(1)), Change::Promote { id: MemberId(1) }, remove(9)] {
            assert_eq!(after(&change), Ok(None), "{change:?}");
        }
    }

    #[test]
    fn ids_and_addresses_belong_to_one_member_for_ever() {
        assert_eq!(after(&add(9, member(9))), Err(ChangeError::WasRemoved(MemberId(9))));
        let moved = ChangeError::IdTaken { id: MemberId(4), member: member(4) };
        assert_eq!(after(&add(4, member(5))), Err(moved));
        let mut shared = member(5);
        shared.http = "r:2".into();
        let taken = ChangeError::AddressTaken { address: "r:2".into(), id: MemberId(2) };
        assert_eq!(after(&add(5, shared)), Err(taken));
    }

    #[test]
    fn who_is_no_member_is_neither_promoted_nor_removed() {
        assert_eq!(after(&remove(7)), Err(ChangeError::Unknown(MemberId(7))));
        assert_eq!(after(&Change::Promote { id: MemberId(7) }), Err(ChangeError::Unknown(MemberId(7))));
        assert_eq!(after(&Change::Promote { id: MemberId(9) }), Err(ChangeError::WasRemoved(MemberId(9))));
    }

    #[test]
    fn the_last_voter_stays() {
        let alone = Membership::new(vec![BTreeSet::from([1])], BTreeMap::from([(1, member(1)), (2, member(2))]));
        let refused = next(&alone.expect("it is sound"), &BTreeSet::new(), &remove(1));
        assert_eq!(refused, Err(ChangeError::LastVoter(MemberId(1))));
    }
}
