//! No lease outlives what the leader had from a quorum, and nobody is lost who could still hold one.

use std::time::Duration;

use antfarm_model::{CostClass, EffectClass, Elapsed, ForagerNo, Span};
use antfarm_scheduler::{Command, InFlight, LeaseTerms, stall};
use proptest::prelude::*;

use crate::farm::Farm;

const TERMS: LeaseTerms = LeaseTerms { ttl: Span(10_000), drift_percent: 1 };

const fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// A farm with a forager that runs something guarded, and was heard just now.
fn farm() -> (Farm, ForagerNo) {
    let mut farm = Farm::new();
    farm.pass(Span::from_secs(3_600));
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    let forager = farm.forager("f", 2, &["work"]);
    farm.submit("{id: g, nodes: {a: {tool: work}}}").expect("accepted");
    assert_eq!(farm.work(), ["g/a to f"]);
    farm.hear(forager);
    (farm, forager)
}

#[test]
fn a_lease_ends_where_the_leaders_own_contact_with_a_quorum_does() {
    let asked = micros(50_000_000);
    let granted = |later: u64| TERMS.grant(asked + micros(later), asked);
    assert_eq!(granted(0), Some(Span(10_000)));
    assert_eq!(granted(1), Some(Span(9_999)), "rounded down: never beyond the end");
    assert_eq!(granted(1_000), Some(Span(9_999)));
    assert_eq!(granted(9_998_999), Some(Span(1)));
    assert_eq!(granted(9_999_000), Some(Span(1)));
    assert_eq!(granted(9_999_001), None, "less than can be said");
    assert_eq!(granted(10_000_000), None);
    assert_eq!(granted(10_000_001), None);
    assert_eq!(granted(3_600_000_000), None);
    assert_eq!(TERMS.grant(asked, asked + micros(7)), Some(Span(10_000)), "never longer than leases are");
}

#[test]
fn a_leader_waits_for_the_whole_lease_and_for_the_difference_of_two_clocks() {
    assert_eq!(TERMS.patience(), Span(10_100));
    assert_eq!(LeaseTerms { ttl: Span(333), ..TERMS }.patience(), Span(337), "rounded up");
    assert_eq!(LeaseTerms { drift_percent: 0, ..TERMS }.patience(), Span(10_000));
    let heard = Elapsed(77);
    for (silence, over) in [(0, false), (10_099, false), (10_100, false), (10_101, true)] {
        assert_eq!(TERMS.is_over(heard, heard.plus(Span(silence))), over, "after {silence} ms");
    }
    assert!(!TERMS.is_over(Elapsed(9), Elapsed(8)), "heard after the clock was read");
}

#[test]
fn a_forager_is_lost_one_millisecond_after_the_wait_and_not_before() {
    let (mut farm, _) = farm();
    farm.pass(Span(10_100));
    assert_eq!(farm.work(), ["suspect"]);
    assert_eq!(farm.pass_and_work(Span(1)), ["lose"]);
}

#[test]
fn a_new_leader_counts_from_its_own_start_whatever_the_former_one_heard() {
    let (mut farm, forager) = farm();
    farm.pass(Span(10_050));
    farm.elect();
    farm.pass(Span(10_100));
    assert_eq!(farm.work(), ["suspect"]);
    assert_eq!(farm.pass_and_work(Span(1)), ["lose"]);
    assert!(farm.state.forager(forager).is_some_and(|forager| forager.lost));
}

#[test]
fn for_as_long_as_the_leader_stood_still_nobody_was_silent() {
    let (mut farm, forager) = farm();
    let elapse = |farm: &mut Farm, span| farm.pass(Span(span));
    elapse(&mut farm, 4_000);
    elapse(&mut farm, 60_000);
    farm.liveness.forgive(Span(60_000), farm.now.elapsed);
    assert_eq!(farm.now.elapsed.since(farm.liveness.contacts[&forager].heard_at), Span(4_000));
    elapse(&mut farm, 6_100);
    assert_eq!(farm.work(), ["suspect"]);
    assert_eq!(farm.pass_and_work(Span(1)), ["lose"]);
}

