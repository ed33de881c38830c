//! What a machine is not to hear, as rules that count.

use std::net::Ipv4Addr;

use super::namespace::Namespace;
use super::system::run;

/// Another call of `iptables` is waited for at most this long, in seconds.
const WAIT_SECONDS: &str = "10";

/// What arrives from an address is lost on its last step: the sender has done all that it can.
pub(super) fn drop_all_from(namespace: &Namespace, address: Ipv4Addr) -> anyhow::Result<()> {
    iptables(namespace, &format!("--append INPUT --source {address} --jump DROP"))?;
    Ok(())
}

/// What arrives from an address is answered with a reset, as a box between networks might: who speaks learns that the
/// connection is broken, and new ones are refused. Resets themselves pass.
pub(super) fn reset_all_from(namespace: &Namespace, address: Ipv4Addr) -> anyhow::Result<()> {
    let what = format!("--protocol tcp ! --tcp-flags RST RST --source {address}");
    iptables(namespace, &format!("--append INPUT {what} --jump REJECT --reject-with tcp-reset"))?;
    Ok(())
}

/// Removes all rules, and returns how many packets they had dropped or reset.
pub(super) fn remove(namespace: &Namespace) -> anyhow::Result<u64> {
    let dropped = dropped(namespace)?;
    iptables(namespace, "--flush INPUT")?;
    Ok(dropped)
}

/// How many packets the rules that stand have dropped or reset.
pub(super) fn dropped(namespace: &Namespace) -> anyhow::Result<u64> {
    let rules = iptables(namespace, "--list INPUT --numeric --verbose --exact")?;
    let counts = rules.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let (packets, _bytes, target) = (fields.next()?, fields.next()?, fields.next()?);
        matches!(target, "DROP" | "REJECT").then(|| packets.parse::<u64>().ok())?
    });
    Ok(counts.sum())
}

fn iptables(namespace: &Namespace, words: &str) -> anyhow::Result<String> {
    run(namespace.command("iptables").args(["--wait", WAIT_SECONDS]).args(words.split_whitespace()))
}
