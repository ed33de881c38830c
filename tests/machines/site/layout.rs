//! What is there before the guide begins: folders for each host, a checkout, and programs that stand for systemctl and scp.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use antfarm_testkit::{Hosts, Scratch, binary};

use super::HOSTS;

/// What a host has for itself; the rest of the file system is this machine's.
pub(super) const OWN_FOLDERS: [&str; 4] = ["etc", "usr/local/bin", "var/lib", "var/log"];

/// What all hosts share, as they would a network file system: the ledger is there.
pub(super) const SHARED_FOLDER: &str = "srv";

/// What programs need of `/etc`.
const OF_ETC: [&str; 5] = ["passwd", "group", "login.defs", "nsswitch.conf", "alternatives"];

/// The folders of all hosts, the checkout, and the programs that stand for others.
pub(super) fn lay_out(scratch: &Scratch, hosts: &Hosts) {
    let folder = |path: &Path| std::fs::create_dir_all(path).expect("a temporary folder can be written");
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("an own file can be changed");
    };
    let program = |path: &Path, text: &str| {
        std::fs::write(path, text).expect("a temporary folder can be written");
        mode(path, 0o755);
    };
    for host in HOSTS {
        let root = scratch.path(&hosts.address(host).to_string());
        for own in OWN_FOLDERS {
            folder(&root.join(own));
        }
        let etc = root.join("etc");
        folder(&etc.join("systemd/system"));
        folder(&etc.join("profile.d"));
        std::fs::write(etc.join("profile"), include_str!("profile")).expect("a temporary folder can be written");
        let of_etc = OF_ETC.map(|name| format!("/etc/{name}"));
        let mut copy = Command::new("cp");
        copy.args(["--archive", "--dereference"]).args(of_etc).arg(&etc).stderr(Stdio::null());
        copy.status().expect("cp can be run"); // not every system has all of them
        program(&root.join("usr/local/bin/systemctl"), include_str!("systemctl.sh"));
    }
    folder(&scratch.path(SHARED_FOLDER));
    mode(&scratch.path(SHARED_FOLDER), 0o1777);
    folder(&scratch.path("bin"));
    program(&scratch.path("bin/scp"), include_str!("scp.sh"));
    let checkout = scratch.path("checkout");
    folder(&checkout.join("target/release"));
    symlink(binary(), checkout.join("target/release/antfarm")).expect("a link can be made");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    symlink(repository.join("deploy"), checkout.join("deploy")).expect("a link can be made");
}
