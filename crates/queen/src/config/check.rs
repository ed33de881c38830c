//! What must hold of a configuration beyond its types: bounds of single values, and relations between them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use antfarm_model::Span;
use toml::{Table, Value};

use super::settings::{Bounds, SETTINGS};
use super::{QueenConfig, Size};

/// Room in a frame for what surrounds an entry.
const FRAME_OVERHEAD: Size = Size(64 << 10);

/// Everything that is wrong.
pub(super) fn faults(config: &QueenConfig) -> Vec<String> {
    let mut faults = Vec::new();
    bounds(config, &mut faults);
    times(config, &mut faults);
    sizes(config, &mut faults);
    members(config, &mut faults);
    exposure(config, &mut faults);
    faults
}

fn bounds(config: &QueenConfig, faults: &mut Vec<String>) {
    let table = table(config);
    for setting in SETTINGS {
        let Some(value) = find(&table, setting.key) else { continue };
        let text = plain(value);
        let (inside, least, most) = match setting.bounds {
            Bounds::Free => continue,
            Bounds::Span(least, most) => (within::<Span>(&text, least, most), least.to_owned(), most.to_owned()),
            Bounds::Size(least, most) => (within::<Size>(&text, least, most), least.to_owned(), most.to_owned()),
            Bounds::Number(least, most) => {
                let (least, most) = (least.to_string(), most.to_string());
                (within::<u64>(&text, &least, &most), least, most)
            }
        };
        if !inside {
            faults.push(format!("{} is {text}, and must be from {least} to {most}", setting.key));
        }
    }
}

fn within<T: std::str::FromStr + PartialOrd>(text: &str, least: &str, most: &str) -> bool {
    let read = |text: &str| text.parse::<T>().ok();
    matches!((read(text), read(least), read(most)), (Some(value), Some(least), Some(most)) if least <= value && value <= most)
}

fn times(config: &QueenConfig, faults: &mut Vec<String>) {
    let (raft, lease) = (&config.raft, &config.lease);
    let mut refuse = |wrong: bool, fault: String| {
        if wrong {
            faults.push(fault);
        }
    };
    refuse(
        raft.election_timeout_min.0 < 3 * raft.heartbeat.0,
        format!(
            "raft.election_timeout_min ({}) must be at least three times raft.heartbeat ({}), or a single late heartbeat starts an election",
            raft.election_timeout_min, raft.heartbeat
        ),
    );
    refuse(
        raft.election_timeout_max <= raft.election_timeout_min,
        format!(
            "raft.election_timeout_max ({}) must be longer than raft.election_timeout_min ({}), or candidates start together",
            raft.election_timeout_max, raft.election_timeout_min
        ),
    );
    refuse(
        lease.ttl.0 < 3 * lease.heartbeat.0,
        format!(
            "lease.ttl ({}) must be at least three times lease.heartbeat ({}), or a single lost message ends leases",
            lease.ttl, lease.heartbeat
        ),
    );
    refuse(
        lease.ttl.0 < 2 * raft.election_timeout_max.0,
        format!(
            "lease.ttl ({}) must be at least twice raft.election_timeout_max ({}), or an election ends leases",
            lease.ttl, raft.election_timeout_max
        ),
    );
}

fn sizes(config: &QueenConfig, faults: &mut Vec<String>) {
    let limits = &config.limits;
    if limits.frame_bytes.0 < limits.entry_bytes.0.saturating_add(FRAME_OVERHEAD.0) {
        faults.push(format!(
            "limits.frame_bytes ({}) must be at least {FRAME_OVERHEAD} more than limits.entry_bytes ({}), or an entry does not fit a frame",
            limits.frame_bytes, limits.entry_bytes
        ));
    }
    if limits.result_bytes.0.saturating_mul(2) > limits.entry_bytes.0 {
        faults.push(format!(
            "limits.result_bytes ({}) must be at most half of limits.entry_bytes ({}), or a result does not fit an entry",
            limits.result_bytes, limits.entry_bytes
        ));
    }
}

fn members(config: &QueenConfig, faults: &mut Vec<String>) {
    let mut addresses = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for member in &config.initial_members {
        if !ids.insert(member.id) {
            faults.push(format!("initial_members names member {} twice: each id stands once", member.id));
        }
        for address in [&member.http, &member.raft] {
            if let Some(other) = addresses.insert(address.as_str(), member.id) {
                faults.push(format!(
                    "initial_members gives the address {address} to member {other} and to member {}: each needs its own, and two of them",
                    member.id
                ));
            }
        }
    }
    match (config.initial_members.is_empty(), config.join.is_empty()) {
        (false, true) => {}
        (true, false) => return join(config, faults),
        (true, true) => {
            return faults.push("one of initial_members and join is needed: which cluster is it?".to_owned());
        }
        (false, false) => {
            return faults.push(
                "initial_members and join exclude each other: a cluster begins with the first, and a queen that comes \
                 later has the second"
                    .to_owned(),
            );
        }
    }
    let Some(own) = config.own() else {
        faults.push(not_listed(&config.id));
        return;
    };
    let advertised =
        [("advertise_http", &config.advertise_http, &own.http), ("advertise_raft", &config.advertise_raft, &own.raft)];
    for (key, given, listed) in advertised {
        if let Some(given) = given.as_ref().filter(|given| *given != listed) {
            faults
                .push(format!("{key} is {given}, but initial_members says {listed} of this queen: they must be equal"));
        }
    }
}

fn join(config: &QueenConfig, faults: &mut Vec<String>) {
    for address in &config.join {
        if port(address).is_none() {
            faults.push(format!("join has {address:?}, and must be a list of host:port, such as [\"10.0.0.1:7201\"]"));
        }
        if *address == config.raft.address || config.advertise_raft.as_ref() == Some(address) {
            faults.push(format!("join has {address}, which is this queen's own: name others, which are there already"));
        }
    }
}

fn port(address: &str) -> Option<u16> {
    address.rsplit_once(':').and_then(|(_, port)| port.parse().ok())
}

/// The fault of a queen that is none of the initial members.
pub(super) fn not_listed(id: &dyn std::fmt::Display) -> String {
    format!("initial_members does not name this queen, whose id is {id}: add it, the same list for all")
}

fn exposure(config: &QueenConfig, faults: &mut Vec<String>) {
    for (key, address) in [("http", &config.http), ("raft.address", &config.raft.address)] {
        if port(address).is_none() {
            faults.push(format!("{key} is {address:?}, and must be host:port, such as 127.0.0.1:7101"));
        } else if !config.insecure && !is_loopback(address) {
            faults.push(format!(
                "{key} is {address}, which others can reach, and this version has no TLS: listen at 127.0.0.1, or say \
                 insecure = true (--insecure) on a network that you trust"
            ));
        }
    }
}

fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The configuration as a table with every value that holds.
pub(super) fn table(config: &QueenConfig) -> Table {
    Table::try_from(config).expect("a configuration holds only what TOML can say")
}

/// The value at a path.
pub(super) fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut names = key.split('.');
    let first = table.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
