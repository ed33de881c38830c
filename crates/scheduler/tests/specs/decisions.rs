//! What somebody decides about an attempt of unknown fate counts once, and who decided what, and why, is kept.

use antfarm_model::{CostClass, EffectClass, ForagerNo, Span};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Command, Ending, FailureKind, InstanceState, Refusal, RejectReason, Reply, Verdict,
    VerdictKind,
};
use expect_test::expect;

use crate::farm::{Farm, cancelled, interrupted};
use crate::references::graphs;

const NEW: Result<Reply, Refusal> = Ok(Reply::Decided { new: true });
const AGAIN: Result<Reply, Refusal> = Ok(Reply::Decided { new: false });

fn retry(assume_ended: bool) -> Verdict {
    Verdict::Retry { assume_ended }
}

fn succeed(result: &str) -> Verdict {
    Verdict::Succeed { result: result.into() }
}

/// What happens to an attempt.
type Happening = fn(&mut Farm, ForagerNo, AttemptId);

/// A payment that has started.
fn farm(node: &str) -> (Farm, ForagerNo, AttemptId) {
    let mut farm = Farm::new();
    farm.now.wall = antfarm_model::WallTime(1_893_455_999_000);
    farm.tool("pay", CostClass::Io, EffectClass::Irrevocable);
    farm.tool("note", CostClass::Io, EffectClass::Pure);
    let forager = farm.forager("f", 1, &["pay", "note"]);
    farm.submit(&format!("{{id: g, nodes: {{a: {{tool: pay{node}}}, b: {{tool: note, args: {{$ref: a}}}}}}}}"))
        .expect("accepted");
    farm.work();
    let attempt = farm.open(forager)[0];
    farm.start(forager, attempt);
    (farm, forager, attempt)
}

/// One whose forager was lost.
fn undecided() -> (Farm, AttemptId) {
    let (mut farm, forager, attempt) = farm("");
    let lose = Command::Lose { forager, incarnation: farm.incarnation(forager) };
    farm.one(lose).expect("it is the one that counts");
    farm.register(Farm::registration("f", 1, &["pay", "note"])).expect("the name is free");
    (farm, attempt)
}

#[test]
fn every_end_that_is_no_exit_of_its_own_needs_a_decision() {
    let timed_out = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        farm.pass(Span::from_secs(5));
        farm.hear(forager);
        farm.end(forager, attempt, cancelled()).expect("open");
    };
    let expired = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        farm.pass(Span::from_secs(1));
        farm.end(forager, attempt, cancelled()).expect("open");
    };
    let graph_cancelled = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        farm.one(Command::CancelGraph { graph: attempt.instance.graph }).expect("it runs");
        farm.end(forager, attempt, cancelled()).expect("open");
    };
    let lost = |farm: &mut Farm, forager: ForagerNo, _: AttemptId| {
        farm.one(Command::Lose { forager, incarnation: farm.incarnation(forager) }).expect("it counts");
    };
    let died = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        farm.end(forager, attempt, interrupted()).expect("open");
    };
    let killed = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        let killed = AttemptOutcome::Failed { kind: FailureKind::Signal, message: "signal 9".into() };
        farm.end(forager, attempt, killed).expect("open");
    };
    let handed_back = |farm: &mut Farm, forager: ForagerNo, attempt: AttemptId| {
        farm.reject(forager, attempt, RejectReason::Draining);
    };
    let cases: [(&str, Happening, Ending); 7] = [
        (", timeout: 5s", timed_out, Ending::TimedOut),
        (", deadline: 2030-01-01T00:00:00Z", expired, Ending::Cancelled),
        ("", graph_cancelled, Ending::Cancelled),
        ("", lost, Ending::Lost),
        ("", died, Ending::Interrupted),
        ("", killed, Ending::Failed(FailureKind::Signal)),
        ("", handed_back, Ending::Rejected(RejectReason::Draining)),
    ];
    for (node, happens, ending) in cases {
        let (mut farm, forager, attempt) = farm(node);
        happens(&mut farm, forager, attempt);
        let instance = farm.instance(attempt.instance);
        assert_eq!((instance.state, instance.closed[0].ending), (InstanceState::NeedsDecision, ending));
        farm.hear_all();
        assert_eq!(farm.work(), Vec::<String>::new(), "{ending:?}: nothing is repeated by itself");
    }
}