#[test]
fn a_stall_is_forgiven_to_a_leader_that_has_heard_nobody_too() {
    let (mut farm, _) = farm();
    farm.elect();
    farm.pass(Span(64_000));
    farm.liveness.forgive(Span(60_000), farm.now.elapsed);
    assert_eq!(farm.pass_and_work(Span(6_100)), ["suspect"]);
    assert_eq!(farm.pass_and_work(Span(1)), ["lose"]);
}

#[test]
fn nothing_is_forgiven_beyond_now() {
    let (mut farm, forager) = farm();
    farm.pass(Span(10));
    farm.liveness.contacts.get_mut(&forager).expect("it is heard").broken_at = Some(farm.now.elapsed);
    farm.liveness.forgive(Span(u64::MAX), farm.now.elapsed);
    let contact = farm.liveness.contacts[&forager];
    let now = farm.now.elapsed;
    assert_eq!((farm.liveness.since, contact.heard_at, contact.broken_at), (now, now, Some(now)));
}

#[test]
fn a_turn_is_late_beyond_its_bound() {
    let bound = micros(1_250_000);
    let gap = |gap: u64| stall(micros(5), micros(5 + gap), bound);
    assert_eq!(gap(1_249_999), None);
    assert_eq!(gap(1_250_000), None);
    assert_eq!(gap(1_250_001), Some(Span(1_251)), "rounded up: rather too much is forgiven than too little");
    assert_eq!(gap(9_000_000), Some(Span(9_000)));
    assert_eq!(stall(micros(9), micros(5), bound), None, "a clock never goes back");
}

#[test]
fn from_the_proposal_of_a_loss_on_there_is_no_work() {
    let (mut farm, forager) = farm();
    farm.submit("{id: h, nodes: {a: {tool: work}}}").expect("accepted");
    let incarnation = farm.incarnation(forager);
    let mut in_flight = InFlight::default();
    in_flight.add(1, &farm.state, &[Command::Lose { forager, incarnation }]);
    assert!(in_flight.touches_forager(forager));
    assert_eq!(farm.decisions(&in_flight), []);
    in_flight.settle(1);
    assert!(matches!(farm.decisions(&in_flight)[..], [Command::Assign { .. }]));
}

#[test]
fn from_the_proposal_of_a_new_incarnation_on_there_is_no_work_for_the_old_one() {
    let (mut farm, forager) = farm();
    farm.submit("{id: h, nodes: {a: {tool: work}}}").expect("accepted");
    let mut in_flight = InFlight::default();
    in_flight.add(1, &farm.state, &[Command::Register(Farm::registration("f", 1, &[]))]);
    assert!(in_flight.touches_forager(forager));
    assert_eq!(farm.decisions(&in_flight), []);
    in_flight.add(2, &farm.state, &[Command::Register(Farm::registration("f", 1, &[]))]);
    in_flight.settle(1);
    assert!(in_flight.touches_forager(forager), "another one is on its way");
    in_flight.settle(2);
    assert!(!in_flight.touches_forager(forager));
}

/// A clock that began at any time and runs fast, by so many parts in a million.
#[derive(Debug, Clone, Copy)]
struct Crooked {
    began: u64,
    fast_ppm: u64,
}

impl Crooked {
    /// What it shows at a true moment. All in microseconds.
    fn at(self, truth: u64) -> u64 {
        let passed = u128::from(truth) * u128::from(1_000_000 + self.fast_ppm) / 1_000_000;
        self.began + u64::try_from(passed).expect("histories are short")
    }

    fn elapsed(self, truth: u64) -> Elapsed {
        Elapsed(self.at(truth) / 1_000)
    }
}

