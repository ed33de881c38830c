//! The cluster on the hosts, as clients beside each queen see it.

use std::net::SocketAddr;
use std::time::Duration;

use antfarm_testkit::{Answer, Http, wait_until};
use anyhow::{Context, ensure};
use serde_json::Value;

use super::{QUEENS, SOON, Site};

/// Where the guide's queens take requests.
const HTTP_PORT: u16 = 7_101;

impl Site {
    /// The HTTP interface of a queen, asked by a client on her own host.
    pub(crate) fn ask(
        &self,
        queen: &str,
        ask: impl Fn(Http) -> anyhow::Result<Answer> + Sync,
    ) -> anyhow::Result<Answer> {
        let http = Http::at(SocketAddr::from((self.hosts.address(queen), HTTP_PORT)));
        self.hosts.inside(queen, || ask(http))
    }

    /// What a queen answers to a GET, if all is well.
    pub(crate) fn json(&self, queen: &str, path: &str) -> anyhow::Result<Value> {
        self.ask(queen, |http| http.get(path))?.ok()
    }

    /// Whether a queen says of herself that she leads.
    pub(crate) fn leads(&self, queen: &str) -> anyhow::Result<bool> {
        let metrics = self.ask(queen, |http| http.get("/metrics"))?.body;
        Ok(metrics.lines().any(|line| line == "antfarm_is_leader 1"))
    }

    /// Waits until a queen says of herself that she does not lead.
    pub(crate) fn steps_down(&self, queen: &str) {
        wait_until(&format!("{queen} to step down"), SOON, || {
            ensure!(!self.leads(queen)?, "she leads");
            Ok(())
        });
    }

    /// Waits until one of these queens leads.
    pub(crate) fn leader_among(&self, queens: &[&'static str]) -> &'static str {
        wait_until(&format!("one of {queens:?} to lead"), SOON, || {
            let leads = queens.iter().copied().find(|queen| self.leads(queen).unwrap_or_default());
            leads.context("none of them does")
        })
    }

    /// The leader of a cluster that nothing is wrong with, and the others.
    pub(crate) fn leader_and_followers(&self) -> (&'static str, [&'static str; 2]) {
        let leader = self.leader_among(&QUEENS);
        let mut others = QUEENS.into_iter().filter(|queen| *queen != leader);
        (leader, [(); 2].map(|()| others.next().expect("there are two others")))
    }

    /// The term that a queen is in.
    pub(crate) fn term(&self, queen: &str) -> u64 {
        let status = self.json(queen, "/v1/cluster?scope=member").expect("it answers");
        status["term"].as_u64().expect("a term is a number")
    }

    /// Submits a graph to a queen, and asserts that it was taken.
    pub(crate) fn submit(&self, queen: &str, graph: &Value) {
        let answer = self.ask(queen, |http| http.post("/v1/graphs", &graph.to_string())).expect("it answers");
        assert_eq!(answer.status, 201, "{}", answer.body);
    }

    /// Waits until a graph has succeeded, as a queen sees it.
    pub(crate) fn succeeds(&self, queen: &str, graph: &str, within: Duration) {
        let graph = wait_until(&format!("the end of graph {graph}"), within, || {
            let graph = self.json(queen, &format!("/v1/graphs/{graph}"))?;
            ensure!(!graph["finished_at"].is_null(), "it is {graph}");
            Ok(graph)
        });
        assert_eq!(graph["state"], "succeeded", "{graph}");
    }

    /// Asserts that all queens come to the same state: equal digests at equal applied indexes.
    pub(crate) fn agrees(&self) {
        wait_until("equal digests of all queens", SOON, || {
            let position = |queen| {
                let status = self.json(queen, "/v1/cluster?consistency=stale")?;
                anyhow::Ok((status["applied_index"].clone(), status["state_digest"].clone()))
            };
            let positions = QUEENS.map(position).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
            ensure!(positions.iter().all(|position| *position == positions[0]), "they are at {positions:?}");
            Ok(())
        });
    }
}
