//! One run of one target: its corpus, beginnings of its samples, dense inputs, mutations.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::fault::Fault;
use crate::measure::{caught, peak_bytes};
use crate::mutation::mutated;
use crate::session::Session;
use crate::smallest::smallest;
use crate::target::{ALLOWANCE_BYTES, Target};

/// The stack of the thread that decodes: half of what a worker of tokio has.
const STACK_BYTES: usize = 1 << 20;

/// An input that is not done with after that has led to an endless loop, or to something as bad.
const HANGS_AFTER: Duration = Duration::from_mins(1);

/// How often somebody looks whether an input hangs.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Samples up to this length are cut at each of their bytes.
const CUT_EVERYWHERE_BYTES: usize = 2 << 10;

/// Dense inputs end at this length.
const DENSE_BYTES: usize = 512 << 10;

/// Inputs that were accepted and serve as the ground for others, beside samples and corpus.
const MAX_FOUND: usize = 256;

/// Longer ones do not serve, since they make everything slow.
const LONGEST_FOUND_BYTES: usize = 4 << 10;

/// One run of one target.
pub(crate) struct Run<'a, T> {
    target: Target,
    session: Session,
    decode: &'a (dyn Fn(&[u8]) -> Option<T> + Sync),
    promises: &'a (dyn Fn(&[u8], T) + Sync),
    /// The input that is decoded now, and since when.
    current: Mutex<(Instant, Vec<u8>)>,
}

/// What is counted during a run.
#[derive(Default)]
struct Tally {
    cases: usize,
    accepted: usize,
    /// The most bytes held for each byte of an input, beyond what every decoder may take; times 10.
    tenths: usize,
}

impl<'a, T> Run<'a, T> {
    pub(crate) fn of(
        target: Target,
        session: Session,
        decode: &'a (dyn Fn(&[u8]) -> Option<T> + Sync),
        promises: &'a (dyn Fn(&[u8], T) + Sync),
    ) -> Self {
        Self { target, session, decode, promises, current: Mutex::new((Instant::now(), Vec::new())) }
    }