/// The first true moment of which something holds that holds of all later ones.
fn first(is: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, 1 << 40);
    while low < high {
        let middle = low + (high - low) / 2;
        if is(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Three clocks and the true moments of a grant.
#[derive(Debug, Clone)]
struct Grant {
    terms: LeaseTerms,
    granting: Crooked,
    succeeding: Crooked,
    foragers: Crooked,
    quorum_asked: u64,
    heartbeat_sent: u64,
    heartbeat_heard: u64,
    granted: u64,
    next_began: u64,
}

/// What the readings of the clocks above lose by rounding, in all.
const ROUNDING: u64 = 3;

impl Grant {
    /// When the forager takes its lease for over; nothing if there is none.
    fn end(&self) -> Option<u64> {
        let Self { granting, foragers, .. } = *self;
        let lease = self.terms.grant(micros(granting.at(self.granted)), micros(granting.at(self.quorum_asked)))?;
        Some(first(|truth| foragers.at(truth) >= foragers.at(self.heartbeat_sent) + lease.0 * 1_000))
    }

    /// When a leader with that clock takes it for over that last heard of the forager, or began, at this moment.
    fn lost(&self, clock: Crooked, since: u64) -> u64 {
        first(|truth| self.terms.is_over(clock.elapsed(since), clock.elapsed(truth)))
    }
}

/// Moments in any order that can be, and clocks whose speeds differ by at most the drift that is allowed for.
fn grant() -> impl Strategy<Value = Grant> {
    let terms =
        (300_u64..20_000, 0_u32..=50).prop_map(|(ttl, drift_percent)| LeaseTerms { ttl: Span(ttl), drift_percent });
    terms.prop_flat_map(|terms| {
        let clock = || {
            let clock = (0_u64..1 << 36, 0_u64..=u64::from(terms.drift_percent) * 10_000);
            clock.prop_map(|(began, fast_ppm)| Crooked { began, fast_ppm })
        };
        let later = || 0_u64..30_000_000;
        let moments = (later(), later(), 0_u64..5_000_000, 0_u64..5_000_000, later());
        (clock(), clock(), clock(), moments).prop_map(move |(granting, succeeding, foragers, moments)| {
            let (quorum_asked, heartbeat_sent, on_its_way, thinking, until_next) = moments;
            let heartbeat_heard = heartbeat_sent + on_its_way;
            let granted = heartbeat_heard.max(quorum_asked) + thinking;
            let next_began = quorum_asked + until_next;
            Grant {
                terms,
                granting,
                succeeding,
                foragers,
                quorum_asked,
                heartbeat_sent,
                heartbeat_heard,
                granted,
                next_began,
            }
        })
    })
}

proptest! {
    #[test]
    fn no_leader_takes_a_lease_for_over_that_its_forager_may_still_use(grant in grant()) {
        let Some(end) = grant.end() else { return Ok(()) };
        let by_the_same = grant.lost(grant.granting, grant.heartbeat_heard);
        prop_assert!(end <= by_the_same + ROUNDING, "it ends at {end}, and its own leader takes it for over at {by_the_same}");
        let by_the_next = grant.lost(grant.succeeding, grant.next_began);
        prop_assert!(end <= by_the_next + ROUNDING, "it ends at {end}, and the next leader takes it for over at {by_the_next}");
    }
}

#[test]
fn clocks_that_differ_by_more_than_is_allowed_for_break_the_promise() {
    let clock = |fast_ppm| Crooked { began: 0, fast_ppm };
    let grant = |fast_ppm| Grant {
        terms: TERMS,
        granting: clock(0),
        succeeding: clock(fast_ppm),
        foragers: clock(0),
        quorum_asked: 1_000_000,
        heartbeat_sent: 1_000_000,
        heartbeat_heard: 1_000_000,
        granted: 1_000_000,
        next_began: 1_000_000,
    };
    let early = |grant: Grant| grant.end().expect("it is granted") > grant.lost(grant.succeeding, grant.next_began);
    assert!(!early(grant(10_000)) && early(grant(11_000)));
}

#[test]
fn a_forager_that_a_new_leader_never_heard_is_suspect_after_three_heartbeats_and_one_that_went_after_one() {
    let (mut farm, forager) = farm();
    farm.elect();
    assert_eq!(farm.pass_and_work(Span(3_000)), Vec::<String>::new());
    assert_eq!(farm.pass_and_work(Span(1)), ["suspect"]);
    farm.hear(forager);
    assert_eq!(farm.work(), ["trust"]);
    farm.liveness.contacts.get_mut(&forager).expect("it is heard").broken_at = Some(farm.now.elapsed);
    assert_eq!(farm.pass_and_work(Span(1_000)), Vec::<String>::new());
    assert_eq!(farm.pass_and_work(Span(1)), ["suspect"]);
}
