//! From text to a configuration: TOML, then overrides, then addresses that follow from others, then types, then bounds and relations.

use std::fmt;

use toml::{Table, Value};

use super::{QueenConfig, check};

/// Why a configuration cannot be used: every fault that could be found at once.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct InvalidConfig(pub Vec<String>);

/// Keys that this version refuses, and what to do without them.
const NOT_YET: [(&str, &str); 2] = [
    ("tls", "leave it out, and listen at loopback or set insecure = true on a network that you trust"),
    ("auth", "leave it out, and let nobody reach the http address whom you do not trust"),
];

/// The placement policies that INTERFACES knows of and this version does not have.
const PLACEMENTS_NOT_YET: [&str; 2] = ["least_loaded", "spread"];

impl QueenConfig {
    /// Reads a configuration. `overrides` are keys (`raft.heartbeat`) with values (`50ms`), which win over the text.
    pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<Self, InvalidConfig> {
        let one = |fault: String| InvalidConfig(vec![fault]);
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| one(error.to_string()))?;
        unfold_raft(&mut table);
        for (key, value) in overrides {
            set(&mut table, key, value).map_err(one)?;
        }
        listen_as_listed(&mut table).map_err(one)?;
        let unsupported = unsupported(&table);
        if !unsupported.is_empty() {
            return Err(InvalidConfig(unsupported));
        }
        let config: Self = table.try_into().map_err(|error| one(error.to_string().trim_end().to_owned()))?;
        let faults = check::faults(&config);
        if faults.is_empty() { Ok(config) } else { Err(InvalidConfig(faults)) }
    }
}

/// TOML has no room for an address and a table under one name: the address alone is short for the table.
fn unfold_raft(table: &mut Table) {
    if let Some(raft @ Value::String(_)) = table.get_mut("raft") {
        let address = std::mem::replace(raft, Value::Table(Table::new()));
        if let Value::Table(unfolded) = raft {
            unfolded.insert("address".into(), address);
        }
    }
}

/// Where it is not said otherwise, a queen listens where `initial_members` says that it is reached: then the files of all
/// queens differ in nothing but the id.
fn listen_as_listed(table: &mut Table) -> Result<(), String> {
    let (Some(id), Some(members)) = (table.get("id"), table.get("initial_members").and_then(Value::as_array)) else {
        return Ok(()); // what is missing is told with all types
    };
    if members.is_empty() {
        return Ok(()); // a queen that joins says itself where it listens
    }
    let Some(own) = members.iter().find(|member| member.get("id") == Some(id)) else {
        return Err(check::not_listed(id));
    };
    let (http, raft) = (own.get("http").cloned(), own.get("raft").cloned());
    if let Some(http) = http {
        table.entry("http").or_insert(http);
    }
    let replication = table.entry("raft").or_insert_with(|| Value::Table(Table::new()));
    if let (Some(raft), Value::Table(replication)) = (raft, replication) {
        replication.entry("address").or_insert(raft);
    }
    Ok(())
}

/// Puts a value at a key. What is no TOML value is taken as text.
fn set(table: &mut Table, key: &str, value: &str) -> Result<(), String> {
    let parsed = format!("value = {value}").parse::<Table>().ok().and_then(|mut one| one.remove("value"));
    let value = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
    let (tables, last) = key.rsplit_once('.').map_or((None, key), |(tables, last)| (Some(tables), last));
    let mut place = table;
    for name in tables.into_iter().flat_map(|tables| tables.split('.')) {
        let next = place.entry(name).or_insert_with(|| Value::Table(Table::new()));
        place = next.as_table_mut().ok_or_else(|| format!("{key} cannot be set: {name} is not a table"))?;
    }
    place.insert(last.to_owned(), value);
    unfold_raft(place);
    Ok(())
}

fn unsupported(table: &Table) -> Vec<String> {
    let keys = NOT_YET.iter().filter(|(key, _)| table.contains_key(*key));
    let mut faults: Vec<String> =
        keys.map(|(key, instead)| format!("{key} is not supported yet by this version: {instead}")).collect();
    let placement = table.get("scheduler").and_then(|scheduler| scheduler.get("placement")).and_then(Value::as_str);
    if let Some(placement) = placement.filter(|name| PLACEMENTS_NOT_YET.contains(name)) {
        faults.push(format!(
            "scheduler.placement = {placement:?} is not supported yet by this version: leave it out, or say \"registry_order\""
        ));
    }
    faults
}

impl fmt::Display for InvalidConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration cannot be used:")?;
        self.0.iter().try_for_each(|fault| write!(f, "\n  {}", fault.replace('\n', "\n  ")))
    }
}
