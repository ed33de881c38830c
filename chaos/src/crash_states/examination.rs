//! Recovering a store from every crash state, and judging what it says.

use std::time::{Duration, Instant};

use crate::crash_states::contents::Contents;
use crate::crash_states::damage::{self, DamageClass, Damaged};
use crate::crash_states::enumeration::{Bounds, Class, CrashState, Enumeration};
use crate::crash_states::files::Files;
use crate::crash_states::judge::{self, Verdict};
use crate::crash_states::operation::Operation;
use crate::crash_states::recorder::Recording;
use crate::crash_states::subject::{Recovered, Store, Story};
use crate::crash_states::tally::{Row, Tally};
use crate::random::Random;

/// Longer than this no recovery of these small stores may take, on a busy machine too.
const RECOVERY_LIMIT: Duration = Duration::from_secs(5);

/// Crashes during a recovery, and after it: a recovery does little, and there are many of them.
const IN_RECOVERY: Bounds = Bounds { subsets: 16, torn: 2 };

/// How much of everything to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// Into every so many-th recovery from a crash state it is looked: what happens when it is cut short, or done twice.
    pub(crate) recoveries_every: usize,
    pub(crate) bounds: Bounds,
    /// So many crash states, drawn at random if there are more.
    pub(crate) most_states: usize,
    /// So many damaged files, drawn at random if there are more.
    pub(crate) most_damaged: usize,
    pub(crate) seed: u64,
}

/// Makes the store of one thread.
pub(crate) type MakeStore<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

/// Examines all crash states of a story, and all damage to what it leaves of the kinds that the store notices.
pub(crate) fn examine(story: &Story, scope: Scope, notices: &[DamageClass], store: MakeStore<'_>) -> Tally {
    let mut random = Random::new(scope.seed);
    let mut enumeration = Enumeration::of(&story.recording, 0, scope.bounds, &mut random);
    let mut tally = Tally::of(enumeration.states.len());
    draw(&mut enumeration.states, scope.most_states, &mut random);
    tally.add(in_parallel(enumeration.states.len(), store, &|number, store, tally| {
        let look_into = number.is_multiple_of(scope.recoveries_every);
        Examiner { story, enumeration: &enumeration, store, tally }.crash(&enumeration.states[number], look_into);
    }));
    let mut damaged = damage::of(story, &mut random);
    damaged.retain(|damaged| notices.contains(&damaged.class()));
    draw(&mut damaged, scope.most_damaged, &mut random);
    let whole = story.recording.files();
    tally.add(in_parallel(damaged.len(), store, &|number, store, tally| {
        examine_damage(&story.history, &whole, &damaged[number], store, tally);
    }));
    tally
}

fn in_parallel(count: usize, store: MakeStore<'_>, each: &(dyn Fn(usize, &mut dyn Store, &mut Tally) + Sync)) -> Tally {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let worker = |first: usize| {
            scope.spawn(move || {
                let (mut store, mut tally) = (store(), Tally::default());
                (first..count).step_by(workers).for_each(|number| each(number, store.as_mut(), &mut tally));
                tally
            })
        };
        let workers: Vec<_> = (0..workers).map(worker).collect();
        for worker in workers {
            tally.add(worker.join().expect("a worker does not panic"));
        }
    });
    tally
}

fn draw<T>(from: &mut Vec<T>, most: usize, random: &mut Random) {
    while from.len() > most {
        from.swap_remove(random.pick(from.len()).unwrap_or_default());
    }
}

fn examine_damage(history: &[Contents], whole: &Files, damaged: &Damaged, store: &mut dyn Store, tally: &mut Tally) {
    let files = damaged.apply(whole);
    let began = Instant::now();
    let verdict = judge::after_damage(history, &store.recover(&files));
    tally.count(Row::Damage(damaged.class()), &limited(began, verdict), began.elapsed(), || damaged.to_string());
}

struct Examiner<'a> {
    story: &'a Story,
    enumeration: &'a Enumeration,
    store: &'a mut dyn Store,
    tally: &'a mut Tally,
}

impl Examiner<'_> {
    fn crash(&mut self, state: &CrashState, look_into: bool) {
        let cut = &self.enumeration.cuts[state.cut];
        let files = self.enumeration.files(state);
        let last = cut.operations.checked_sub(1).and_then(|last| self.story.recording.operations.get(last));
        let last = last.map(ToString::to_string).unwrap_or_default();
        let place =
            || format!("after {} operations ({last}), {}: {}", cut.operations, state.class, state.describe(cut));
        let began = Instant::now();
        let found = self.store.recover(&files);
        let took = began.elapsed();
        let verdict = judge::after_crash(&self.story.history, cut.acknowledged, cut.began, &found);
        let verdict = limited(began, verdict);
        self.tally.count(Row::Crash(state.class), &verdict, took, place);
        if let Verdict::Sound(steps) = verdict
            && look_into
        {
            let recovered = self.store.recover_recorded(&files);
            self.again(&recovered, steps, &place);
            self.crash_in_recovery(state, files, recovered.recording, steps, &place);
        }
    }

    /// What was recovered is recovered to the same once more.
    fn again(&mut self, first: &Recovered, steps: usize, place: &dyn Fn() -> String) {
        let began = Instant::now();
        let second = self.store.recover(&first.recording.files());
        let verdict = judge::after_crash(&self.story.history, steps, steps, &second);
        self.tally.count(Row::Again, &verdict, began.elapsed(), || format!("recovered twice {}", place()));
    }

    /// A power cut during the recovery, and one after it. What a recovery said must stay.
    fn crash_in_recovery(
        &mut self,
        state: &CrashState,
        files: Files,
        recovery: Recording,
        steps: usize,
        place: &dyn Fn() -> String,
    ) {
        let changes = recovery.operations.iter().any(|operation| !operation.is_sync());
        let killed = state.class == Class::Killed;
        if recovery.operations.is_empty() || !(changes || killed) {
            return;
        }
        let cut = &self.enumeration.cuts[state.cut];
        let mut whole = if killed {
            // The machine goes on: what was not synced is still not.
            let before = &self.story.recording;
            Recording { base: before.base.clone(), operations: before.operations[..cut.operations].to_vec() }
        } else {
            let marks = vec![Operation::Began(cut.began), Operation::Acknowledged(cut.acknowledged)];
            Recording { base: files, operations: marks }
        };
        let from = whole.operations.len();
        whole.operations.extend(recovery.operations);
        whole.operations.extend([Operation::Began(steps), Operation::Acknowledged(steps)]);
        let nested = Enumeration::of(&whole, from, IN_RECOVERY, &mut Random::new(from as u64));
        for state in &nested.states {
            let cut = &nested.cuts[state.cut];
            // `Began` is marked before `Acknowledged`, and for a moment it may be the smaller one.
            let latest = cut.began.max(cut.acknowledged);
            let began = Instant::now();
            let found = self.store.recover(&nested.files(state));
            let verdict = judge::after_crash(&self.story.history, cut.acknowledged, latest, &found);
            self.tally.count(Row::InRecovery, &limited(began, verdict), began.elapsed(), || {
                let inner = state.describe(cut);
                format!(
                    "{}; then {} operations of a recovery, {}: {inner}",
                    place(),
                    cut.operations - from,
                    state.class
                )
            });
        }
    }
}

fn limited(began: Instant, verdict: Verdict) -> Verdict {
    let took = began.elapsed();
    if took > RECOVERY_LIMIT { Verdict::Violation(format!("the recovery took {took:?}")) } else { verdict }
}
