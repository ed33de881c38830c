//! Tells who leads a development cluster, whenever that changes.

use std::time::Duration;

use antfarm_client::Client;
use antfarm_client::views::LeaderView;

use super::supervise::Surroundings;

/// How often the cluster is asked.
const ASK_EVERY: Duration = Duration::from_millis(200);

/// Runs until it is dropped.
pub(super) async fn announce(client: Client, around: Surroundings) {
    // A term has one leader, so a new leader has a higher one; a lower one is told by a queen that missed something.
    let mut known_term = 0;
    loop {
        if let Ok(LeaderView { leader: Some(leader), term }) = client.leader().await
            && term > known_term
        {
            let name = format!("queen-{leader}");
            let pid = around.pids.of(&name).map_or_else(String::new, |pid| format!(" (pid {pid})"));
            let verb = if known_term > 0 { "now leads" } else { "leads" };
            around.console.tell(&format!("{name}{pid} {verb}, in term {term}"));
            if let Some(pid) = around.pids.of(&name).filter(|_| known_term == 0) {
                around.console.hint(&format!("  to see another take over: kill -9 {pid}"));
            }
            known_term = term;
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}