    pub(crate) fn on_a_small_stack(&self) {
        println!("{}: ANTFARM_SEED={}", self.target.name, self.session.seed);
        let told = thread::scope(|scope| {
            let builder = thread::Builder::new().name(self.target.name.to_owned()).stack_size(STACK_BYTES);
            let run = builder.spawn_scoped(scope, || self.all()).expect("threads can be had");
            while !run.is_finished() {
                thread::sleep(LOOK_EVERY);
                self.end_if_it_hangs();
            }
            run.join()
        });
        match told {
            Ok(Ok(line)) => println!("{line}"),
            Ok(Err(failure)) => panic!("{failure}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Nothing can end a loop in another thread, so the process ends.
    fn end_if_it_hangs(&self) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0.elapsed() > HANGS_AFTER {
            eprintln!("{}", self.described(&current.1, "it takes for ever"));
            std::process::abort();
        }
    }

    /// A line about the run, or the failure that ended it.
    fn all(&self) -> Result<String, String> {
        let mut tally = Tally::default();
        let mut pool = self.known(&mut tally)?;
        for make in &self.target.dense {
            // One element more than where lists usually grow.
            let sizes = (2..20).map(|power| (1 << power) + 1);
            for input in sizes.map(make).take_while(|input| input.len() <= DENSE_BYTES) {
                self.case(&input, &mut tally)?;
            }
        }
        let known = pool.len();
        let mut dice = Dice::named(self.session.seed, self.target.name);
        let began = Instant::now();
        let mut cases = 0;
        while cases < self.session.cases && began.elapsed() < self.session.within {
            cases += 1;
            let mut input = mutated(&mut dice, &pool, self.target.tokens);
            if let Some(repair) = self.target.repair.filter(|_| dice.once_in(2)) {
                repair(&mut input);
            }
            if self.case(&input, &mut tally)? {
                if input.len() > LONGEST_FOUND_BYTES {
                    continue;
                }
                let at = if pool.len() < known + MAX_FOUND { pool.len() } else { known + dice.below(MAX_FOUND) };
                if at == pool.len() { pool.push(input) } else { pool[at] = input }
            }
        }
        Ok(self.told(&tally, cases as u128 * 1_000_000 / began.elapsed().as_micros().max(1)))
    }

    fn told(&self, tally: &Tally, per_second: u128) -> String {
        let Tally { cases, accepted, tenths } = tally;
        let (name, allowed) = (self.target.name, self.target.factor);
        format!(
            "fuzzed {name}: {cases} inputs, {accepted} accepted, {per_second} a second, \
             memory {}.{} times the input of {allowed} allowed",
            tenths / 10,
            tenths % 10,
        )
    }

    /// Samples, their beginnings and the corpus; gives what mutations start from.
    fn known(&self, tally: &mut Tally) -> Result<Vec<Vec<u8>>, String> {
        let mut pool = self.target.samples.clone();
        assert!(!pool.is_empty(), "{} has no sample", self.target.name);
        for sample in &pool {
            let accepted = self.case(sample, tally)?;
            assert!(accepted, "{}: a sample is refused: {}", self.target.name, sample.escape_ascii());
            for end in 0..sample.len().min(CUT_EVERYWHERE_BYTES) {
                self.case(&sample[..end], tally)?;
            }
        }
        for input in self.corpus() {
            self.case(&input, tally)?;
            pool.push(input);
        }
        Ok(pool)
    }

    fn corpus(&self) -> Vec<Vec<u8>> {
        let Ok(folder) = std::fs::read_dir(&self.target.corpus) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = folder.map(|entry| entry.expect("a folder can be read").path()).collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read(path).expect("a corpus can be read")).collect()
    }

    /// Decodes one input; says whether it was accepted.
    fn case(&self, input: &[u8], tally: &mut Tally) -> Result<bool, String> {
        if let Some(trace) = &self.session.trace {
            std::fs::write(trace, input).expect("the trace can be written");
        }
        {
            let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            current.0 = Instant::now();
            current.1.clear();
            current.1.extend_from_slice(input);
        }
        tally.cases += 1;
        match self.trial(input, tally) {
            Ok(accepted) => {
                tally.accepted += usize::from(accepted);
                Ok(accepted)
            }
            Err(fault) => Err(self.failure(input, &fault)),
        }
    }

    fn trial(&self, input: &[u8], tally: &mut Tally) -> Result<bool, Fault> {
        let (read, peak) = peak_bytes(|| (self.decode)(input));
        let read = read.map_err(Fault::Panicked)?;
        let always = ALLOWANCE_BYTES + self.target.beside;
        let beyond = peak.saturating_sub(always);
        tally.tenths = tally.tenths.max((beyond * 10).div_ceil(input.len().max(1)));
        let allowed = self.target.factor * input.len() + always;
        if peak > allowed {
            return Err(Fault::TookTooMuch { peak, allowed });
        }
        let Some(value) = read else { return Ok(false) };
        caught(|| (self.promises)(input, value)).map_err(Fault::BrokeAPromise)?;
        Ok(true)
    }

    /// What to say about a fault, with the smallest input that shows it.
    fn failure(&self, input: &[u8], fault: &Fault) -> String {
        let found = |candidate: &[u8]| self.trial(candidate, &mut Tally::default()).err();
        let small = smallest(input, |candidate| found(candidate).is_some_and(|other| other.is_like(fault)));
        let fault = found(&small).unwrap_or_else(|| fault.clone());
        self.described(&small, &fault.to_string())
    }

    fn described(&self, small: &[u8], fault: &str) -> String {
        let path = std::env::temp_dir().join(format!("antfarm-{}-{:08x}", self.target.name, name_of(small)));
        let kept = std::fs::write(&path, small);
        let mut text = format!("{}: {fault}\n  input: {} bytes", self.target.name, small.len());
        let (shown, rest) = small.split_at(small.len().min(SHOWN_BYTES));
        let dots = if rest.is_empty() { "" } else { "…" };
        let _ = write!(text, ": {}{dots}", shown.escape_ascii()); // a String takes everything
        if kept.is_ok() {
            let _ = write!(text, "\n  kept: {}, for {}", path.display(), self.target.corpus.display());
        }
        text
    }
}

/// Bytes of an input that are shown.
const SHOWN_BYTES: usize = 500;

/// A number by which inputs differ (FNV-1a).
fn name_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests;
