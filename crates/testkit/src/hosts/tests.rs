//! What hosts promise. Each test is skipped, and says so, where none can be made.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use super::*;
use crate::wait_until;

const SOON: Duration = Duration::from_secs(10);

/// Long enough for a packet between namespaces, short enough for one that never comes.
const A_MOMENT: Duration = Duration::from_millis(300);

const PORT: u16 = 7_101;

fn pair() -> Option<Hosts> {
    Hosts::or_skip(&["left", "right"])
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(namespace::FOLDER).expect("there was one");
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

#[test]
fn hosts_reach_each_other_until_they_are_cut_and_again_when_it_is_healed() {
    let Some(hosts) = pair() else { return };
    let right = (hosts.address("right"), PORT);
    let _listener = hosts.inside("right", || TcpListener::bind(right)).expect("it can listen");
    let connect = || hosts.inside("left", || TcpStream::connect_timeout(&right.into(), A_MOMENT));
    connect().expect("they can reach each other");
    assert_eq!(hosts.dropped(), 0);
    hosts.cut("right", "left");
    connect().expect_err("they are cut");
    let dropped = hosts.dropped();
    assert!(dropped > 0, "nothing was dropped");
    hosts.heal();
    wait_until("the connection", SOON, || Ok(connect()?));
    assert!(hosts.dropped() >= dropped, "packets stay counted");
}

#[test]
fn a_direction_can_be_lost_alone() {
    let Some(hosts) = pair() else { return };
    let bind = |name| hosts.inside(name, || UdpSocket::bind((hosts.address(name), PORT))).expect("it can listen");
    let (left, right) = (bind("left"), bind("right"));
    for socket in [&left, &right] {
        socket.set_read_timeout(Some(A_MOMENT)).expect("it can be set");
    }
    let arrives = |from: &UdpSocket, to: &UdpSocket| {
        from.send_to(b"x", to.local_addr().expect("it is bound")).expect("it can be sent");
        to.recv(&mut [0]).is_ok()
    };
    assert!(arrives(&left, &right) && arrives(&right, &left));
    hosts.cut_one_way("left", "right");
    assert!(!arrives(&left, &right) && arrives(&right, &left));
    assert_eq!(hosts.dropped(), 1);
}

#[test]
fn a_reset_is_told_at_once_to_who_speaks_and_to_who_connects() {
    let Some(hosts) = pair() else { return };
    let right = (hosts.address("right"), PORT).into();
    let listener = hosts.inside("right", || TcpListener::bind(right)).expect("it can listen");
    let connect = || hosts.inside("left", || TcpStream::connect_timeout(&right, SOON));
    let mut open = connect().expect("they can reach each other");
    let (_accepted, _) = listener.accept().expect("it listens");
    hosts.reset("left", "right");
    assert_eq!(connect().expect_err("it is refused").kind(), std::io::ErrorKind::ConnectionRefused);
    wait_until("the open connection to break", SOON, || {
        ensure!(std::io::Write::write_all(&mut open, b"x").is_err(), "it takes more");
        Ok(())
    });
    assert!(hosts.dropped() > 0, "resets are counted");
}

#[test]
fn an_isolated_host_hears_nobody_and_the_others_hear_each_other() {
    let Some(hosts) = Hosts::or_skip(&["one", "two", "three"]) else { return };
    hosts.isolate("two");
    let listen = |name| hosts.inside(name, || TcpListener::bind((hosts.address(name), PORT))).expect("it can listen");
    let _listeners = ["one", "two", "three"].map(listen);
    let reaches = |from: &str, to: &str| {
        let to = (hosts.address(to), PORT).into();
        hosts.inside(from, || TcpStream::connect_timeout(&to, A_MOMENT)).is_ok()
    };
    assert!(reaches("one", "three") && reaches("three", "one"));
    assert!(!reaches("one", "two") && !reaches("two", "three"));
}

#[test]
fn what_runs_on_hosts_ends_with_them_and_nothing_is_left() {
    let Some(hosts) = pair() else { return };
    let mut sleeper = hosts.command("left", "sleep").arg("613").spawn().expect("it can be run");
    let prefix = hosts.machine("left").namespace.name().trim_end_matches("host-left").to_owned();
    assert_eq!(names().iter().filter(|name| name.starts_with(&prefix)).count(), 3);
    // Its pid is the program's own: what is killed by it is not a shell around it.
    wait_until("the program", SOON, || {
        let program = std::fs::read_to_string(format!("/proc/{}/comm", sleeper.id()))?;
        ensure!(program.trim() == "sleep", "it is {program}");
        Ok(())
    });
    drop(hosts);
    assert!(!sleeper.wait().expect("it is a child").success(), "it was killed");
    assert!(!names().iter().any(|name| name.starts_with(&prefix)), "{:?}", names());
}

#[test]
fn the_network_of_a_killed_test_is_swept_up_and_that_of_another_is_not() {
    let Some(other) = pair() else { return };
    let mut killed = Command::new("true").spawn().expect("it can be run");
    killed.wait().expect("it is a child");
    let left = format!("{}switch", leftovers::prefix(killed.id(), 0));
    let left_behind = std::mem::ManuallyDrop::new(Namespace::create(left.clone()).expect("it can be made"));
    assert!(names().contains(&left));
    let _hosts = pair().expect("there was one");
    assert!(!names().contains(&left), "{} was not swept up", left_behind.name());
    assert!(names().contains(&other.machine("right").namespace.name().to_owned()));
}
