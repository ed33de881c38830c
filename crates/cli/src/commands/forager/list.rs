//! `antfarm forager list`: the foragers of a cluster.

use antfarm_client::views::ForagerView;
use antfarm_client::{Client, Page};
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::table::{Table, shortened};

/// List foragers, in the order in which they first registered
///
/// Each with its state, its slots and its tools. This is also the order in which they are given work.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager-list.txt"))]
pub(super) struct List {}

impl List {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let foragers = all(client).await?;
        let mut table = Table::new(&["forager", "state", "slots", "free", "running", "heard", "tools"]);
        for forager in &foragers {
            let open = &forager.open_attempts;
            table.row([
                forager.name.clone(),
                forager.state.clone(),
                forager.slots.to_string(),
                forager.free_slots.to_string(),
                (open.cpu + open.io + open.model).to_string(),
                forager.heard_ms_ago.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms ago")),
                shortened(&forager.tools.join(", "), 80),
            ]);
        }
        console.result(&json!({"foragers": foragers}), || table.render())?;
        if foragers.is_empty() {
            console.say("no forager has registered yet; start one with `antfarm forager run`");
        }
        Ok(Exit::Done)
    }
}

/// All foragers that have registered.
pub(crate) async fn all(client: &Client) -> anyhow::Result<Vec<ForagerView>> {
    let mut foragers = Vec::new();
    let mut page = Page::default();
    loop {
        let shown = client.foragers(&page).await?;
        foragers.extend(shown.foragers);
        page.after = shown.next;
        if page.after.is_none() {
            return Ok(foragers);
        }
    }
}
