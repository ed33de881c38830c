//! Clients that are slow, or send what is no request: they wait for nobody but themselves.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use antfarm_testkit::Cluster;
use serde_json::json;

use crate::given::{Shared, patient, unharmed};
use crate::wire::{connect, read_to_close, send};

/// A head may take 10 s; that it took longer shows with the next byte, on a machine that has other things to do, too.
const HEAD_WITHIN: Duration = Duration::from_secs(25);

/// Between two bytes of a slow client.
const EVERY: Duration = Duration::from_secs(1);

fn cluster() -> Arc<Cluster> {
    static SHARED: Shared = Shared::new();
    SHARED.cluster(|| patient().start())
}

/// Writes a byte a second until the other end has had enough; tells how long that took.
fn drip(stream: &mut TcpStream, bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    stream.set_read_timeout(Some(EVERY)).expect("a timeout can be set");
    for byte in bytes.iter().cycle() {
        // The wait for an answer is the second between two bytes.
        let closed = stream.write_all(&[*byte]).is_err() || matches!(stream.peek(&mut [0]), Ok(0 | 1));
        if closed || begun.elapsed() > 2 * HEAD_WITHIN {
            break;
        }
    }
    begun.elapsed()
}

#[test]
fn a_client_that_sends_its_headers_a_byte_a_second_is_cut_off() {
    const CLIENTS: usize = 20;
    let cluster = cluster();
    unharmed(&cluster, || {
        std::thread::scope(|scope| {
            let drips: Vec<_> = (0..CLIENTS)
                .map(|number| {
                    let mut stream = connect(&cluster.queens()[number % cluster.queens().len()]);
                    scope.spawn(move || {
                        drip(&mut stream, b"GET /v1/graphs HTTP/1.1\r\nx: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")
                    })
                })
                .collect();
            for drip in drips {
                let took = drip.join().expect("it does not panic");
                assert!(took < HEAD_WITHIN, "it was heard for {took:?}");
            }
        });
    });
}

#[test]
fn a_thousand_clients_that_finish_no_header_hinder_nobody() {
    let cluster = cluster();
    let mut slow = Vec::new();
    unharmed(&cluster, || {
        for _ in 0..1_000 {
            let mut stream = connect(cluster.leader());
            stream.write_all(b"POST /v1/graphs HTTP/1.1\r\nx: ").expect("it is read");
            slow.push(stream);
        }
        let begun = Instant::now();
        for queen in cluster.queens() {
            assert_eq!(queen.http().get("/v1/graphs").expect("it answers").status, 200);
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "it took {:?}", begun.elapsed());
    });
}

#[test]
fn bodies_that_are_announced_and_never_come_hold_nobody_up() {
    let cluster = cluster();
    // Together more than the memory for all bodies, and whatever is left of it, too.
    let lengths = [33_000_000, 1_000_000, 100_000, 10_000, 1_000].into_iter().flat_map(|length| [length; 12]);
    let mut silent = Vec::new();
    unharmed(&cluster, || {
        for length in lengths.clone() {
            let mut stream = connect(cluster.leader());
            let head = format!("POST /v1/graphs HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{{");
            stream.write_all(head.as_bytes()).expect("it is read");
            silent.push(stream);
            let mut stream = connect(cluster.leader());
            stream
                .write_all(b"POST /v1/graphs HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
                .expect("it is read");
            silent.push(stream);
        }
        let large = json!({"id": "beside-silence", "nodes": {"a": {"tool": "noop", "args": "x".repeat(100_000)}}});
        cluster.submit(&large);
    });
}

#[test]
fn what_is_no_request_is_answered_as_such_or_not_at_all() {
    let cluster = cluster();
    unharmed(&cluster, || {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(200_000));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(1_000));
        for (head, statuses) in [
            (long.as_str(), &[431][..]),
            (many.as_str(), &[431, 400]),
            ("ants\r\n\r\n", &[400]),
            ("GET /v1/graphs HTTP/1.1\r\nbad header\r\n\r\n", &[400]),
            ("POST /v1/graphs HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n", &[400]),
            ("POST /v1/graphs HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n", &[400]),
            ("POST /v1/graphs HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", &[400]),
            ("POST /v1/graphs HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1\r\n\r\n\0", &[422]),
            ("GET /v1/graphs?limit=99999999999999999999 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", &[400]),
            ("GET /v1/graphs/%ff%00 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", &[400, 404]),
            ("GET /v1/graphs/g/nodes/a[4294967295] HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", &[400, 404]),
            ("BREW /v1/graphs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", &[405]),
        ] {
            let answer = send(cluster.leader(), head.as_bytes(), b"");
            assert!(statuses.contains(&answer.status), "{:?} got {}", head.get(..60), answer.status);
        }
    });
}

#[test]
fn garbage_at_the_port_of_the_peers_disturbs_no_peer() {
    let cluster = cluster();
    let status = cluster.leader().status().expect("it answers");
    let members = status["members"].as_array().expect("a list").clone();
    let mut silent = Vec::new();
    unharmed(&cluster, || {
        for member in &members {
            let address = member["raft"].as_str().expect("an address");
            silent.extend((0..64).map(|_| TcpStream::connect(address).expect("it takes connections")));
            for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 4_096], &[0; 4_096], b""] {
                let mut stream = TcpStream::connect(address).expect("it takes connections");
                stream.set_read_timeout(Some(HEAD_WITHIN)).expect("a timeout can be set");
                let _ = stream.write_all(bytes); // it may have been closed already
                read_to_close(&mut stream);
            }
        }
    });
}
