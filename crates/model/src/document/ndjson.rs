//! A graph as NDJSON: the graph without `nodes` on the first line, then one node with its `id` per line.

use std::borrow::Cow;

use crate::{Fault, Limits};

use super::bounds::{self, Bounds};
use super::faults::Faults;
use super::path::Path;
use super::read::{Reading, Stop};
use super::{Key, Tree, Value, json};

/// Reads the lines into the tree of the same graph in one piece. Blank lines count for nothing.
pub(super) fn read<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Reading<'a>, Fault> {
    let text = bounds::text(bytes, limits)?;
    let mut lines = text.split('\n').zip(1..).filter(|(line, _)| !line.trim_ascii().is_empty());
    let mut reader = Reader { bounds: Bounds::new(limits), faults: Faults::default(), is_sound: true };
    let Some((first, line)) = lines.next() else {
        return Err(bounds::at(
            (1, 1),
            "the document is empty; its first line must be the graph without nodes".to_owned(),
        ));
    };
    let mut entries = match reader.line(first, line, &Path::Root, 0)? {
        Some(Tree { value: Value::Map(entries), .. }) => entries,
        Some(tree) => {
            let kind = tree.value.kind();
            return Err(bounds::at(
                tree.position,
                format!("the first line must be the graph without nodes, a map, not {kind}"),
            ));
        }
        None => Vec::new(),
    };
    if let Some((key, _)) = entries.iter().find(|(key, _)| key.text == "nodes") {
        reader.faults.add(&Path::Key(&Path::Root, "nodes"), key.position, || {
            "the first line must not have nodes; each node stands on a line of its own, with its id".to_owned()
        });
        reader.is_sound = false;
    }
    let path = Path::Key(&Path::Root, "nodes");
    let mut nodes = Vec::new();
    for (text, line) in lines {
        nodes.extend(reader.line(text, line, &Path::Index(&path, nodes.len()), 2)?);
    }
    let position = nodes.first().map_or((1, 1), |node| node.position);
    let key = Key { text: Cow::Borrowed("nodes"), position };
    entries.push((key, Tree { value: Value::List(nodes), position }));
    let tree = Tree { value: Value::Map(entries), position: (1, 1) };
    Ok(Reading { tree, faults: reader.faults, is_sound: reader.is_sound })
}

struct Reader {
    bounds: Bounds,
    faults: Faults,
    is_sound: bool,
}

impl Reader {
    /// Reads a line; nothing if it is no JSON, which is a fault and does not stop.
    fn line<'a>(
        &mut self,
        text: &'a str,
        line: usize,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Tree<'a>>, Fault> {
        match json::read_value(text, path, depth, line, &mut self.bounds, &mut self.faults) {
            Ok(tree) => Ok(Some(tree)),
            Err(Stop::Bound(fault)) => Err(fault),
            Err(Stop::Syntax(fault)) => {
                self.is_sound = false;
                self.faults.add(&Path::Root, fault.position.unwrap_or((1, 1)), || fault.message);
                Ok(None)
            }
        }
    }
}
