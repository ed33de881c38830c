//! Ids of tasks become names of nodes: valid, each once, and always the same.

use std::collections::BTreeSet;

use antfarm_model::Name;

use super::Names;

/// Names for ids. An id that is a valid name keeps it; another one is mended, and numbered where that is taken.
pub(super) fn of<'d>(ids: impl Iterator<Item = &'d str> + Clone) -> Names<'d> {
    let mut taken: BTreeSet<String> = ids.clone().filter(|id| Name::new(id).is_ok()).map(str::to_owned).collect();
    let mut names = Names::new();
    for id in ids {
        let name = if taken.contains(id) { id.to_owned() } else { free(&sanitised(id), &taken) };
        taken.insert(name.clone());
        names.insert(id, name);
    }
    names
}

/// The nearest valid name: other characters become `_`, and what is too long is cut off.
pub(crate) fn sanitised(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        name.insert(0, 't');
    }
    name.truncate(Name::MAX_LENGTH);
    name
}

/// The first of `name`, `name-2`, `name-3` … that is not taken.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number: u64| {
        let suffix = format!("-{number}");
        let kept = name.len().min(Name::MAX_LENGTH - suffix.len());
        format!("{}{suffix}", &name[..kept])
    });
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .expect("there are more numbers than names")
}
