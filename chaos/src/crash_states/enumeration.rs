//! All that a power cut may leave, up to a bound.

use std::collections::BTreeSet;
use std::fmt;

use crate::crash_states::cut::{Change, Cut, Fate, SECTOR_BYTES};
use crate::crash_states::files::Files;
use crate::crash_states::recorder::Recording;
use crate::random::Random;

/// How crash states came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Only the process ended: every operation up to here is there.
    Killed,
    /// Some of what was not synced is lost.
    Subset,
    /// As `Subset`, and a write arrived in part.
    Torn,
    /// As `Subset`, and a file grew without the content that it grew for.
    Stretched,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Killed => "killed",
            Self::Subset => "some unsynced lost",
            Self::Torn => "a write torn",
            Self::Stretched => "grown without content",
        })
    }
}

/// Of writes that a later one to the same place hides, so many are also tried as the last one that arrived.
const OLDER_WRITES: usize = 8;

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// At each moment, so many subsets of the unsynced changes; all of them if there are no more.
    pub(crate) subsets: usize,
    /// At each moment, so many of the writes that may be torn; all of them if there are no more.
    pub(crate) torn: usize,
}

/// One state of the disk that a crash may leave.
#[derive(Debug, Clone)]
pub(crate) struct CrashState {
    pub(crate) class: Class,
    /// In which of the cuts.
    pub(crate) cut: usize,
    pub(crate) fates: Vec<Fate>,
}

impl CrashState {
    /// Which changes are lost or torn.
    pub(crate) fn describe(&self, cut: &Cut) -> String {
        const SHOWN: usize = 6;
        let odd = cut.pending.iter().zip(&self.fates).filter(|(_, fate)| **fate != Fate::Kept);
        let mut text: Vec<String> = odd.map(|(change, fate)| format!("{change} {fate}")).collect();
        let more = text.len().saturating_sub(SHOWN);
        text.truncate(SHOWN);
        let kept = self.fates.iter().filter(|fate| **fate == Fate::Kept).count();
        format!(
            "{kept} kept, {}{}",
            text.join(", "),
            if more > 0 { format!(", and {more} more") } else { String::new() }
        )
    }
}

/// The crash states of a recording, each once.
#[derive(Debug, Default)]
pub(crate) struct Enumeration {
    pub(crate) cuts: Vec<Cut>,
    pub(crate) states: Vec<CrashState>,
    seen: BTreeSet<(u64, usize, usize)>,
}

impl Enumeration {
    /// All states of crashes after at least `from` operations.
    pub(crate) fn of(recording: &Recording, from: usize, bounds: Bounds, random: &mut Random) -> Self {
        let mut enumeration = Self::default();
        let mut cut = Cut::before(recording);
        for number in 0..=recording.operations.len() {
            if number >= from {
                enumeration.add(cut.clone(), bounds, random);
            }
            if let Some(operation) = recording.operations.get(number) {
                cut.advance(operation);
            }
        }
        enumeration
    }

    /// What is on the disk in a state.
    pub(crate) fn files(&self, state: &CrashState) -> Files {
        self.cuts[state.cut].files(&state.fates)
    }

    fn add(&mut self, cut: Cut, bounds: Bounds, random: &mut Random) {
        let pending = &cut.pending;
        let kept = latest(pending, &vec![true; pending.len()]);
        let mut found = vec![(Class::Killed, kept.clone())];
        found.extend(subsets(pending, bounds.subsets, random).into_iter().map(|fates| (Class::Subset, fates)));
        found.extend(torn(pending, &kept, bounds.torn, random));
        for (class, fates) in found {
            if self.seen.insert((cut.files(&fates).fingerprint(), cut.acknowledged, cut.began)) {
                self.states.push(CrashState { class, cut: self.cuts.len(), fates });
            }
        }
        self.cuts.push(cut);
    }
}

/// Fates by which changes are kept; of writes to the same place only the last that is kept, since it hides the others.
fn latest(pending: &[Change], kept: &[bool]) -> Vec<Fate> {
    let mut fates: Vec<_> = kept.iter().map(|kept| if *kept { Fate::Kept } else { Fate::Lost }).collect();
    for (number, change) in pending.iter().enumerate() {
        let hidden = pending.iter().zip(kept).skip(number + 1).any(|(later, kept)| *kept && later.same_place(change));
        if hidden {
            fates[number] = Fate::Lost;
        }
    }
    fates
}

