//! The state as text, for tests and for people who look into one.

use std::fmt::Write as _;

use antfarm_model::CostClass;

use crate::state::State;

impl State {
    /// The state as text: one line for each forager, graph and instance that is not waiting. For small states.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let core = &self.core;
        let mut line = |args: std::fmt::Arguments<'_>| {
            let _ = text.write_fmt(args); // writing to a String cannot fail
            text.push('\n');
        };
        line(format_args!("applied {} term {} elapsed {}", core.applied.index, core.applied.term, core.elapsed.0));
        for forager in self.foragers() {
            let open: Vec<String> = CostClass::ALL
                .iter()
                .flat_map(|class| &forager.open[class.index()])
                .map(|(id, attempt)| {
                    attempt.cancel.map_or_else(|| format!("{id}"), |cancel| format!("{id} (cancel: {cancel:?})"))
                })
                .collect();
            line(format_args!(
                "forager {} {} slots {}: {}",
                forager.name,
                forager.state().as_str(),
                forager.slots,
                open.join(", ")
            ));
        }
        for graph in core.graphs.values() {
            line(format_args!("graph {} {}", graph.shape().graph().id, graph.state()));
            for (no, node) in graph.shape().nodes() {
                for index in 0..node.instances() {
                    let Some(instance) = graph.instance(no, index) else { continue };
                    let state = graph.state_of(instance);
                    let text = instance.text.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
                    line(format_args!("  {}[{index}] {state}{text}", node.id));
                }
            }
        }
        text
    }
}
