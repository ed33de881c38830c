//! A decoder, samples of what it reads, and what may be expected of it.

use std::path::{Path, PathBuf};

use crate::run::Run;
use crate::session::Session;

/// Memory that every decoder may take, however short its input is, in bytes.
pub(crate) const ALLOWANCE_BYTES: usize = 64 << 10;

/// How much memory for each byte of its input a decoder may take unless it says otherwise.
const USUAL_FACTOR: usize = 2;

/// Makes a worst input of about so many elements.
pub(crate) type Dense = Box<dyn Fn(usize) -> Vec<u8> + Send + Sync>;

/// A decoder that is to be fed with hostile bytes.
#[must_use = "a target does nothing before it runs"]
pub struct Target {
    pub(crate) name: &'static str,
    pub(crate) corpus: PathBuf,
    pub(crate) samples: Vec<Vec<u8>>,
    pub(crate) tokens: &'static [&'static str],
    pub(crate) factor: usize,
    pub(crate) beside: usize,
    pub(crate) dense: Vec<Dense>,
    pub(crate) repair: Option<fn(&mut Vec<u8>)>,
}

impl Target {
    /// A target. Its corpus is in the folder `tests/corpus/NAME` of the crate: give `env!("CARGO_MANIFEST_DIR")`.
    pub fn new(crate_folder: &str, name: &'static str) -> Self {
        Self {
            name,
            corpus: Path::new(crate_folder).join("tests/corpus").join(name),
            samples: Vec::new(),
            tokens: &[],
            factor: USUAL_FACTOR,
            beside: 0,
            dense: Vec::new(),
            repair: None,
        }
    }

    /// Adds something that the decoder reads. At least one is needed.
    pub fn sample(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.samples.push(bytes.into());
        self
    }

    /// Adds several things that the decoder reads.
    pub fn samples(mut self, all: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        self.samples.extend(all.into_iter().map(Into::into));
        self
    }

    /// Words of the language, which are put in anywhere.
    pub fn tokens(mut self, tokens: &'static [&'static str]) -> Self {
        self.tokens = tokens;
        self
    }

    /// The decoder may take `factor` times its input, beside what every decoder may take. Who says more than 2 says why
    /// in `DESIGN.md`, and gives the input that needs it to [`Target::dense`].
    pub fn takes(mut self, factor: usize) -> Self {
        self.factor = factor;
        self
    }

    /// The decoder may take so many more bytes, whatever its input is: for texts that are bounded by themselves.
    pub fn beside(mut self, bytes: usize) -> Self {
        self.beside = bytes;
        self
    }

    /// Adds inputs that need much memory for each of their bytes: `make` gives one of about so many elements.
    pub fn dense(mut self, make: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.dense.push(Box::new(make));
        self
    }

    /// Makes checksums right again after damage, every other time, so that what is behind them is reached.
    pub fn repaired_by(mut self, repair: fn(&mut Vec<u8>)) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Feeds the decoder. `decode` gives what it read, or nothing if it refused; `promises` panics if what was read is
    /// not as it should be. Only `decode` is measured.
    ///
    /// # Panics
    /// If the decoder does what it must not do, with the smallest input that was found for it.
    pub fn run<T>(self, decode: impl Fn(&[u8]) -> Option<T> + Sync, promises: impl Fn(&[u8], T) + Sync) {
        Run::of(self, Session::from_environment(), &decode, &promises).on_a_small_stack();
    }
}