/// Subsets of what is pending: all, or so many as are asked for, among them nothing, everything but one, and only one.
///
/// Of several writes to the same place only the last counts here; for each of the others there is one more state, in which
/// everything is kept but what came later to that place.
fn subsets(pending: &[Change], most: usize, random: &mut Random) -> Vec<Vec<Fate>> {
    let everything = latest(pending, &vec![true; pending.len()]);
    let (last, hidden): (Vec<usize>, Vec<usize>) =
        (0..pending.len()).partition(|place| everything[*place] == Fate::Kept);
    let count = last.len();
    let every = u32::try_from(count).ok().and_then(|count| 1_usize.checked_shl(count)).filter(|every| *every <= most);
    let mut subsets: Vec<Vec<bool>> = Vec::new();
    if let Some(every) = every {
        subsets.extend((0..every).map(|bits| (0..count).map(|place| bits >> place & 1 == 1).collect()));
    } else {
        subsets.push(vec![false; count]);
        subsets.extend((0..count).map(|one| (0..count).map(|place| place != one).collect()));
        subsets.extend((0..count).map(|one| (0..count).map(|place| place == one).collect()));
        subsets.extend((0..count).map(|first| (0..count).map(|place| place < first).collect()));
        while subsets.len() > most {
            subsets.swap_remove(random.pick(subsets.len()).unwrap_or_default());
        }
        while subsets.len() < most {
            subsets.push((0..count).map(|_| random.percent(50)).collect());
        }
    }
    let mut found: Vec<Vec<Fate>> = Vec::new();
    for subset in subsets {
        let mut fates = vec![Fate::Lost; pending.len()];
        for (place, kept) in last.iter().zip(subset) {
            fates[*place] = if kept { Fate::Kept } else { Fate::Lost };
        }
        found.push(fates);
    }
    for older in hidden.into_iter().rev().take(OLDER_WRITES) {
        let kept: Vec<bool> =
            (0..pending.len()).map(|place| place <= older || !pending[place].same_place(&pending[older])).collect();
        found.push(latest(pending, &kept));
    }
    found
}

/// Each pending write torn, with everything else kept and with nothing else kept.
fn torn(pending: &[Change], kept: &[Fate], most: usize, random: &mut Random) -> Vec<(Class, Vec<Fate>)> {
    let mut writes: Vec<usize> = (0..pending.len()).filter(|place| kept[*place] == Fate::Kept).collect();
    writes.retain(|place| matches!(pending[*place], Change::Write { .. }));
    let last = writes.pop();
    while writes.len() >= most.max(1) {
        writes.swap_remove(random.pick(writes.len()).unwrap_or_default());
    }
    let mut found = Vec::new();
    for place in writes.into_iter().chain(last) {
        let Change::Write { offset, bytes, .. } = &pending[place] else { continue };
        for fate in partly(*offset, bytes.len()) {
            let class = if matches!(fate, Fate::Stretched(_)) { Class::Stretched } else { Class::Torn };
            for others in [kept.to_vec(), vec![Fate::Lost; pending.len()]] {
                let mut fates = others;
                fates[place] = fate;
                found.push((class, fates));
            }
        }
    }
    found
}

/// How a write within one page may arrive in part: after 1 byte, after 512, at the first and at the last end of a sector in
/// it; and with none of its bytes, where the file was made longer before.
fn partly(offset: u64, length: usize) -> Vec<Fate> {
    let sector = usize::try_from(SECTOR_BYTES).expect("a sector fits into memory");
    let in_sector = usize::try_from(offset % SECTOR_BYTES).expect("a sector fits into memory");
    let first = sector - in_sector;
    let last = ((in_sector + length - 1) / sector * sector).saturating_sub(in_sector);
    let counts: BTreeSet<usize> =
        [1, sector, first, last].into_iter().filter(|count| (1..length).contains(count)).collect();
    let torn = counts.iter().map(|count| Fate::Torn(*count));
    let stretched = std::iter::once(0).chain(counts.iter().copied()).map(Fate::Stretched);
    torn.chain(stretched).collect()
}
