//! The configurations of daemons, as people write them, and the programs that foragers run.

use std::fmt::Write as _;
use std::path::Path;

use super::network::Network;
use crate::work::{PROGRAMS, Program};

pub(super) const QUEENS: u16 = 3;

pub(super) const FORAGERS: u16 = 3;

/// Attempts at once of each forager.
pub(super) const SLOTS: u32 = 8;

/// And of the class `model`.
pub(super) const MODEL_SLOTS: u32 = 2;

/// Short, so that foragers are lost within a run.
const LEASE_TTL: &str = "3s";
const LEASE_HEARTBEAT: &str = "300ms";
const KILL_GRACE: &str = "500ms";

/// The configuration of a queen.
pub(super) fn queen(id: u16, network: &Network, folder: &Path) -> String {
    let members = (1..=QUEENS)
        .map(|id| format!("  {{ id = {id}, http = \"{}\", raft = \"{}\" }}", network.http(id), network.raft(id)));
    let members = members.collect::<Vec<_>>().join(",\n");
    format!(
        "id = {id}\ncluster_id = \"chaos\"\ninsecure = true\ndata_dir = \"{}\"\nhttp = \"{}\"\ninitial_members = [\n{members},\n]\n\n\
         [raft]\naddress = \"{}\"\n\n[lease]\nttl = \"{LEASE_TTL}\"\nheartbeat = \"{LEASE_HEARTBEAT}\"\n",
        folder.join(format!("queen-{id}")).display(),
        network.http(id),
        network.raft(id),
    )
}

/// The configuration of a forager.
pub(super) fn forager(name: &str, network: &Network, folder: &Path, ledger: &str) -> String {
    let queens: Vec<String> = (1..=QUEENS).map(|id| format!("\"http://{}\"", network.http(id))).collect();
    let mut text = format!(
        "name = \"{name}\"\nqueens = [{}]\ndata_dir = \"{}\"\nslots = {SLOTS}\nkill_grace = \"{KILL_GRACE}\"\n\n[class_slots]\nmodel = {MODEL_SLOTS}\n",
        queens.join(", "),
        folder.join(name).display(),
    );
    for program in PROGRAMS {
        let script = script(&program, name, ledger);
        // A String takes all.
        let _ = write!(text, "\n[tools.{}]\ncommand = [\"/bin/sh\", \"-c\", '''\n{script}''']\n", program.name);
    }
    text
}

/// A shell script that leaves marks in the ledger while it runs.
fn script(program: &Program, forager: &str, ledger: &str) -> String {
    let again = if program.asks_again {
        "if [ \"$ANTFARM_ATTEMPT\" = 1 ]; then mark end ',\"exit\":75'; exit 75; fi\n"
    } else {
        ""
    };
    format!(
        r#"mark() {{ printf '{{"event":"%s","graph":"%s","node":"%s","index":%s,"fence":%s,"epoch":%s,"forager":"{forager}","at":%s%s}}\n' "$1" "$ANTFARM_GRAPH" "$ANTFARM_NODE" "${{ANTFARM_ARRAY_INDEX:-0}}" "$ANTFARM_FENCE" "$ANTFARM_EPOCH" "$(date +%s%3N)" "$2" >> "{ledger}"; }}
mark start ''
left={ticks}; while [ "$left" -gt 0 ]; do sleep 0.1; mark tick ''; left=$((left - 1)); done
{again}mark end ''
printf '{{"fence":%s}}' "$ANTFARM_FENCE"
"#,
        ticks = program.ticks,
    )
}
