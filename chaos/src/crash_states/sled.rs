//! The log engine on sled: recorded on a mounted file system, recovered from folders by processes of their own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use antfarm_storage::SledEngine;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::crash_states::contents::{self, Contents};
use crate::crash_states::files::Files;
use crate::crash_states::recorder::Recorder;
use crate::crash_states::recording_mount::RecordingMount;
use crate::crash_states::subject::{FOLDER, Recovered, Refusal, Store, Story};
use crate::crash_states::subjects::log::{self, Lives};

/// Where the log is, below [`FOLDER`].
const LOG: &str = "log";

/// Memory that goes with the machine: folders there cost no disk anything.
const MEMORY_FOLDER: &str = "/dev/shm";

/// Uses the engine on a mounted file system, and records it.
pub(crate) fn story(lives: Lives) -> anyhow::Result<Story> {
    let recorder = Recorder::on(empty());
    let mount = RecordingMount::new(recorder.clone())?;
    let folder = in_folder(mount.folder());
    let history = log::work(&recorder, lives, || SledEngine::open(&folder))?;
    drop(mount);
    Ok(Story { recording: recorder.recording(), history })
}

fn empty() -> Files {
    let mut files = Files::default();
    files.folders.insert(PathBuf::from(FOLDER));
    files
}

fn in_folder(root: &Path) -> PathBuf {
    below(root, &Path::new(FOLDER).join(LOG))
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn open(folder: &Path) -> Result<Contents, Refusal> {
    let engine = SledEngine::open(folder)?;
    Ok(contents::of_engine(&engine)?)
}

/// Puts files into a folder of the operating system.
fn materialise(files: &Files, root: &Path) -> std::io::Result<()> {
    const BLOCK: usize = 4096;
    for folder in &files.folders {
        fs::create_dir_all(below(root, folder))?;
    }
    for (path, file) in &files.names {
        let made = File::create(below(root, path))?;
        let content = files.content(*file);
        made.set_len(content.len() as u64)?;
        for (offset, block) in (0..).step_by(BLOCK).zip(content.chunks(BLOCK)) {
            if block.iter().any(|byte| *byte != 0) {
                made.write_all_at(block, offset)?;
            }
        }
    }
    Ok(())
}

/// A process that opens one folder after the other. It may end by a panic of sled's, which ends a queen too; then the next
/// folder gets a new one.
pub(crate) struct Recoverer {
    folder: TempDir,
    process: Option<Process>,
    /// Not in another process but in this one.
    here: bool,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What such a process says of a folder, in one line.
#[derive(Serialize, Deserialize)]
enum Answer {
    Contents(Contents),
    Refusal { text: String, damage: bool },
}

impl Recoverer {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let memory = Path::new(MEMORY_FOLDER);
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Ok(Self { folder: folder.context("no folder for crash states")?, process: None, here: false })
    }

    /// One that opens folders in this process, which may be no chaos of its own.
    #[cfg(test)]
    pub(crate) fn here() -> anyhow::Result<Self> {
        Ok(Self { here: true, ..Self::new()? })
    }

    /// Opens the engine in a process of its own.
    fn ask(&mut self, files: &Files) -> anyhow::Result<Result<Contents, Refusal>> {
        let root = self.folder.path().join("root");
        materialise(files, &root)?;
        if self.here {
            let answer = open(&in_folder(&root));
            fs::remove_dir_all(&root)?;
            return Ok(answer);
        }
        let words = self.words();
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&words)?),
        };
        let answer = process.ask(&in_folder(&root))?;
        fs::remove_dir_all(&root)?;
        Ok(match answer {
            Some(Answer::Contents(contents)) => Ok(contents),
            Some(Answer::Refusal { text, damage }) => Err(Refusal { text, damage }),
            None => {
                drop(self.process.take());
                let words = fs::read_to_string(words)?;
                let words: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).take(2).collect();
                Err(Refusal { text: format!("the process ended: {}", words.join(" ")), damage: true })
            }
        })
    }

    /// Where a process complains before it ends.
    fn words(&self) -> PathBuf {
        self.folder.path().join("words")
    }
}

impl Store for Recoverer {
    fn recover(&mut self, files: &Files) -> Result<Contents, Refusal> {
        self.ask(files).expect("a process that recovers in a folder of its own")
    }

    fn recover_recorded(&mut self, files: &Files) -> Recovered {
        let recorder = Recorder::on(files.clone());
        let mount = RecordingMount::new(recorder.clone()).expect("it could be mounted when the story was recorded");
        let contents = open(&in_folder(mount.folder()));
        drop(mount);
        Recovered { contents, recording: recorder.recording() }
    }
}

impl Process {
    fn start(words: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("recover-log")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(words)?)
            .spawn()?;
        let input = child.stdin.take().context("a process without input")?;
        let output = BufReader::new(child.stdout.take().context("a process without output")?);
        Ok(Self { child, input, output })
    }

    /// Nothing if it ended.
    fn ask(&mut self, folder: &Path) -> anyhow::Result<Option<Answer>> {
        // If it has ended, its output has, too.
        let _ = writeln!(self.input, "{}", folder.display());
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_str(&line)?)) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends with its input; whether it was to be waited for is no matter of anybody's.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What such a process does: for each line, which names a folder, a line that says what is in it.
pub(crate) fn answer_questions() -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    for folder in std::io::stdin().lock().lines() {
        let answer = match open(Path::new(&folder?)) {
            Ok(contents) => Answer::Contents(contents),
            Err(Refusal { text, damage }) => Answer::Refusal { text, damage },
        };
        serde_json::to_writer(&mut output, &answer)?;
        writeln!(output)?;
        output.flush()?;
    }
    Ok(())
}
