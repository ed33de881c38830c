//! The files of the repository, read once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use toml::Table;

/// Folders that are not of the repository, or not text.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// Endings of files that are text.
const TEXT: [&str; 11] = ["rs", "toml", "md", "yaml", "yml", "sh", "json", "html", "txt", "service", "run"];

/// A text file.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A crate of the workspace.
pub(crate) struct Package {
    /// `crates/queen`, `tests`.
    pub(crate) folder: String,
    /// `queen`, `tests`: without the prefix that they share.
    pub(crate) name: String,
    pub(crate) manifest: Table,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    /// Its lines without comments, with their numbers from 1. What follows `//` within a text is taken for a comment, too.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines.map(|(number, line)| (number + 1, line.split_once("//").map_or(line, |(code, _)| code)))
    }
}

impl Package {
    /// What it depends on, in builds and in tests.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = (&String, &toml::Value)> {
        ["dependencies", "dev-dependencies"].into_iter().flat_map(|table| self.table(table))
    }

    /// What it depends on, its tests set aside.
    pub(crate) fn own_dependencies(&self) -> impl Iterator<Item = (&String, &toml::Value)> {
        self.table("dependencies")
    }

    fn table(&self, name: &str) -> impl Iterator<Item = (&String, &toml::Value)> {
        self.manifest.get(name).and_then(toml::Value::as_table).into_iter().flatten()
    }

    /// Its Rust files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &'static File> {
        let folder = format!("{}/", self.folder);
        files().iter().filter(move |file| file.is_rust() && file.path.starts_with(&folder))
    }
}

pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the workspace");
    root.to_owned()
}

/// All text files.
pub(crate) fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files = Vec::new();
        collect(&root(), &mut files);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    })
}

/// A file that must be there.
pub(crate) fn file(path: &str) -> &'static File {
    files().iter().find(|file| file.path == path).unwrap_or_else(|| panic!("there is no {path}"))
}

/// All crates.
pub(crate) fn packages() -> Vec<Package> {
    let manifests = files().iter().filter_map(|file| Some((file, file.path.strip_suffix("/Cargo.toml")?)));
    let packages = manifests.map(|(file, folder)| {
        let manifest: Table = file.text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.path));
        let name = manifest["package"]["name"].as_str().expect("a package has a name");
        Package { folder: folder.to_owned(), name: name.trim_start_matches("antfarm-").to_owned(), manifest }
    });
    packages.collect()
}

/// Fails with all that is wrong, one a line.
pub(crate) fn nothing_is_wrong(rule: &str, wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{rule}\n  {}", wrong.join("\n  "));
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !SKIPPED.contains(&&*name) {
                collect(&path, files);
            }
            continue;
        }
        let extension = path.extension().map_or(name.clone(), |extension| extension.to_string_lossy());
        if TEXT.contains(&&*extension) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let path = path.strip_prefix(root()).expect("it stands below the root").to_string_lossy().into_owned();
            files.push(File { path, text });
        }
    }
}
