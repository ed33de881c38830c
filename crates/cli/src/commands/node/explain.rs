//! `antfarm node explain`: why a node is where it is.

use antfarm_client::Client;
use antfarm_client::views::ExplanationView;
use clap::Args;

use super::NodePath;
use crate::console::Console;
use crate::exit::Exit;
use crate::hints;

/// Tell why a node is where it is, and what would change it
///
/// Of an array node, the first instance that has not ended is explained.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-explain.txt"))]
pub(super) struct Explain {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
}

impl Explain {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let explanation = client.explain(&self.node.graph, &self.node.node).await?;
        console.result(&explanation, || text(&explanation))?;
        if explanation.state == "failed" {
            console.hint(&format!("  its log: antfarm node logs {}", hints::path(&self.node.graph, &explanation.id)));
        }
        Ok(Exit::Done)
    }
}

fn text(explained: &ExplanationView) -> String {
    let ExplanationView { id, state, explanation, .. } = explained;
    let mut text = format!("{id} is {state}: {explanation}\n");
    let mut line = |name: &str, value: &Option<String>| {
        text.extend(value.iter().map(|value| format!("  {name}: {value}\n")));
    };
    line("what would change it", &explained.change);
    line("its deadline", &explained.deadline);
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_explanation_says_why_and_what_would_change_it() {
        let explained = ExplanationView {
            id: "clean".to_owned(),
            state: "ready".to_owned(),
            reason: "pin_not_met".to_owned(),
            explanation: "it is pinned to the forager f, which is draining".to_owned(),
            change: Some("`antfarm forager undrain f`, or start it again".to_owned()),
            deadline: Some("2030-01-01T00:00:00.000Z".to_owned()),
            foragers: Vec::new(),
        };
        expect![[r"
            clean is ready: it is pinned to the forager f, which is draining
              what would change it: `antfarm forager undrain f`, or start it again
              its deadline: 2030-01-01T00:00:00.000Z
        "]]
        .assert_eq(&text(&explained));
        let over = ExplanationView { change: None, deadline: None, ..explained };
        assert_eq!(text(&over).lines().count(), 1);
    }
}
