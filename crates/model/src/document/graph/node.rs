//! One node of a document becomes a [`Node`].

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::Value;
use crate::document::faults::Faults;
use crate::document::fields::Fields;
use crate::document::path::Path;
use crate::document::place::{Place, parsed};
use crate::{Args, Dependency, Limits, Name, Node, Reference, WallTime};

use super::args::ArgsCompiler;
use super::declared::{Declarations, Declared, Size};
use super::reference::Reader;
use super::{Defaults, retries, timeout};

/// The fields of a node in a list. In a map the key is the id.
const FIELDS: [&str; 10] =
    ["id", "tool", "args", "after", "deadline", "not_before", "timeout", "retries", "pin", "array"];

/// A node, stored, takes at most this part of a Raft entry, so that a graph can travel in chunks of whole nodes.
const NODES_PER_ENTRY: usize = 2;

/// Compiles the nodes of a graph.
///
/// What is faulty gets a stand-in, so that the rest can be checked; a graph with faults never leaves this module.
pub(super) struct Compiler<'c, 't, 'p> {
    declared: &'c Declarations<'t, 'p>,
    defaults: Defaults,
    node_bytes: usize,
    faults: &'c mut Faults,
    /// Names of tools and foragers that were checked; many nodes share them.
    names: BTreeMap<&'t str, Name>,
    no_args: Arc<str>,
    stand_in: Name,
}

impl<'c, 't, 'p> Compiler<'c, 't, 'p> {
    pub(super) fn new(
        declared: &'c Declarations<'t, 'p>,
        defaults: Defaults,
        limits: &Limits,
        faults: &'c mut Faults,
    ) -> Self {
        Self {
            declared,
            defaults,
            node_bytes: limits.entry_bytes as usize / NODES_PER_ENTRY,
            faults,
            names: BTreeMap::new(),
            no_args: "{}".into(),
            stand_in: Name::new("stand-in").expect("a valid name"),
        }
    }

    /// All nodes; or nothing, if there are so many faults that nobody asks how the nodes depend on each other.
    pub(super) fn nodes(mut self) -> Option<Vec<Node>> {
        let declared = self.declared;
        // A node is many times larger than the two bytes that a faulty one may have, so faulty ones get no room at once.
        let is_sound =
            self.faults.is_empty() && declared.nodes.iter().all(|node| matches!(node.tree.value, Value::Map(_)));
        let mut nodes = Vec::with_capacity(if is_sound { declared.nodes.len() } else { 0 });
        for number in 0..declared.nodes.len() {
            let node = declared.with_path(number, |path| self.node(number, path));
            if self.faults.is_full() {
                nodes = Vec::new();
            } else {
                nodes.push(node);
            }
        }
        (!self.faults.is_full()).then_some(nodes)
    }

    fn node(&mut self, number: usize, path: &Path<'_>) -> Node {
        let declared = self.declared;
        let this = &declared.nodes[number];
        let mut node = self.without_fields(this, path);
        let place = Place { tree: this.tree, path };
        let known = if declared.is_list() { &FIELDS[..] } else { &FIELDS[1..] };
        let faults = &mut *self.faults;
        let Some(fields) = Fields::read(place, known, faults) else { return node };
        let reader = Reader { declared, of: declared.number(number) };
        let names = &mut self.names;
        if let Some(tool) = fields.required("tool", faults, |place, faults| name(place, names, faults)) {
            node.tool = tool;
        }
        node.pin = fields.optional("pin", faults, |place, faults| name(place, names, faults));
        let args = fields.optional("args", faults, |place, faults| Some(ArgsCompiler::compile(place, reader, faults)));
        node.args = args.unwrap_or(node.args);
        let after = fields.optional("after", faults, |place, faults| after(place, reader, faults));
        node.after = without_implied(after.unwrap_or_default(), &node.args.references);
        node.deadline = fields.optional("deadline", faults, parsed);
        node.not_before =
            fields.optional("not_before", faults, |place, faults| not_before(place, node.deadline, faults));
        node.timeout = fields.optional("timeout", faults, timeout).or(node.timeout);
        node.retries = fields.optional("retries", faults, retries).or(node.retries);
        self.check_size(place, &node);
        node
    }

