//! The configurations of daemons, as people write them.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use super::ClusterSpec;
use crate::Ports;

/// The configuration of a queen.
pub(super) fn queen(spec: &ClusterSpec, id: u16, ports: &Ports, folder: &Path) -> String {
    let members = (1..=spec.queens)
        .map(|id| format!("{{ id = {id}, http = \"{}\", raft = \"{}\" }}", ports.http(id), ports.raft(id)));
    format!(
        "id = {id}\ncluster_id = \"test-{}\"\ndata_dir = \"{}\"\nhttp = \"{}\"\nraft.address = \"{}\"\ninitial_members = [\n  {},\n]\n\n{}",
        ports.base(),
        folder.join(format!("queen-{id}")).display(),
        ports.http(id),
        ports.raft(id),
        members.collect::<Vec<_>>().join(",\n  "),
        spec.queen_settings,
    )
}

/// The configuration of a queen that joins others at these addresses.
pub(super) fn late_queen(
    id: u16,
    join: impl Iterator<Item = SocketAddr>,
    settings: &str,
    ports: &Ports,
    folder: &Path,
) -> String {
    let join: Vec<String> = join.map(|address| format!("\"{address}\"")).collect();
    format!(
        "id = {id}\ncluster_id = \"test-{}\"\ndata_dir = \"{}\"\nhttp = \"{}\"\nraft.address = \"{}\"\njoin = [{}]\n\n{settings}",
        ports.base(),
        folder.join(format!("queen-{id}")).display(),
        ports.http(id),
        ports.raft(id),
        join.join(", "),
    )
}

/// The configuration of a forager.
pub(super) fn forager(spec: &ClusterSpec, name: &str, ports: &Ports, folder: &Path) -> String {
    let queens: Vec<String> = (1..=spec.queens).map(|id| format!("\"http://{}\"", ports.http(id))).collect();
    let mut text = format!(
        "name = \"{name}\"\nqueens = [{}]\ndata_dir = \"{}\"\nslots = {}\n{}",
        queens.join(", "),
        folder.join(name).display(),
        spec.slots,
        spec.forager_settings,
    );
    for (tool, command) in &spec.tools {
        let _ = write!(text, "\n[tools.{tool}]\ncommand = {}\n", toml::Value::from(command.clone())); // a String takes all
    }
    text
}
