//! Damage to what is durable: flipped bits, files cut short, files gone, and files as they were before.

use std::fmt;
use std::path::PathBuf;

use crate::crash_states::cut::Cut;
use crate::crash_states::files::Files;
use crate::crash_states::subject::Story;
use crate::random::Random;

/// Every byte of a file of at most so many is damaged, and every length is tried; of a larger one so many, drawn at random,
/// and all around the first and the last.
const EVERY_BYTE_BELOW: usize = 16 << 10;

/// What kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DamageClass {
    /// A bit of what the workload gave: a payload, a vote, a fact, a description.
    BitOfContent,
    /// A bit of anything else: lengths, checksums, versions, places, padding.
    BitOfFrame,
    CutShort,
    Gone,
    /// A file as it was at an earlier moment, when something else was promised.
    Stale,
}

impl DamageClass {
    pub(crate) const ALL: [Self; 5] = [Self::BitOfContent, Self::BitOfFrame, Self::CutShort, Self::Gone, Self::Stale];
}

impl fmt::Display for DamageClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BitOfContent => "bit flip in content",
            Self::BitOfFrame => "bit flip in lengths, sums",
            Self::CutShort => "file cut short",
            Self::Gone => "file gone",
            Self::Stale => "file from an earlier moment",
        })
    }
}

/// One damage to one file.
#[derive(Debug, Clone)]
pub(crate) struct Damaged {
    path: PathBuf,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Bit { place: usize, bit: u8, content: bool },
    Length(usize),
    Gone,
    Stale { operations: usize, content: Vec<u8> },
}

impl Damaged {
    pub(crate) fn class(&self) -> DamageClass {
        match self.what {
            What::Bit { content: true, .. } => DamageClass::BitOfContent,
            What::Bit { content: false, .. } => DamageClass::BitOfFrame,
            What::Length(_) => DamageClass::CutShort,
            What::Gone => DamageClass::Gone,
            What::Stale { .. } => DamageClass::Stale,
        }
    }

    /// The files with this damage.
    pub(crate) fn apply(&self, whole: &Files) -> Files {
        let mut files = whole.clone();
        let file = files.names[&self.path];
        let mut content = files.content(file).to_vec();
        match &self.what {
            What::Bit { place, bit, .. } => content[*place] ^= 1 << bit,
            What::Length(length) => content.truncate(*length),
            What::Gone => drop(files.names.remove(&self.path)),
            What::Stale { content: earlier, .. } => content.clone_from(earlier),
        }
        files.replace(file, content);
        files
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.what {
            What::Bit { place, bit, .. } => write!(f, "bit {bit} of byte {place} of {path}"),
            What::Length(length) => write!(f, "{path} cut to {length} bytes"),
            What::Gone => write!(f, "{path} is gone"),
            What::Stale { operations, .. } => write!(f, "{path} as it was after {operations} operations"),
        }
    }
}

/// All damage to the files that a story leaves.
pub(crate) fn of(story: &Story, random: &mut Random) -> Vec<Damaged> {
    let whole = story.recording.files();
    let known: Vec<&Vec<u8>> = story.history.last().into_iter().flat_map(|contents| contents.values()).collect();
    let mut all = Vec::new();
    for (path, file) in &whole.names {
        let content = whole.content(*file);
        let damaged = |what| Damaged { path: path.clone(), what };
        let is_content = content_places(content, &known);
        for place in places(content.len(), random) {
            let bit = u8::try_from(place % 8).unwrap_or_default();
            all.push(damaged(What::Bit { place, bit, content: is_content[place] }));
        }
        all.extend(places(content.len(), random).into_iter().map(|length| damaged(What::Length(length))));
        all.push(damaged(What::Gone));
    }
    all.extend(stale(story, &whole));
    all
}

fn places(length: usize, random: &mut Random) -> Vec<usize> {
    const AROUND: usize = 256;
    if length <= EVERY_BYTE_BELOW {
        return (0..length).collect();
    }
    let drawn = (0..EVERY_BYTE_BELOW).filter_map(|_| random.pick(length));
    (0..AROUND).chain(length - AROUND..length).chain(drawn).collect()
}

/// Which bytes of a file are what the workload gave.
fn content_places(file: &[u8], known: &[&Vec<u8>]) -> Vec<bool> {
    const SHORTEST: usize = 4;
    let mut is_content = vec![false; file.len()];
    for given in known.iter().filter(|given| given.len() >= SHORTEST) {
        // A long one may be stored in pieces.
        for piece in given.chunks(64).filter(|piece| piece.len() >= SHORTEST) {
            for place in 0..=file.len().saturating_sub(piece.len()) {
                if file[place..].starts_with(piece) {
                    is_content[place..place + piece.len()].fill(true);
                }
            }
        }
    }
    is_content
}

/// Each file as it was durable at earlier moments at which fewer steps were promised.
fn stale(story: &Story, whole: &Files) -> Vec<Damaged> {
    let mut all: Vec<Damaged> = Vec::new();
    let mut cut = Cut::before(&story.recording);
    for operation in &story.recording.operations {
        cut.advance(operation);
        let earlier = cut.durable();
        if cut.acknowledged + 1 >= story.history.len() {
            break;
        }
        for (path, file) in &whole.names {
            let Some(content) = earlier.content_of(path) else { continue };
            let known = all.iter().any(|damaged| {
                damaged.path == *path
                    && matches!(&damaged.what, What::Stale { content: same, .. } if same == &**content)
            });
            if !known && content != whole.content(*file) {
                let what = What::Stale { operations: cut.operations, content: content.to_vec() };
                all.push(Damaged { path: path.clone(), what });
            }
        }
    }
    all
}
