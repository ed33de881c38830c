//! The descendants of a process, and their end.

use std::collections::BTreeMap;

use crate::process::Held;
use crate::process::proc_files::{processes, status};

/// Kills every process that descends from `root`.
///
/// Says how many seemed to be there. What is killed may have forked in the meantime, so none is left only when that is 0; and
/// since a list of all processes is never of one moment, somebody who has no better proof looks twice.
/// `root` must be this process, a child of it that nobody reaps meanwhile, or [`Held`] by the caller.
pub(crate) fn kill_below(root: u32) -> usize {
    let alive = processes().into_iter().filter_map(|id| Some((id, status(id)?)));
    let parents: BTreeMap<u32, u32> =
        alive.filter(|(_, status)| !status.zombie).map(|(id, status)| (id, status.parent)).collect();
    let seems_below = |id: &u32| {
        let ancestors = std::iter::successors(parents.get(id), |id| parents.get(id)).take(parents.len());
        ancestors.into_iter().any(|ancestor| *ancestor == root)
    };
    let found: Vec<u32> = parents.keys().copied().filter(seems_below).collect();
    let held = found.iter().filter_map(|id| Held::open(*id));
    held.filter(|held| descends(held, root)).for_each(|held| held.kill());
    found.len()
}

/// Whether a process descends from `root`, certainly: a number in a list of all processes may have passed to a stranger.
///
/// It climbs from child to parent and holds both. If the child still names the parent when that is held, and both have not
/// ended afterwards, then the one was the other's child. Who once descends from a process does so until that ends.
fn descends(held: &Held, root: u32) -> bool {
    let mut holder = None;
    loop {
        let child: &Held = holder.as_ref().unwrap_or(held);
        let Some(parent) = status(child.id()).map(|status| status.parent) else { return false };
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

    /// A shell, and its children. All end with it.
    struct Family {
        root: Child,
        below: Vec<u32>,
    }

    impl Family {
        /// Waits until the shell has so many children.
        fn of(script: &str, below: usize) -> Self {
            let mut shell = Command::new("/bin/sh");
            let root = shell.args(["-c", script]).stdin(Stdio::null()).spawn().expect("there is a shell");
            let mut family = Self { root, below: Vec::new() };
            while family.below.len() < below {
                family.below = children(family.id());
            }
            family
        }

        fn id(&self) -> u32 {
            self.root.id()
        }
    }

    impl Drop for Family {
        fn drop(&mut self) {
            while kill_below(self.id()) > 0 {}
            // Fails only for one that has ended.
            let _ = self.root.kill().and_then(|()| self.root.wait());
        }
    }

    #[test]
    fn descendants_are_killed_whatever_their_group_session_and_environment() {
        // The root is no subreaper: who loses a parent in between would be nobody's, so all are its own children.
        let family = Family::of("setsid env -i sleep 600 & sleep 600 & wait", 2);
        while kill_below(family.id()) > 0 {}
        assert!(family.below.iter().all(|id| !is_running(*id)), "{:?}", family.below);
    }

    #[test]
    fn strangers_and_the_root_itself_live_on() {
        let stranger = Family::of("exec sleep 600", 0);
        let family = Family::of("sleep 600 & wait; exec sleep 600", 1);
        while kill_below(family.id()) > 0 {}
        assert!(!is_running(family.below[0]) && is_running(family.id()) && is_running(stranger.id()));
    }
}
