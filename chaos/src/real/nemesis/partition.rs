//! Links between hosts that lose everything, in both directions, in one, or now and then. Confirmed by the packets that
//! the rules have dropped.
//!
//! Clients reach every host all the time: what a queen says who is cut off is part of the evidence.

use std::time::{Duration, Instant};

use antfarm_testkit::Hosts;

use super::{Begun, Standing, TURN};
use crate::random::Random;
use crate::real::cluster::Cluster;

/// Directed links that are cut: from whom to whom.
type Links = Vec<(String, String)>;

/// Of a hundred turns, in so many a flapping link changes.
const FLAP_PERCENT: u64 = 15;

/// A cut that has lost nothing yet stands so much longer: whoever was dead behind it has to come back first.
const BITES_WITHIN: Duration = Duration::from_secs(3);

/// A cut that stands.
struct Cut {
    dropped_before: u64,
}

/// A cut that comes and goes.
struct Flapping {
    links: Links,
    is_cut: bool,
    cut: Cut,
}

/// Cuts two hosts from each other.
pub(super) fn cut(cluster: &Cluster, one: &str, other: &str) -> Option<Begun> {
    let links = both_ways(one, other);
    begin(cluster, format!("{one} and {other} from each other"), &links)
}

/// Cuts a host from all queens and foragers.
pub(super) fn isolate(cluster: &Cluster, name: &str) -> Option<Begun> {
    begin(cluster, format!("{name} from all"), &all_of(cluster, name))
}

/// What a host sends is lost.
pub(super) fn mute(cluster: &Cluster, name: &str) -> Option<Begun> {
    let links: Links = all_of(cluster, name).into_iter().filter(|(from, _)| from == name).collect();
    begin(cluster, format!("what {name} sends"), &links)
}

/// What is sent to a host is lost.
pub(super) fn deafen(cluster: &Cluster, name: &str) -> Option<Begun> {
    let links: Links = all_of(cluster, name).into_iter().filter(|(_, to)| to == name).collect();
    begin(cluster, format!("what is sent to {name}"), &links)
}

/// Links of a host that come and go.
pub(super) fn flap(cluster: &Cluster, name: &str) -> Option<Begun> {
    let hosts = cluster.hosts()?;
    let links = all_of(cluster, name);
    let cut = Cut { dropped_before: hosts.dropped() };
    cut_all(hosts, &links);
    let standing = Box::new(Flapping { links, is_cut: true, cut });
    Some(Begun { on: format!("the links of {name}"), confirmed_by: None, standing })
}

fn begin(cluster: &Cluster, on: String, links: &Links) -> Option<Begun> {
    let hosts = cluster.hosts()?;
    let standing = Box::new(Cut { dropped_before: hosts.dropped() });
    cut_all(hosts, links);
    Some(Begun { on, confirmed_by: None, standing })
}

fn cut_all(hosts: &Hosts, links: &Links) {
    for (from, to) in links {
        hosts.cut_one_way(from, to);
    }
}

fn both_ways(one: &str, other: &str) -> Links {
    vec![(one.to_owned(), other.to_owned()), (other.to_owned(), one.to_owned())]
}

/// All links of a host but those of clients.
fn all_of(cluster: &Cluster, name: &str) -> Links {
    cluster.names().filter(|other| other != name).flat_map(|other| both_ways(name, &other)).collect()
}

impl Standing for Cut {
    fn lift(self: Box<Self>, cluster: &Cluster) -> anyhow::Result<Option<String>> {
        let Some(hosts) = cluster.hosts() else { return Ok(None) };
        let until = Instant::now() + BITES_WITHIN;
        while hosts.dropped() == self.dropped_before && Instant::now() < until {
            std::thread::sleep(TURN);
        }
        hosts.heal();
        let dropped = hosts.dropped() - self.dropped_before;
        Ok((dropped > 0).then(|| format!("{dropped} packets dropped")))
    }
}

impl Standing for Flapping {
    fn turn(&mut self, cluster: &Cluster, random: &mut Random) {
        let Some(hosts) = cluster.hosts().filter(|_| random.percent(FLAP_PERCENT)) else { return };
        self.is_cut = !self.is_cut;
        if self.is_cut {
            cut_all(hosts, &self.links);
        } else {
            hosts.heal();
        }
    }

    fn lift(self: Box<Self>, cluster: &Cluster) -> anyhow::Result<Option<String>> {
        if let Some(hosts) = cluster.hosts().filter(|_| !self.is_cut) {
            cut_all(hosts, &self.links); // it ends as a cut does
        }
        Box::new(self.cut).lift(cluster)
    }
}
