//! `docs/first-hour.md` is true: its files are written, its commands are run, and they print what it says they print.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use antfarm_testkit::{Command, Ports, Running, Scratch, Turn, wait_until};
use anyhow::ensure;

use crate::dev_cluster::servers;
use crate::given::SOON;

/// The page is walked within this time.
const WITHIN: Duration = Duration::from_mins(4);

/// Stands for any text in what the page says is printed.
const ANY: char = '…';

/// What a fenced block is.
enum Block {
    File(String),
    Console,
    Other,
}

/// A reader with two terminals in an empty folder.
struct Reader {
    /// What runs in the first terminal.
    dev: Option<Running>,
    scratch: Scratch,
    ports: Ports,
    _turn: Turn,
}

impl Reader {
    fn write(&self, name: &str, text: &str) {
        let path = self.scratch.write(name, text);
        if text.starts_with("#!") {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("an own file");
        }
    }

    /// Types a line, and sees that it prints what the page says.
    fn types(&mut self, line: &str, expected: &[&str]) {
        if line == "^C" {
            let dev = self.dev.take().expect("the first terminal is busy");
            dev.interrupt();
            let _ = dev.finish().exits(0);
            return;
        }
        let words: Vec<&str> = line.strip_prefix("$ antfarm ").expect("a call of antfarm").split_whitespace().collect();
        let servers = servers(&self.ports);
        let base = self.ports.base().to_string();
        if words[0] == "dev" {
            assert!(self.dev.is_none(), "the first terminal is busy");
            let words = words.into_iter().chain(["--base-port", &base]);
            let dev = Command::antfarm(words).in_folder(self.scratch.folder()).within(WITHIN).start();
            wait_until(&format!("what the page says of {line}"), SOON, || {
                agrees(expected, &format!("{}{}", dev.stdout(), dev.stderr()))
            });
            self.dev = Some(dev);
            return;
        }
        let command = Command::antfarm(&words).in_folder(self.scratch.folder());
        let ended = command.env("ANTFARM_SERVER", &servers).within(WITHIN).run();
        let printed = format!("{}{}", ended.stdout, ended.stderr);
        assert_ne!(ended.code, Some(2), "{line}\n{printed}");
        agrees(expected, &printed).unwrap_or_else(|error| panic!("{line}\n{error:#}"));
    }
}

/// Whether all expected lines are among those that were printed, in their order.
fn agrees(expected: &[&str], printed: &str) -> anyhow::Result<()> {
    let mut lines = printed.lines();
    for line in expected {
        ensure!(lines.any(|printed| is_like(line, printed)), "{line:?} is not among (the rest of)\n{printed}");
    }
    Ok(())
}

fn is_like(expected: &str, printed: &str) -> bool {
    let mut pieces = expected.split(ANY);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        last = Some(piece);
    }
    rest.is_empty() || last == Some("")
}

/// The blocks of a page with their lines.
fn blocks(page: &str) -> Vec<(Block, Vec<&str>)> {
    let mut blocks: Vec<(Block, Vec<&str>)> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        if let Some(kind) = line.strip_prefix("```") {
            is_inside = !is_inside;
            if is_inside {
                let block = match kind.split_once(" file=") {
                    Some((_, file)) => Block::File(file.to_owned()),
                    None if kind == "console" => Block::Console,
                    None => Block::Other,
                };
                blocks.push((block, Vec::new()));
            }
        } else if is_inside {
            blocks.last_mut().expect("a block has begun").1.push(line);
        }
    }
    blocks
}

#[test]
fn the_first_hour_is_as_its_page_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/first-hour.md");
    let page = fs::read_to_string(page).expect("the page");
    let turn = Turn::take();
    let mut reader = Reader { dev: None, scratch: Scratch::new(), ports: Ports::take(), _turn: turn };
    let mut typed = 0;
    for (block, lines) in blocks(&page) {
        match block {
            Block::File(name) => reader.write(&name, &format!("{}\n", lines.join("\n"))),
            Block::Other => {}
            Block::Console => {
                let is_typed = |line: &&str| line.starts_with("$ ") || *line == "^C";
                let mut rest = lines.as_slice();
                while let [line, behind @ ..] = rest {
                    let printed = behind.iter().position(is_typed).unwrap_or(behind.len());
                    reader.types(line, &behind[..printed]);
                    typed += 1;
                    rest = &behind[printed..];
                }
            }
        }
    }
    assert!(typed > 12, "only {typed} lines were typed");
}

#[test]
fn any_text_may_stand_where_the_page_leaves_it_open() {
    assert!(is_like("queen-… leads, in term …", "queen-2 leads, in term 3"));
    assert!(is_like("…poem…", "cat: poem.txt"));
    assert!(!is_like("queen-… leads", "queen-2 leads, in term 3"));
    assert!(!is_like("a", "ab"));
    assert!(agrees(&["b", "a"], "a\nb\n").is_err(), "another order");
}
