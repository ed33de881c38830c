//! A document becomes a checked [`Graph`]: names become numbers, and every fault is told.
//!
//! First all nodes are declared (name, number, size), then each is compiled against the declarations, since a node may
//! refer to a later one; then the whole is checked for cycles. Takes time linear in the document, but for sorting names.

mod args;
mod cycles;
mod declared;
mod node;
mod reference;

use crate::{Fault, Graph, Limits, Name, OnDeadline, OnFailure, Span};

use super::faults::Faults;
use super::fields::Fields;
use super::path::Path;
use super::place::{Place, parsed};
use super::read::Reading;
use super::{Tree, ndjson, read};

use declared::Declarations;
use node::Compiler;

/// The most further tries that a node or a manifest may ask for.
pub const MAX_RETRIES: u32 = 1_000;

/// Reads a graph in JSON or YAML: parses, compiles and checks it. Whether its tools exist, others know.
pub fn graph(bytes: &[u8], limits: &Limits) -> Result<Graph, Vec<Fault>> {
    check(read::read(bytes, limits), None, limits)
}

/// As [`graph`], but the graph gets this id, whether or not the document has one.
pub fn graph_with_id(bytes: &[u8], limits: &Limits, id: &Name) -> Result<Graph, Vec<Fault>> {
    check(read::read(bytes, limits), Some(id), limits)
}

/// Reads a graph in NDJSON: the graph without `nodes` on the first line, then one node with its `id` per line.
pub fn parse_ndjson_graph(bytes: &[u8], limits: &Limits) -> Result<Graph, Vec<Fault>> {
    check(ndjson::read(bytes, limits), None, limits)
}

/// Compiles and checks a graph that was parsed.
pub fn graph_from_tree(tree: &Tree<'_>, limits: &Limits) -> Result<Graph, Vec<Fault>> {
    compile(tree, None, limits, Faults::default())
}

fn check(reading: Result<Reading<'_>, Fault>, id: Option<&Name>, limits: &Limits) -> Result<Graph, Vec<Fault>> {
    let reading = reading.map_err(|fault| vec![fault])?;
    if reading.is_sound { compile(&reading.tree, id, limits, reading.faults) } else { Err(reading.faults.finish()) }
}

const FIELDS: [&str; 5] = ["id", "on_failure", "on_deadline", "defaults", "nodes"];
const ON_FAILURE: [(&str, OnFailure); 2] = [("fail_graph", OnFailure::FailGraph), ("continue", OnFailure::Continue)];
const ON_DEADLINE: [(&str, OnDeadline); 3] = [
    ("fail_graph", OnDeadline::FailGraph),
    ("skip_successors", OnDeadline::SkipSuccessors),
    ("continue", OnDeadline::Continue),
];

fn compile(tree: &Tree<'_>, id: Option<&Name>, limits: &Limits, mut faults: Faults) -> Result<Graph, Vec<Fault>> {
    let place = Place { tree, path: &Path::Root };
    let Some(fields) = Fields::read(place, &FIELDS, &mut faults) else { return Err(faults.finish()) };
    let id = match id {
        Some(id) => Some(id.clone()),
        None => fields.required("id", &mut faults, parsed::<Name>),
    };
    let on_failure = fields.optional("on_failure", &mut faults, |place, faults| place.one_of(&ON_FAILURE, faults));
    let on_deadline = fields.optional("on_deadline", &mut faults, |place, faults| place.one_of(&ON_DEADLINE, faults));
    let defaults = fields.optional("defaults", &mut faults, Defaults::read).unwrap_or_default();
    let nodes = fields.required("nodes", &mut faults, |place, faults| {
        let declared = Declarations::read(place, limits, faults)?;
        let nodes = Compiler::new(&declared, defaults, limits, faults).nodes()?;
        cycles::check(&nodes, &declared, faults);
        Some(nodes)
    });
    match (id, nodes) {
        (Some(id), Some(nodes)) if faults.is_empty() => Ok(Graph {
            id,
            on_failure: on_failure.unwrap_or_default(),
            on_deadline: on_deadline.unwrap_or_default(),
            nodes,
        }),
        _ => Err(faults.finish()),
    }
}

/// What a node has that does not say otherwise.
#[derive(Default, Clone, Copy)]
struct Defaults {
    timeout: Option<Span>,
    retries: Option<u32>,
}

impl Defaults {
    fn read(place: Place<'_, '_>, faults: &mut Faults) -> Option<Self> {
        let fields = Fields::read(place, &["timeout", "retries"], faults)?;
        Some(Self {
            timeout: fields.optional("timeout", faults, timeout),
            retries: fields.optional("retries", faults, retries),
        })
    }
}

/// Reads a time-out, which is longer than nothing.
fn timeout(place: Place<'_, '_>, faults: &mut Faults) -> Option<Span> {
    let span = parsed::<Span>(place, faults)?;
    if span.0 == 0 {
        place.fault(faults, || "must be longer than nothing; leave it out for the tool's own".to_owned());
        return None;
    }
    Some(span)
}

/// Reads a number of further tries.
fn retries(place: Place<'_, '_>, faults: &mut Faults) -> Option<u32> {
    place.whole_number(0..=MAX_RETRIES, faults)
}
