//! Files that the user names, `-` for standard input among them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::exit::Stop;

/// The longest file that is read, in bytes; far more than a cluster takes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// How messages call standard input.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// A file that was read.
pub(crate) struct Source {
    /// How messages call it.
    pub(crate) name: String,
    /// What stands in it.
    pub(crate) bytes: Vec<u8>,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { STANDARD_INPUT.to_owned() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        let read = if is_stdin {
            std::io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        };
        read.map_err(|error| Stop::usage(format!("{name} cannot be read: {error}; is the path right?")))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(Stop::usage(format!("{name} is longer than {} MiB; divide it", MAX_FILE_BYTES >> 20)));
        }
        Ok(Self { name, bytes })
    }

    /// Reads a file of text.
    pub(crate) fn read_text(path: &Path) -> anyhow::Result<(String, String)> {
        let Self { name, bytes } = Self::read(path)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok((name, text)),
            Err(error) => Err(Stop::usage(format!("{name} is no text: {error}"))),
        }
    }
}
