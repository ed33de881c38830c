//! Who campaigns, when, and how often: by example, and for any order of statements.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::inquest::{Inquest, STAGGER, Verdict, View};
use crate::types::{LogId, Vote, log_id};

const SPACING: Duration = Duration::from_millis(300);
const LEADER: u64 = 1;

fn led(term: u64) -> Vote {
    Vote::new_committed(term, LEADER)
}

fn at(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for what a member has, which may be nothing")]
fn last(index: u64) -> Option<LogId> {
    Some(log_id(1, index))
}

/// What a member sees in a cluster of so many voters.
fn view(vote: Vote, index: u64, voters: u64) -> View {
    View { vote, last: last(index), voters: vec![(1..=voters).collect()] }
}

fn campaigns(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Campaign(_))
}

#[test]
fn one_statement_of_three_voters_is_no_proof() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.find(led(4));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
    inquest.hear(3, led(4), last(9), at(1));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(1)), Verdict::Campaign(2));
}

#[test]
fn statements_of_others_are_no_proof_without_ones_own() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.hear(3, led(4), last(9), at(0));
    inquest.hear(4, led(4), last(9), at(0));
    inquest.hear(5, led(4), last(9), at(0));
    assert_eq!(inquest.judge(&view(led(4), 9, 5), at(0)), Verdict::Open);
}

#[test]
fn statements_about_different_leaderships_do_not_add_up() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.find(led(4));
    inquest.hear(3, led(5), last(9), at(0));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
}

#[test]
fn a_candidate_is_no_leader_that_could_be_gone() {
    let mut inquest = Inquest::new(2, SPACING);
    let candidate = Vote::new(4, LEADER);
    inquest.find(candidate);
    inquest.hear(3, candidate, last(9), at(0));
    assert_eq!(inquest.judge(&view(candidate, 9, 3), at(0)), Verdict::Open);
}

#[test]
fn in_a_joint_configuration_both_halves_count() {
    let mut inquest = Inquest::new(2, SPACING);
    let joint = View { voters: vec![[1, 2, 3].into(), [1, 4, 5].into()], ..view(led(4), 9, 3) };
    inquest.find(led(4));
    inquest.hear(3, led(4), last(9), at(0));
    assert_eq!(inquest.judge(&joint, at(0)), Verdict::Open);
    inquest.hear(4, led(4), last(9), at(1));
    inquest.hear(5, led(4), last(9), at(1));
    assert_eq!(inquest.judge(&joint, at(1)), Verdict::Campaign(4));
}

#[test]
fn who_does_not_vote_counts_for_nothing() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.find(led(4));
    inquest.hear(7, led(4), last(9), at(0));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
    let mut learner = Inquest::new(7, SPACING);
    learner.find(led(4));
    learner.hear(2, led(4), last(9), at(0));
    learner.hear(3, led(4), last(9), at(0));
    assert_eq!(learner.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
}

#[test]
fn the_longest_log_goes_first_and_then_the_lowest_id() {
    let logs = [(2, 8), (3, 9), (4, 9), (5, 7)];
    for (member, place) in [(3, 0), (4, 1), (2, 2), (5, 3)] {
        let mut inquest = Inquest::new(member, SPACING);
        inquest.find(led(4));
        for (other, index) in logs {
            inquest.hear(other, led(4), last(index), at(0));
        }
        let own = logs.iter().find(|(id, _)| *id == member).expect("it is one of them").1;
        let verdict = inquest.judge(&view(led(4), own, 5), at(0));
        let expected = if place == 0 { Verdict::Campaign(4) } else { Verdict::LookAgainAt(STAGGER * place) };
        assert_eq!(verdict, expected, "member {member}");
        if place > 0 {
            assert!(campaigns(inquest.judge(&view(led(4), own, 5), STAGGER * place)), "its turn comes");
        }
    }
}

#[test]
fn once_somebody_is_elected_the_others_let_it_be() {
    let mut inquest = Inquest::new(3, SPACING);
    inquest.hear(2, led(4), last(9), at(0));
    inquest.find(led(4));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::LookAgainAt(STAGGER));
    let elected = view(Vote::new(5, 2), 9, 3);
    assert_eq!(inquest.judge(&elected, STAGGER), Verdict::Open);
}

#[test]
fn a_leader_that_is_heard_again_is_not_gone() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.hear(3, led(4), last(9), at(0));
    inquest.find(led(4));
    inquest.withdraw();
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
}

#[test]
fn an_old_statement_counts_no_more() {
    let mut inquest = Inquest::new(2, SPACING);
    inquest.hear(3, led(4), last(9), at(0));
    inquest.find(led(4));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(700)), Verdict::Open);
}

