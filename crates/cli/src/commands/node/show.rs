//! `antfarm node show`: all that is known of a node.

use antfarm_client::Client;
use antfarm_client::views::{AttemptPage, AttemptView, NodeView, OlderView};
use clap::Args;
use serde::Serialize;

use super::NodePath;
use crate::console::Console;
use crate::exit::Exit;
use crate::table::{self, Table, shortened};

/// Characters of arguments and results that are shown to people.
const MOST_JSON: usize = 2_000;

/// Show a node: its state, arguments, result and attempts
///
/// References in its arguments are replaced by results, as far as there are any. Each attempt has its forager, its end and its
/// fence, which other commands ask for.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-show.txt"))]
pub(super) struct Show {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
}

/// A node with its attempts, as one document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    node: &'a NodeView,
    attempt_list: &'a [AttemptView],
    older_attempts: &'a [OlderView],
}

impl Show {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let NodePath { graph, node } = &self.node;
        let view = client.node(graph, node).await?;
        let page = match &view.instances {
            None => client.attempts(graph, node).await?,
            Some(_) => AttemptPage { attempts: Vec::new(), older: Vec::new() },
        };
        let document = Document { node: &view, attempt_list: &page.attempts, older_attempts: &page.older };
        console.result(&document, || format!("{}{}", summary(&view), listing(&page)))?;
        Ok(Exit::Done)
    }
}

fn summary(node: &NodeView) -> String {
    let state = match &node.instances {
        Some(counts) => format!("{}; {} of {} instances succeeded", node.state, counts.succeeded, counts.total),
        None => node.state.clone(),
    };
    let mut rows = vec![
        ("node", format!("{}/{}", node.graph, node.id)),
        ("state", state),
        ("tool", format!("{} ({}, {})", node.tool, node.class, node.effects)),
        ("limits", format!("{} per attempt, {} further tries", node.timeout, node.retries)),
    ];
    let mut optional = |name, value: Option<String>| rows.extend(value.map(|value| (name, value)));
    optional("reason", node.reason.clone());
    optional("pin", node.pin.clone());
    optional("not before", node.not_before.clone());
    optional("deadline", node.deadline.clone());
    optional(
        "needs",
        node.needs.as_ref().filter(|needs| !needs.is_empty()).map(|needs| listed(needs, node.needs_count)),
    );
    optional("args", node.args.as_ref().map(|args| shortened(&args.to_string(), MOST_JSON)));
    optional("result", node.result.as_ref().map(|result| shortened(&result.to_string(), MOST_JSON)));
    table::fields(&rows)
}

fn listed(needs: &[String], count: Option<usize>) -> String {
    let more = count.unwrap_or(0).saturating_sub(needs.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", needs.join(", "))
}

fn listing(page: &AttemptPage) -> String {
    if page.attempts.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["fence", "epoch", "forager", "state", "started", "closed", "message"]);
    for attempt in &page.attempts {
        table.row([
            attempt.fence.to_string(),
            attempt.epoch.to_string(),
            attempt.forager.clone(),
            ending(&attempt.state, attempt.manner.as_ref()),
            attempt.started_at.clone().unwrap_or_else(|| "-".to_owned()),
            attempt.closed_at.clone().unwrap_or_else(|| "-".to_owned()),
            shortened(attempt.message.as_deref().unwrap_or(""), 100),
        ]);
    }
    let older =
        page.older.iter().map(|older| format!("{} {}", older.count, ending(&older.state, older.manner.as_ref())));
    let older: Vec<String> = older.collect();
    let older = if older.is_empty() { String::new() } else { format!("before those: {}\n", older.join(", ")) };
    format!("\n{older}{}{}", table.render(), page.attempts.iter().filter_map(decision).collect::<String>())
}

fn ending(state: &str, manner: Option<&String>) -> String {
    manner.map_or_else(|| state.to_owned(), |manner| format!("{state} ({manner})"))
}

/// What somebody decided about an attempt, as a sentence.
fn decision(attempt: &AttemptView) -> Option<String> {
    let decided = attempt.decided.as_ref()?;
    let (verdict, by, at, why) = (&decided.verdict, &decided.by, &decided.at, &decided.why);
    Some(format!("{by} decided {verdict} about attempt {} at {at}: {why}\n", attempt.fence))
}

#[cfg(test)]
mod tests {
    use antfarm_client::views::DecidedView;
    use expect_test::expect;

    use super::*;

    #[test]
    fn attempts_are_listed_with_what_was_decided_about_them() {
        let lost = AttemptView {
            fence: 17,
            epoch: 3,
            forager: "f".to_owned(),
            state: "lost".to_owned(),
            manner: None,
            assigned_at: "t0".to_owned(),
            started_at: Some("t1".to_owned()),
            closed_at: Some("t2".to_owned()),
            message: None,
            decided: Some(DecidedView {
                verdict: "retry".to_owned(),
                by: "ada".to_owned(),
                why: "nothing was paid".to_owned(),
                at: "t3".to_owned(),
            }),
        };
        let older = OlderView { state: "failed".to_owned(), manner: Some("exit".to_owned()), count: 4 };
        expect![[r#"

            before those: 4 failed (exit)
            FENCE  EPOCH  FORAGER  STATE  STARTED  CLOSED  MESSAGE
               17      3  f        lost   t1       t2
            ada decided retry about attempt 17 at t3: nothing was paid
        "#]]
        .assert_eq(&listing(&AttemptPage { attempts: vec![lost], older: vec![older] }));
    }
}
