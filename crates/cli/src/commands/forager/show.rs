//! `antfarm forager show`: one forager, with what it was told to run.

use antfarm_client::Client;
use antfarm_client::views::ForagerView;
use clap::Args;

use crate::console::Console;
use crate::exit::Exit;
use crate::table::{self, Table};

/// Show a forager, with the attempts that it was told to run
///
/// Its slots, also by cost class, its tools, and when it was heard last.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager-show.txt"))]
pub(super) struct Show {
    /// The forager
    name: String,
}

impl Show {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let forager = client.forager(&self.name).await?;
        console.result(&forager, || format!("{}{}", summary(&forager), listing(&forager)))?;
        Ok(Exit::Done)
    }
}

fn summary(forager: &ForagerView) -> String {
    let open = &forager.open_attempts;
    let limits =
        [("cpu", forager.class_slots.cpu), ("io", forager.class_slots.io), ("model", forager.class_slots.model)];
    let limits: Vec<String> =
        limits.iter().filter_map(|(class, limit)| limit.map(|limit| format!("at most {limit} {class}"))).collect();
    let limits = if limits.is_empty() { String::new() } else { format!("; {}", limits.join(", ")) };
    let mut rows = vec![
        ("forager", forager.name.clone()),
        ("state", forager.state.clone()),
        ("incarnation", forager.incarnation.to_string()),
        ("slots", format!("{}, {} free{limits}", forager.slots, forager.free_slots)),
        ("open", format!("{} cpu, {} io, {} model", open.cpu, open.io, open.model)),
        ("heard", forager.heard_ms_ago.map_or_else(|| "not by this leader".to_owned(), |ms| format!("{ms} ms ago"))),
        ("rejects", forager.rejects.to_string()),
        ("tools", forager.tools.join(", ")),
    ];
    rows.extend(against(forager).into_iter().map(|text| ("gets less", text)));
    table::fields(&rows)
}

/// Why it gets nothing, or not everything, for a while, and the way out.
fn against(forager: &ForagerView) -> Vec<String> {
    let way_out = format!("`antfarm forager undrain {}` ends it at once", forager.name);
    let quarantine = forager.quarantine.iter().map(|quarantine| {
        let last = quarantine.reason.as_ref().map(|reason| format!(" (last: {reason})")).unwrap_or_default();
        format!("nothing for {} s, because it rejected too much in a row{last}; {way_out}", seconds(quarantine.left_ms))
    });
    let tools = forager.tool_quarantines.iter().map(|quarantine| {
        let (tool, failures) = (&quarantine.tool, quarantine.failures);
        format!(
            "nothing of {tool} for {} s, because {failures} of it failed at once in a row; {way_out}",
            seconds(quarantine.left_ms)
        )
    });
    let backoffs = forager.backoffs.iter().map(|backoff| {
        format!("not {}/{} for {} ms, because it would not run it", backoff.graph, backoff.node, backoff.left_ms)
    });
    quarantine.chain(tools).chain(backoffs).collect()
}

fn seconds(millis: u64) -> u64 {
    millis.div_ceil(1_000)
}

fn listing(forager: &ForagerView) -> String {
    let Some(attempts) = forager.attempts.as_ref().filter(|attempts| !attempts.is_empty()) else {
        return String::new();
    };
    let mut table = Table::new(&["graph", "node", "index", "fence", "state"]);
    for attempt in attempts {
        let state = match (attempt.cancelled, attempt.started) {
            (true, _) => "to be cancelled",
            (false, true) => "started",
            (false, false) => "not started",
        };
        table.row([
            attempt.graph.clone(),
            attempt.node.clone(),
            attempt.index.to_string(),
            attempt.fence.to_string(),
            state.to_owned(),
        ]);
    }
    format!("\n{}", table.render())
}
