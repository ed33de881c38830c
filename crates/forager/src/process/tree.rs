//! The descendants of a process, and their end.

use std::collections::BTreeMap;

use crate::process::Held;
use crate::process::proc_files::{processes, status};

/// Kills every process that descends from `root`, those set aside that are in `spared` or descend from one that is.
///
/// Says how many seemed to be there. What is killed may have forked in the meantime, so none is left only when that is 0; and
/// since a list of all processes is never of one moment, somebody who has no better proof looks twice.
/// `root` must be this process, a child of it that nobody reaps meanwhile, or [`Held`] by the caller.
pub(crate) fn kill_below(root: u32, spared: &[u32]) -> usize {
    let alive = processes().into_iter().filter_map(|id| Some((id, status(id)?)));
    let parents: BTreeMap<u32, u32> =
        alive.filter(|(_, status)| !status.zombie).map(|(id, status)| (id, status.parent)).collect();
    let seems_below = |id: u32| {
        let mut ancestors = std::iter::successors(Some(id), |id| parents.get(id).copied()).take(parents.len());
        id != root && ancestors.find(|id| *id == root || spared.contains(id)) == Some(root)
    };
    let found: Vec<u32> = parents.keys().copied().filter(|id| seems_below(*id)).collect();
    let held = found.iter().filter_map(|id| Held::open(*id));
    held.filter(|held| descends(held, root, spared)).for_each(|held| held.kill());
    found.len()
}

/// Whether a process descends from `root`, certainly: a number in a list of all processes may have passed to a stranger.
///
/// It climbs from child to parent and holds both. If the child still names the parent when that is held, and both have not
/// ended afterwards, then the one was the other's child. Who once descends from a process does so until that ends.
fn descends(held: &Held, root: u32, spared: &[u32]) -> bool {
    let mut holder = None;
    loop {
        let child: &Held = holder.as_ref().unwrap_or(held);
        let Some(parent) = status(child.id()).map(|status| status.parent) else { return false };
        if spared.contains(&child.id()) {
            return false;
        }
        if parent == root {
            return !child.has_ended();
        }
        match Held::open(parent).filter(|parent| child.is_child_of(parent)) {
            Some(parent) => holder = Some(parent),
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;
    use crate::process::proc_files::{children, is_running};

    /// A shell that waits, below which others wait.
    fn family(script: &str, below: usize) -> (Child, Vec<u32>) {
        let child =
            Command::new("/bin/sh").args(["-c", script]).stdin(Stdio::null()).spawn().expect("there is a shell");
        let mut found: Vec<u32> = Vec::new();
        while found.len() < below {
            found = children(child.id());
            found.extend(found.clone().into_iter().flat_map(children));
        }
        (child, found)
    }

    fn end(mut child: Child) {
        child.kill().and_then(|()| child.wait().map(drop)).expect("an own child can be ended");
    }

    #[test]
    fn descendants_are_killed_whatever_their_group_session_and_environment() {
        // The root is no subreaper: who loses a parent in between would be nobody's, so all are its own children.
        let (root, below) = family("setsid env -i sleep 600 & sleep 600 & wait", 2);
        while kill_below(root.id(), &[]) > 0 {}
        assert!(below.iter().all(|id| !is_running(*id)), "{below:?}");
        end(root);
    }

    #[test]
    fn strangers_and_those_who_are_spared_live_on() {
        let (stranger, _) = family("sleep 600", 0);
        let (root, below) = family("(sleep 600; true) & wait", 2);
        assert_eq!(kill_below(root.id(), &below[..1]), 0);
        assert!(below.iter().chain([&stranger.id()]).all(|id| is_running(*id)), "{below:?}");
        while kill_below(root.id(), &[]) > 0 {}
        assert!(is_running(stranger.id()));
        end(root);
        end(stranger);
    }
}
