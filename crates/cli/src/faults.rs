//! Faults that a queen found in what it was sent, told by their places in the file that the user wrote.

use antfarm_client::{ClientError, Fault};
use antfarm_model::document::{Position, Tree, Value};

use crate::exit::Stop;

/// What people are told when a queen refused a file: each fault with its line in that file, where `tree` has one.
pub(crate) fn told(file: &str, tree: Option<&Tree<'_>>, error: ClientError) -> anyhow::Error {
    let ClientError::Refused(problem) = &error else { return error.into() };
    if problem.faults.is_empty() {
        return error.into();
    }
    let line = |fault: &Fault| {
        let at = tree.and_then(|tree| position(tree, &fault.path));
        let at = at.map_or_else(String::new, |(line, column)| format!("{line}:{column}: "));
        let at = if at.is_empty() { " ".to_owned() } else { at };
        format!("\n  {file}:{at}{}: {}", fault.path, fault.message)
    };
    let lines: String = problem.faults.iter().map(line).collect();
    Stop::refused(format!("{file} is not submitted: the cluster finds faults in it{lines}"))
}

/// Where a path (`nodes.a.after[0]`) leads; as far as it goes, if it leads further than the tree.
fn position(tree: &Tree<'_>, path: &str) -> Option<Position> {
    match step(tree, path) {
        Some((next, rest)) => position(next, rest).or(Some(next.position)),
        None => (path.is_empty()).then_some(tree.position),
    }
}

/// The value that the first step of a path leads to, and the steps behind it. Keys may contain dots: the longest that fits
/// is meant.
fn step<'t>(tree: &'t Tree<'t>, path: &'t str) -> Option<(&'t Tree<'t>, &'t str)> {
    match &tree.value {
        Value::Map(entries) => {
            let fits = entries.iter().filter_map(|(key, value)| {
                let rest = path.strip_prefix(&*key.text)?;
                (rest.is_empty() || rest.starts_with(['.', '['])).then_some((value, rest))
            });
            let (value, rest) = fits.min_by_key(|(_, rest)| rest.len())?;
            Some((value, rest.strip_prefix('.').unwrap_or(rest)))
        }
        Value::List(items) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            Some((items.get(index.parse::<usize>().ok()?)?, rest.strip_prefix('.').unwrap_or(rest)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use antfarm_client::Problem;
    use antfarm_model::Limits;
    use antfarm_model::document;
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_fault_has_the_line_of_the_users_own_file() {
        let text = "id: g\nnodes:\n  a.b: {tool: ecko}\n  c:\n    tool: noop\n    after: [x, y]\n";
        let tree = document::parse(text.as_bytes(), &Limits::default()).expect("YAML");
        let fault = |path: &str| Fault {
            path: path.to_owned(),
            line: Some(1),
            column: Some(99),
            message: "is wrong".to_owned(),
        };
        let faults = ["nodes.a.b.tool", "nodes.c.after[1]", "nodes.c.timeout", "elsewhere"].map(fault).to_vec();
        let problem =
            Problem { r#type: String::new(), title: String::new(), status: 422, detail: String::new(), faults };
        let expected = expect![[r"
            g.yaml is not submitted: the cluster finds faults in it
              g.yaml:3:15: nodes.a.b.tool: is wrong
              g.yaml:6:16: nodes.c.after[1]: is wrong
              g.yaml:5:5: nodes.c.timeout: is wrong
              g.yaml: elsewhere: is wrong"]];
        expected.assert_eq(&told("g.yaml", Some(&tree), ClientError::Refused(problem)).to_string());
    }
}
