//! A file of tools: the manifest of each, and the command that runs it.

use std::collections::BTreeMap;
use std::path::Path;

use antfarm_model::document::{BackoffDocument, ManifestDocument};
use antfarm_model::{CostClass, EffectClass, Manifest, Name};
use serde::Deserialize;

use crate::exit::Stop;
use crate::source::Source;

/// What a file of tools looks like, for those whose file does not.
const EXAMPLE: &str = r#"a tool looks like this:
  [tools.shout]
  command = ["tr", "a-z", "A-Z"]   # a program and its arguments; ./NAME stands beside this file
  cost_class = "cpu"               # or "io", "model"
  effects = "pure"                 # or "idempotent", "guarded", "irrevocable""#;

/// A tool: what the cluster must know of it, and what a forager runs for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    /// What nodes call it, what it costs, what its repetition does.
    pub(crate) manifest: Manifest,
    /// The program and its arguments; none, if the file only describes the tool.
    pub(crate) command: Option<Vec<String>>,
}

/// What may stand in the file: one manifest, or tools by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsDocument {
    #[serde(default)]
    tools: BTreeMap<String, ToolDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolDocument {
    command: Option<Vec<String>>,
    cost_class: CostClass,
    #[serde(default)]
    effects: EffectClass,
    timeout: Option<String>,
    retries: Option<u32>,
    #[serde(default)]
    backoff: BackoffDocument,
}

/// Reads a file with `[tools.NAME]` tables, in the order of their names.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Tool>> {
    let (name, text) = Source::read_text(path)?;
    let mut tools = parse(&text).map_err(|faults| faulty(&name, &faults))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for tool in &mut tools {
        if let Some(program) = tool.command.as_mut().and_then(|command| command.first_mut()) {
            *program = beside(folder, program)
                .map_err(|why| faulty(&name, &[format!("tools.{}.command: {why}", tool.manifest.name)]))?;
        }
    }
    Ok(tools)
}

/// The path of a program that is called by its place beside the file (`./count`), since attempts run elsewhere. Absolute
/// paths stay as they are, and so do names, which are looked for in PATH when they run.
fn beside(folder: &Path, program: &str) -> Result<String, String> {
    if !program.contains('/') || program.starts_with('/') {
        return Ok(program.to_owned());
    }
    let path = folder.join(program).canonicalize().map_err(|why| format!("{program} beside this file: {why}"))?;
    path.into_os_string().into_string().map_err(|path| format!("{} is no UTF-8", path.display()))
}

/// Reads a file with one manifest, or one with `[tools.NAME]` tables.
pub(crate) fn read_manifests(path: &Path) -> anyhow::Result<Vec<Manifest>> {
    let (name, text) = Source::read_text(path)?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| faulty(&name, &[error.to_string()]))?;
    if table.contains_key("tools") {
        let tools = parse(&text).map_err(|faults| faulty(&name, &faults))?;
        return Ok(tools.into_iter().map(|tool| tool.manifest).collect());
    }
    let document: ManifestDocument = toml::from_str(&text).map_err(|error| faulty(&name, &[error.to_string()]))?;
    let manifest = Manifest::try_from(document).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        faulty(&name, &faults)
    })?;
    Ok(vec![manifest])
}

pub(crate) fn parse(text: &str) -> Result<Vec<Tool>, Vec<String>> {
    let document: ToolsDocument =
        toml::from_str(text).map_err(|error| vec![error.to_string().trim_end().to_owned(), EXAMPLE.to_owned()])?;
    let mut faults = Vec::new();
    let mut tools = Vec::new();
    for (name, tool) in document.tools {
        match check(&name, tool) {
            Ok(tool) => tools.push(tool),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(tools) } else { Err(faults) }
}

fn check(name: &str, tool: ToolDocument) -> Result<Tool, Vec<String>> {
    let mut faults = Vec::new();
    if tool.command.as_ref().is_some_and(Vec::is_empty) {
        faults.push(format!("tools.{name}.command: is empty; its first word is the program"));
    }
    let mut document = ManifestDocument::from(&Manifest::new(stand_in(), tool.cost_class));
    name.clone_into(&mut document.name);
    document.effects = tool.effects;
    document.backoff = tool.backoff;
    document.timeout = tool.timeout.unwrap_or(document.timeout);
    document.retries = tool.retries.unwrap_or(document.retries);
    match Manifest::try_from(document) {
        Ok(manifest) if faults.is_empty() => Ok(Tool { manifest, command: tool.command }),
        Ok(_) => Err(faults),
        Err(more) => {
            faults.extend(more.iter().map(|fault| format!("tools.{name}.{}: {}", fault.path, fault.message)));
            Err(faults)
        }
    }
}

fn stand_in() -> Name {
    Name::new("stand-in").expect("a valid name")
}

/// The error of a file that is no file of tools.
pub(crate) fn faulty(name: &str, faults: &[String]) -> anyhow::Error {
    Stop::usage(format!("{name} is no file of tools:\n  {}", faults.join("\n").trim_end().replace('\n', "\n  ")))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_tool_has_a_manifest_and_a_command() {
        let text = r#"
            [tools.count]
            command = ["wc", "-w"]
            cost_class = "cpu"
            effects = "pure"
            retries = 5
            backoff = { max = "10s" }

            [tools.ask]
            cost_class = "model"
            timeout = "2m"
        "#;
        let tools = parse(text).expect("a sound file");
        let [ask, count] = &tools[..] else { panic!("two tools: {tools:?}") };
        assert_eq!(ask.command, None);
        assert_eq!((ask.manifest.effects, ask.manifest.timeout.0), (EffectClass::Guarded, 120_000));
        assert_eq!(count.command.as_deref(), Some(&["wc".to_owned(), "-w".to_owned()][..]));
        assert_eq!((count.manifest.retries, count.manifest.backoff.max.0), (5, 10_000));
    }

    #[test]
    fn a_program_may_stand_beside_its_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, program) = (folder.path().join("tools.toml"), folder.path().join("count"));
        std::fs::write(&file, "[tools.count]\ncommand = [\"./count\", \"./x\"]\ncost_class = \"cpu\"\n")
            .expect("a file");
        let fault = read(&file).expect_err("there is no such program").to_string();
        assert!(fault.contains("tools.count.command: ./count beside this file: No such file"), "{fault}");
        std::fs::write(&program, "").expect("a file");
        let tools = read(&file).expect("a sound file");
        let program = program.canonicalize().expect("a file that exists").display().to_string();
        assert_eq!(tools[0].command, Some(vec![program, "./x".to_owned()]));
    }

    #[test]
    fn every_faulty_value_is_told() {
        let text = r#"
            [tools.a]
            command = []
            cost_class = "cpu"
            timeout = "soon"
            [tools."b c"]
            cost_class = "io"
            retries = 5000
        "#;
        let expected = expect![[r#"
            tools.a.command: is empty; its first word is the program
            tools.a.timeout: a length of time is a whole number with a unit (ms, s, m, h or d), such as 250ms or 10m, and at most 3650d; "soon" is not
            tools.b c.name: a name consists of A-Z, a-z, 0-9, '.', '_' and '-'; ' ' is none of them
            tools.b c.retries: must be at most 1000, not 5000"#]];
        expected.assert_eq(&parse(text).expect_err("faults").join("\n"));
    }

    #[test]
    fn an_unknown_key_is_a_fault_with_its_place() {
        let fault = parse("[tools.a]\ncost_clas = \"cpu\"\n").expect_err("a fault").join("\n");
        assert!(fault.contains("line 2") && fault.contains("unknown field `cost_clas`"), "{fault}");
    }
}
