//! `antfarm bench core`: what one assignment costs the pure scheduler, against the size of everything around it.

mod farm;
mod memory;
mod snapshot;
mod submission;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::range::Range;
use crate::console::Console;
use crate::exit::Exit;
use crate::table::Table;
use farm::Size;
pub(super) use memory::linked;
use snapshot::Costs;

/// What does not change while something else does.
const BESIDE: Size = Size { nodes: 10_000, foragers: 8, graphs: 1, tools: 1, history: 0 };

/// Measure the pure scheduler, in this process
///
/// How long the decision and the application of one assignment take, and those of one result, with more and more ready nodes,
/// foragers, graphs, tools and ended nodes; how much memory an open node takes; and what a snapshot of such nodes and their
/// submission cost. No
/// network, no disk, no replication.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/bench-core.txt"))]
pub(super) struct Core {
    /// How often everything is measured
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
    /// The most nodes, open or ended; of foragers and graphs a hundredth, of tools a thousandth of it
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1_000..=4_000_000))]
    nodes: u32,
}

/// Costs in nanoseconds, by what grew and how large it was.
#[derive(Debug, Serialize)]
struct Report {
    /// Of one assignment: decided and applied.
    cost_ns: BTreeMap<&'static str, BTreeMap<u32, Range>>,
    /// Of one result: applied.
    end_ns: BTreeMap<&'static str, BTreeMap<u32, Range>>,
    bytes_per_open_node: u64,
    /// What the state itself counts, as `antfarm_state_bytes` shows it.
    counted_bytes_per_open_node: u64,
    snapshot: Costs,
    /// Of graphs of as many nodes, by their shape.
    submission: BTreeMap<&'static str, submission::Costs>,
}

impl Core {
    pub(super) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        console.progress("memory");
        let memory = memory::of_open_nodes(self.nodes)?; // first, while nothing was freed yet
        console.progress("snapshot");
        let mut report = Report {
            cost_ns: BTreeMap::new(),
            end_ns: BTreeMap::new(),
            bytes_per_open_node: memory.resident,
            counted_bytes_per_open_node: memory.counted,
            snapshot: snapshot::measure(self.nodes),
            submission: submission::measure(self.nodes),
        };
        let few = self.nodes / 100;
        let grown = [
            ("nodes", sizes(1_000, self.nodes, |nodes| Size { nodes, ..BESIDE })),
            ("foragers", sizes(3, few, |foragers| Size { foragers, ..BESIDE })),
            ("graphs", sizes(1, few, |graphs| Size { graphs, ..BESIDE })),
            ("tools", sizes(1, few / 10, |tools| Size { tools, ..BESIDE })),
            ("history", sizes(1_000, self.nodes, |history| Size { history, ..BESIDE })),
        ];
        for (what, sizes) in grown {
            for (number, size) in sizes {
                console.progress(&format!("{what}: {number}"));
                let costs: Vec<farm::Cost> = (0..self.runs).map(|_| farm::measure(size)).collect();
                let assignment = Range::of(costs.iter().map(|cost| cost.assignment_ns));
                let end = Range::of(costs.iter().map(|cost| cost.end_ns));
                report.cost_ns.entry(what).or_default().insert(number, assignment);
                report.end_ns.entry(what).or_default().insert(number, end);
            }
        }
        console.end_progress();
        console.result(&report, || report.text())?;
        Ok(Exit::Done)
    }
}

/// The powers of ten between `least` and `most`, and those two.
fn sizes(least: u32, most: u32, size: impl Fn(u32) -> Size) -> Vec<(u32, Size)> {
    let powers = (0..=u32::MAX.ilog10()).map(|power| 10_u32.pow(power));
    let between = powers.filter(|number| (least + 1..most).contains(number));
    let all = std::iter::once(least).chain(between).chain((most > least).then_some(most));
    all.map(|number| (number, size(number))).collect()
}

impl Report {
    fn text(&self) -> String {
        let mut table = Table::new(&["", "number", "assignment, ns", "range", "end, ns", "range"]);
        for (what, costs) in &self.cost_ns {
            for (number, cost) in costs {
                let end = self.end_ns[what][number];
                let range = |spread: &Range| format!("{:.0}–{:.0}", spread.min, spread.max);
                table.row([
                    (*what).to_owned(),
                    number.to_string(),
                    format!("{:.0}", cost.median),
                    range(cost),
                    format!("{:.0}", end.median),
                    range(&end),
                ]);
            }
        }
        let mut text = table.render();
        let Self { bytes_per_open_node, counted_bytes_per_open_node: counted, snapshot, .. } = self;
        write!(
            text,
            "\nAn open node takes {bytes_per_open_node} bytes; the state counts {counted}.\n\
             A snapshot of all of them is begun in {:.0} µs, written in {:.0} ms, has {} bytes, and is loaded in {:.0} ms.\n\
             The longest application of an entry beside it takes {:.1} ms, and a removal of all of them {:.1} ms.\n",
            snapshot.begin_us,
            snapshot.write_ms,
            snapshot.bytes,
            snapshot.load_ms,
            snapshot.longest_apply_ms,
            snapshot.removal_ms,
        )
        .expect("a String takes all");
        for (shape, cost) in &self.submission {
            let submission::Costs { read_ms, apply_ms } = cost;
            writeln!(
                text,
                "A submission ({shape}) is read in {read_ms:.0} ms beside the state, and applied in {apply_ms:.2} ms."
            )
            .expect("a String takes all");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_tenfold_from_the_least_to_the_most() {
        let numbers =
            |least, most| sizes(least, most, |nodes| Size { nodes, ..BESIDE }).into_iter().map(|(number, _)| number);
        assert!(numbers(3, 10_000).eq([3, 10, 100, 1_000, 10_000]));
        assert!(numbers(1_000, 1_000).eq([1_000]));
    }

    #[test]
    fn a_small_farm_is_measured_and_every_assignment_of_it_comes_to_its_end() {
        let cost = farm::measure(Size { nodes: 1_000, foragers: 3, graphs: 4, tools: 5, history: 500 });
        assert!(cost.assignment_ns > 0.0 && cost.end_ns > 0.0, "{cost:?}");
    }
}