    /// The node as it is when it says nothing.
    fn without_fields(&mut self, this: &Declared<'_>, path: &Path<'_>) -> Node {
        Node {
            id: self.id(this, path),
            tool: self.stand_in.clone(),
            args: Args { json: Arc::clone(&self.no_args), references: Vec::new() },
            after: Vec::new(),
            deadline: None,
            not_before: None,
            timeout: self.defaults.timeout,
            retries: self.defaults.retries,
            pin: None,
            array: match this.size {
                Size::Array(count) => Some(count),
                Size::Plain | Size::Unclear => None,
            },
        }
    }

    fn id(&mut self, this: &Declared<'_>, path: &Path<'_>) -> Name {
        let Some(name) = this.name else { return self.stand_in.clone() };
        Name::new(name).unwrap_or_else(|why| {
            let id = Path::Key(path, "id");
            let path = if self.declared.is_list() { &id } else { path };
            self.faults.add(path, this.position, || why.to_string());
            self.stand_in.clone()
        })
    }

    fn check_size(&mut self, place: Place<'_, '_>, node: &Node) {
        let (size, most) = (stored_bytes(node), self.node_bytes);
        if size > most {
            place.fault(self.faults, || {
                format!("takes about {size} bytes; a node takes at most {most}. Give large arguments by reference, use array nodes instead of many references")
            });
        }
    }
}

/// Reads a name of a tool or a forager.
fn name<'t>(place: Place<'t, '_>, names: &mut BTreeMap<&'t str, Name>, faults: &mut Faults) -> Option<Name> {
    let text = place.text(faults)?;
    if let Some(name) = names.get(text) {
        return Some(name.clone());
    }
    let name: Name = parsed(place, faults)?;
    names.insert(text, name.clone());
    Some(name)
}

/// Reads a list of names of nodes and instances.
fn after(place: Place<'_, '_>, reader: Reader<'_, '_, '_>, faults: &mut Faults) -> Option<Vec<Dependency>> {
    let Value::List(items) = &place.tree.value else {
        place.wrong_type(faults, "a list of names of nodes, such as [fetch]");
        return None;
    };
    let read = |(index, tree)| {
        let place = Place { tree, path: &Path::Index(place.path, index) };
        reader.dependency(place, place.text(faults)?, faults)
    };
    Some(items.iter().enumerate().filter_map(read).collect())
}

/// Sorted, without what is said twice or is said by `references` already.
fn without_implied(mut after: Vec<Dependency>, references: &[Reference]) -> Vec<Dependency> {
    if after.is_empty() {
        return after;
    }
    let mut said: Vec<Dependency> = references.iter().map(|reference| reference.of).collect();
    said.sort_unstable();
    after.sort_unstable();
    after.dedup();
    // A whole node sorts before its instances, and says what they say.
    let mut whole = None;
    after.retain(|one| {
        let is_new = whole != Some(one.node);
        if one.index.is_none() {
            whole = Some(one.node);
        }
        is_new && said.binary_search(one).is_err() && said.binary_search(&one.all()).is_err()
    });
    after
}

/// Reads `not_before`, which leaves some time until the deadline.
fn not_before(place: Place<'_, '_>, deadline: Option<WallTime>, faults: &mut Faults) -> Option<WallTime> {
    let time: WallTime = parsed(place, faults)?;
    if let Some(deadline) = deadline.filter(|deadline| time >= *deadline) {
        place.fault(faults, || format!("is not before the deadline, {deadline}, so the node could never run"));
    }
    Some(time)
}

/// What a node takes at most when it is stored.
fn stored_bytes(node: &Node) -> usize {
    const FIXED: usize = 64;
    const NUMBERS: usize = 24;
    let pointers: usize = node
        .args
        .references
        .iter()
        .filter_map(|reference| reference.pointer.as_ref())
        .map(|pointer| pointer.len())
        .sum();
    let names =
        node.id.as_str().len() + node.tool.as_str().len() + node.pin.as_ref().map_or(0, |pin| pin.as_str().len());
    FIXED + names + node.args.json.len() + pointers + NUMBERS * (node.args.references.len() + node.after.len())
}
