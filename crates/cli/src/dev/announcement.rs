//! Tells where everything of a development cluster is.

use serde_json::{Value, json};

use super::child::Spec;
use super::layout::Layout;
use super::supervise::Pids;
use crate::console::Console;
use crate::table::Table;

/// What is where.
pub(super) struct Cluster<'a> {
    pub(super) layout: &'a Layout,
    pub(super) queens: &'a [Spec],
    pub(super) foragers: &'a [Spec],
    pub(super) pids: &'a Pids,
}

impl Cluster<'_> {
    /// Tells where everything is: as the result, if nothing else will be.
    pub(super) fn announce(&self, console: &Console, is_result: bool) -> anyhow::Result<()> {
        let text = format!("{}everything is in {}\n{}", self.table(), self.layout.dir.display(), self.hint());
        if is_result {
            return console.result(&self.document(), || text);
        }
        console.say(text.trim_end());
        Ok(())
    }

    fn table(&self) -> String {
        let mut table = Table::new(&["name", "pid", "http", "raft", "log"]);
        let pid = |spec: &Spec| self.pids.of(&spec.name).map_or("-".to_owned(), |pid| pid.to_string());
        let log = |spec: &Spec| spec.log.display().to_string();
        for (spec, queen) in self.queens.iter().zip(1..) {
            table.row([spec.name.clone(), pid(spec), self.layout.url(queen), self.layout.raft(queen), log(spec)]);
        }
        for spec in self.foragers {
            table.row([spec.name.clone(), pid(spec), "-".to_owned(), "-".to_owned(), log(spec)]);
        }
        table.render()
    }

    /// What other commands must be told to find this cluster, if it is not where they look.
    fn hint(&self) -> String {
        let urls: Vec<String> = (1..=self.layout.queens).map(|queen| self.layout.url(queen)).collect();
        if self.layout.base_port == 7100 && self.layout.queens <= 3 {
            return String::new();
        }
        format!("other commands find it with: export ANTFARM_SERVER={}\n", urls.join(","))
    }

    fn document(&self) -> Value {
        let child = |spec: &Spec| json!({"name": spec.name, "pid": self.pids.of(&spec.name), "log": spec.log, "config": spec.config});
        let queens = self.queens.iter().zip(1..).map(|(spec, queen)| {
            let mut child = child(spec);
            child["id"] = queen.into();
            child["http"] = self.layout.url(queen).into();
            child["raft"] = self.layout.raft(queen).into();
            child
        });
        let queens: Vec<Value> = queens.collect();
        let foragers: Vec<Value> = self.foragers.iter().map(child).collect();
        json!({"dir": self.layout.dir, "queens": queens, "foragers": foragers})
    }
}
