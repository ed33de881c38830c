//! Runs the trials, as many at a time as there are processors, and prints what each mistake was caught by.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use antfarm_planted::Bug;
use anyhow::{Context, bail, ensure};

use super::ScoreArguments;
use super::catalogue::{ALSO, CASES, Case};
use super::choice::rotated;
use super::layer::Layer;
use super::trial::{Found, Verdict};

/// A trial that takes longer is ended: what it looks for is not found within its budget. The longest, without a mistake in a
/// hundred seeds of the whole cluster, takes less than two minutes of a processor, which it may have to share.
const PATIENCE: Duration = Duration::from_mins(10);

/// How often it is looked whether a trial has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

const SECONDS_OF_A_DAY: u64 = 24 * 3_600;

/// Tells the score, and fails if a mistake escapes, or if something is found where none is made.
pub(super) fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let chosen = chosen(arguments)?;
    let also = ALSO.into_iter().filter(|also| chosen.iter().any(|case| case.bug == also.bug));
    let cases: Vec<Case> = chosen.iter().copied().chain(also).collect();
    control(&cases)?;
    println!("{:<4} {:<44} {:<12} {:>6} {:>8}", "bug", "caught by", "in", "seeds", "seconds");
    let caught = all(
        &cases,
        |case| trial(Some(*case), case.layer, case.seeds),
        |case, outcome| {
            let escaped = || (format!("nothing in {} seeds", case.seeds), String::new(), String::new());
            let (by, seeds, seconds) = match outcome {
                Ok(Verdict { found: Some(found), seeds, ms }) => {
                    (found.property.clone(), seeds.to_string(), seconds(*ms))
                }
                Ok(Verdict { found: None, .. }) => escaped(),
                Err(error) => (format!("nothing: {error}"), String::new(), String::new()),
            };
            println!("{:<4} {by:<44} {:<12} {seeds:>6} {seconds:>8}", case.bug, case.layer.name());
        },
    );
    let is_caught = |outcome: &anyhow::Result<Verdict>| matches!(outcome, Ok(Verdict { found: Some(_), .. }));
    let escaped: BTreeSet<Bug> =
        cases.iter().zip(&caught).filter(|(_, outcome)| !is_caught(outcome)).map(|(case, _)| case.bug).collect();
    let caught = chosen.len() - escaped.len();
    println!("caught {caught} of {}", chosen.len());
    ensure!(escaped.is_empty(), "{} escaped", escaped.len());
    Ok(())
}

fn seconds(ms: u64) -> String {
    format!("{}.{}", ms / 1_000, ms % 1_000 / 100)
}

fn chosen(arguments: &ScoreArguments) -> anyhow::Result<Vec<Case>> {
    if let Some(number) = arguments.rotate {
        let day = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / SECONDS_OF_A_DAY;
        return Ok(rotated(&CASES, number, day));
    }
    if arguments.bugs.is_empty() {
        return Ok(CASES.to_vec());
    }
    let case = |bug| CASES.into_iter().find(|case| case.bug == bug).with_context(|| format!("{bug} has no catcher"));
    arguments.bugs.iter().map(|bug| case(*bug)).collect()
}

/// Without a mistake, the same layers find nothing in as many seeds as any mistake among these may take.
fn control(cases: &[Case]) -> anyhow::Result<()> {
    let mut budgets: BTreeMap<Layer, u64> = BTreeMap::new();
    for case in cases {
        let most = budgets.entry(case.layer).or_default();
        *most = case.seeds.max(*most);
    }
    let layers: Vec<(Layer, u64)> = budgets.into_iter().collect();
    let outcomes = all(&layers, |(layer, seeds)| trial(None, *layer, *seeds), |_, _| {});
    for ((layer, seeds), outcome) in layers.iter().zip(outcomes) {
        let verdict = outcome.with_context(|| format!("the control of {} did not end well", layer.name()))?;
        if let Some(Found { what, .. }) = verdict.found {
            bail!("{} finds something although no mistake is made: {what}", layer.name());
        }
        println!("no mistake: nothing in {seeds} seeds of {}, {} s", layer.name(), seconds(verdict.ms));
    }
    Ok(())
}

/// Does something with all of a list, a few at a time, and tells of each as soon as those before it are told of.
fn all<T: Sync, V: Send>(list: &[T], work: impl Fn(&T) -> V + Sync, mut tell: impl FnMut(&T, &V)) -> Vec<V> {
    let (next, workers) = (AtomicUsize::new(0), thread::available_parallelism().map_or(1, usize::from));
    let (done, results) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (done, next, work) = (done.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((place, item)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    list.get(place).map(|item| (place, item))
                } {
                    let _ = done.send((place, work(item))); // it is received until all are done
                }
            });
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut told = Vec::new();
        for (place, value) in results {
            waiting.insert(place, value);
            while let Some(value) = waiting.remove(&told.len()) {
                tell(&list[told.len()], &value);
                told.push(value);
            }
        }
        told
    })
}

/// Runs a trial as a process of its own, which ends with its budget.
fn trial(case: Option<Case>, layer: Layer, seeds: u64) -> anyhow::Result<Verdict> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["trial", "--layer", layer.name(), "--seeds", &seeds.to_string()]);
    if let Some(case) = case {
        command.args(["--bug", &case.bug.to_string()]);
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let ended = end(&mut child)?;
    let mut text = String::new();
    child.stdout.take().context("it is piped")?.read_to_string(&mut text)?;
    if !ended {
        bail!("it took longer than {PATIENCE:?}");
    }
    serde_json::from_str(&text).with_context(|| format!("the trial ended without a verdict; run it: {command:?}"))
}

/// Waits for a process, and kills it when its time is over; says whether it ended by itself.
fn end(child: &mut Child) -> anyhow::Result<bool> {
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(LOOK_EVERY);
    }
    Ok(true)
}