#[test]
fn who_decided_what_and_why_is_kept_beside_what_the_attempt_said() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide_as(attempt, succeed("17"), "ada", "seen in the bank statement"), NEW);
    let closed = &farm.instance(attempt.instance).closed[0];
    let decided = closed.decided.as_deref().expect("it was decided");
    assert_eq!(
        (decided.verdict, &*decided.by, &*decided.why),
        (VerdictKind::Succeed, "ada", "seen in the bank statement")
    );
    assert_eq!((decided.at, closed.ending), (farm.state.wall(), Ending::Lost));
    assert_eq!(farm.work(), ["g/b to f"]);
}

#[test]
fn a_decision_to_fail_fails_the_graph_and_says_who_it_was() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide(attempt, Verdict::Fail), NEW);
    expect![[r"
        graph g failed
          a[0] failed ada decided that it failed: looked at the ledger
          b[0] skipped
    "]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn the_same_decision_again_is_answered_alike_and_authorises_nothing_new() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide(attempt, retry(true)), NEW);
    assert_eq!(farm.decide(attempt, retry(true)), AGAIN);
    assert_eq!(farm.work(), ["g/a to f"]);
    assert_eq!(farm.decide(attempt, retry(true)), AGAIN, "one whose answer was lost is sent again");
    let forager = farm.state.forager_named("f").expect("registered").no;
    let second = farm.open(forager)[0];
    farm.end(forager, second, interrupted()).expect("open");
    assert_eq!(farm.decide(attempt, retry(true)), AGAIN, "it is about the first attempt, not about the second");
    assert_eq!(farm.work(), Vec::<String>::new());
    assert_eq!(farm.decide(second, retry(false)), NEW, "its end is proven");
    assert_eq!(farm.work(), ["g/a to f"]);
}

#[test]
fn another_decision_about_the_same_attempt_is_refused_and_names_the_first() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide(attempt, succeed("1")), NEW);
    for (verdict, by) in [(Verdict::Fail, "ada"), (retry(true), "ada"), (succeed("2"), "ada"), (succeed("1"), "bob")] {
        let refusal = farm.decide_as(attempt, verdict, by, "looked at the ledger").expect_err("it is another one");
        let Refusal::AlreadyDecided { by, verdict, .. } = &refusal else { panic!("{refusal}") };
        assert_eq!((&**by, *verdict), ("ada", VerdictKind::Succeed));
        assert!(refusal.to_string().contains("nothing was changed"), "{refusal}");
    }
    assert_eq!(farm.instance(attempt.instance).result().map(|result| &**result), Some("1"));
}

#[test]
fn a_retry_asks_for_the_proof_of_the_end_or_for_somebody_who_takes_it_for_granted() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide(attempt, retry(false)), Err(Refusal::EndNotProven));
    let forager = farm.state.forager_named("f").expect("registered").no;
    farm.end(forager, attempt, interrupted()).expect("it is awaited: it runs no more");
    assert_eq!(farm.decide(attempt, retry(false)), NEW);
}

#[test]
fn a_decision_before_there_is_anything_to_decide_is_refused() {
    let (mut farm, forager, attempt) = farm("");
    assert_eq!(farm.decide(attempt, retry(true)), Err(Refusal::NothingToDecide));
    farm.succeed(forager, attempt, "1").expect("open");
    assert_eq!(farm.decide(attempt, Verdict::Fail), Err(Refusal::NothingToDecide));
}

#[test]
fn a_late_result_after_a_decision_is_not_taken() {
    let (mut farm, attempt) = undecided();
    assert_eq!(farm.decide(attempt, Verdict::Fail), NEW);
    let forager = farm.state.forager_named("f").expect("registered").no;
    assert_eq!(farm.succeed(forager, attempt, "1"), Err(Refusal::UnknownAttempt));
}