#[test]
fn after_one_leadership_the_end_of_another_is_not_stated_for_a_while() {
    let mut inquest = Inquest::new(3, SPACING);
    inquest.find(led(4));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
    assert!(inquest.states(led(4)));
    inquest.find(led(5));
    assert_eq!(inquest.judge(&view(led(5), 9, 3), at(10)), Verdict::LookAgainAt(at(10) + SPACING));
    assert!(!inquest.states(led(5)));
    assert_eq!(inquest.judge(&view(led(5), 9, 3), at(10) + SPACING), Verdict::Open);
    assert!(inquest.states(led(5)), "it was found, and stays so");
}

#[test]
fn the_distance_counts_from_the_election_also_where_the_statement_is_older() {
    let mut inquest = Inquest::new(3, SPACING);
    inquest.find(led(4));
    assert_eq!(inquest.judge(&view(led(4), 9, 3), at(0)), Verdict::Open);
    let forgotten = SPACING * 3; // here; it may have reached another later, who campaigns now
    assert_eq!(inquest.judge(&view(led(4), 9, 3), forgotten), Verdict::Open);
    inquest.find(led(5));
    assert_eq!(inquest.judge(&view(led(5), 9, 3), forgotten), Verdict::LookAgainAt(forgotten + SPACING));
}

/// Something happens in a cluster of five, so long after what happened before.
#[derive(Debug, Clone)]
struct Happening {
    wait_ms: u64,
    /// Who loses the leader out of sight.
    finds: u64,
    /// Whom statements reach at that moment.
    reached: BTreeSet<u64>,
    /// How many entries it has then.
    index: u64,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = (0..150_u64, 1..=5_u64, prop::collection::btree_set(1..=5_u64, 0..=5), 0..4_u64);
    let one = one.prop_map(|(wait_ms, finds, reached, index)| Happening { wait_ms, finds, reached, index });
    prop::collection::vec(one, 1..80)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever loses whom out of sight, and whatever is lost on the way: a campaign has the statements of a quorum behind
    /// it, each leadership is campaigned against once, and between the statements for two of them there is the distance.
    #[test]
    fn campaigns_are_founded_and_rare(happenings in happenings()) {
        let mut members: BTreeMap<u64, Inquest> = (1..=5).map(|id| (id, Inquest::new(id, SPACING))).collect();
        let (mut now, mut vote) = (at(0), led(1));
        let mut stated: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut last_held: Option<Duration> = None;
        for Happening { wait_ms, finds, reached, index } in happenings {
            now += at(wait_ms);
            members.get_mut(&finds).expect("it is one of five").find(vote);
            let mut elected = None;
            for id in 1..=5 {
                let own = view(vote, index, 5);
                let inquest = members.get_mut(&id).expect("it is one of five");
                let verdict = inquest.judge(&own, now);
                let states = inquest.states(vote);
                if states {
                    stated.entry(vote.leader_id.term).or_default().insert(id);
                    for other in reached.iter().filter(|other| **other != id) {
                        members.get_mut(other).expect("it is one of five").hear(id, vote, own.last, now);
                    }
                }
                if campaigns(verdict) && elected.is_none() {
                    let behind = &stated[&vote.leader_id.term];
                    prop_assert!(behind.len() >= 3 && behind.contains(&id), "{behind:?}");
                    prop_assert!(last_held.is_none_or(|held| now >= held + SPACING), "{last_held:?} {now:?}");
                    elected = Some(id);
                }
            }
            if let Some(id) = elected {
                last_held = Some(now);
                vote = Vote::new_committed(vote.leader_id.term + 1, id);
            }
        }
    }

    /// When all survivors know all statements, one campaigns at once and the others after it, each at a distance; the first
    /// has a log that none of theirs is longer than.
    #[test]
    fn survivors_that_know_the_same_never_campaign_together(logs in prop::collection::vec(0..4_u64, 2..=4)) {
        let voters = logs.len() as u64 + 1;
        let survivors: Vec<(u64, u64)> = (2..).zip(logs).collect();
        let mut turns = BTreeMap::new();
        for (member, own) in &survivors {
            let mut inquest = Inquest::new(*member, SPACING);
            inquest.find(led(4));
            for (other, index) in &survivors {
                inquest.hear(*other, led(4), last(*index), at(0));
            }
            let turn = match inquest.judge(&view(led(4), *own, voters), at(0)) {
                Verdict::Campaign(_) => at(0),
                Verdict::LookAgainAt(due) => due,
                Verdict::Open => return Err(TestCaseError::fail("all of them are a quorum")),
            };
            prop_assert_eq!(turns.insert(turn, *own), None, "two campaign at the same moment");
        }
        let (first, longest) = turns.first_key_value().expect("there are survivors");
        prop_assert_eq!(*first, at(0));
        prop_assert!(turns.values().all(|index| index <= longest));
    }
}
