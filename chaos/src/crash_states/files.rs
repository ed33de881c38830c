//! Folders, names and contents at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::crash_states::operation::{FileNo, Operation};

/// A whole file system below `/`. Clones share contents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) folders: BTreeSet<PathBuf>,
    pub(crate) names: BTreeMap<PathBuf, FileNo>,
    contents: Vec<Arc<Vec<u8>>>,
}

impl Files {
    /// The number of the next file that is made.
    pub(crate) fn next_file(&self) -> FileNo {
        self.contents.len()
    }

    /// What a file holds.
    pub(crate) fn content(&self, file: FileNo) -> &Arc<Vec<u8>> {
        &self.contents[file]
    }

    /// What the file of that name holds.
    pub(crate) fn content_of(&self, path: &Path) -> Option<&Arc<Vec<u8>>> {
        self.names.get(path).map(|file| self.content(*file))
    }

    /// Gives a file another content.
    pub(crate) fn replace(&mut self, file: FileNo, content: Vec<u8>) {
        self.contents[file] = Arc::new(content);
    }

    /// Makes room for a file without a name.
    pub(crate) fn make(&mut self) -> FileNo {
        self.contents.push(Arc::default());
        self.contents.len() - 1
    }

    /// What the operation does to files of which nothing is ever lost.
    pub(crate) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::CreateFolder { path } => drop(self.folders.insert(path.clone())),
            Operation::Create { path, file } => {
                let made = self.make();
                assert_eq!(made, *file, "files are numbered in the order in which they are made");
                self.names.insert(path.clone(), made);
            }
            Operation::Write { file, offset, bytes } => self.write(*file, *offset, bytes),
            Operation::SetLength { file, length } => self.set_length(*file, *length),
            Operation::Rename { from, to } => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Operation::Remove { path } => drop(self.names.remove(path)),
            Operation::SyncFile { .. }
            | Operation::SyncFolder { .. }
            | Operation::Began(_)
            | Operation::Acknowledged(_) => {}
        }
    }

    /// Puts bytes into a file; what it lacks before them becomes zeros.
    pub(crate) fn write(&mut self, file: FileNo, offset: u64, bytes: &[u8]) {
        let content = Arc::make_mut(&mut self.contents[file]);
        let (from, to) = (position(offset), position(offset) + bytes.len());
        content.resize(content.len().max(to), 0);
        content[from..to].copy_from_slice(bytes);
    }

    /// Cuts a file, or lets it grow by zeros.
    pub(crate) fn set_length(&mut self, file: FileNo, length: u64) {
        Arc::make_mut(&mut self.contents[file]).resize(position(length), 0);
    }

    /// A number that equal files share and different ones, as far as one can tell, do not.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut mix = Mix(0x6a09_e667_f3bc_c908);
        for folder in &self.folders {
            mix.bytes(folder.as_os_str().as_encoded_bytes());
        }
        for (path, file) in &self.names {
            mix.bytes(path.as_os_str().as_encoded_bytes());
            mix.bytes(self.content(*file));
        }
        mix.0
    }
}

/// A position in memory of an offset in a file that is held in memory.
pub(crate) fn position(offset: u64) -> usize {
    usize::try_from(offset).expect("files are held in memory")
}

/// Mixes words as SplitMix64 does (Steele, Lea, Flood, 2014).
struct Mix(u64);

impl Mix {
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }
}
