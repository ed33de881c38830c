//! A relay before a queen, which tells what clients ask through it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::Http;

/// Bytes that are passed on at once.
const PIECE_BYTES: usize = 16 << 10;

/// What ends the first line of a request.
const VERSION: &[u8] = b" HTTP/1.1\r\n";

/// Passes on what clients say to a queen and what it says to them. Dropping it ends all connections through it.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    passed: Arc<Passed>,
    accepts: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Passed {
    asked: Mutex<Vec<String>>,
    /// Answers to the requests for events that have begun and not ended.
    streams: Mutex<usize>,
    connections: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl Relay {
    /// A relay before a queen, at a port of its own.
    pub fn before(queen: Http) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let passed = Arc::<Passed>::default();
        let accepts = thread::spawn({
            let passed = passed.clone();
            move || accept(&listener, queen.address(), &passed)
        });
        Self { address, passed, accepts: Some(accepts) }
    }

    /// `http://host:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far, as `GET /v1/graphs/nightly`.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.passed.asked).clone()
    }

    /// Whether events are streaming through it.
    pub fn streams(&self) -> bool {
        *lock(&self.passed.streams) > 0
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.passed.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address); // wakes the thread that accepts
        if let Some(accepts) = self.accepts.take() {
            let _ = accepts.join(); // a panic there was printed
        }
        for connection in lock(&self.passed.connections).drain(..) {
            let _ = connection.shutdown(Shutdown::Both); // it may have ended by itself
        }
    }
}

fn accept(listener: &TcpListener, queen: SocketAddr, passed: &Arc<Passed>) {
    for client in listener.incoming() {
        if passed.is_over.load(Ordering::SeqCst) {
            return;
        }
        // A queen that does not take connections is one that hangs up.
        let (Ok(client), Ok(queen)) = (client, TcpStream::connect(queen)) else { continue };
        let copy = |stream: &TcpStream| stream.try_clone().expect("a socket can be opened twice");
        lock(&passed.connections).extend([copy(&client), copy(&queen)]);
        let (far_client, far_queen, passed) = (copy(&client), copy(&queen), passed.clone());
        let wants_events = Arc::<AtomicBool>::default();
        thread::spawn({
            let (passed, wants_events) = (passed.clone(), wants_events.clone());
            move || note_requests(client, queen, &passed, &wants_events)
        });
        thread::spawn(move || note_streams(far_queen, far_client, &passed, &wants_events));
    }
}

fn note_requests(from: TcpStream, to: TcpStream, passed: &Passed, wants_events: &AtomicBool) {
    let mut line = Vec::new();
    pass_on(from, to, |bytes| {
        for byte in bytes {
            line.push(*byte);
            if line.ends_with(VERSION) {
                let asked = String::from_utf8_lossy(&line[..line.len() - VERSION.len()]).into_owned();
                wants_events.store(asked.contains("/v1/events"), Ordering::SeqCst);
                lock(&passed.asked).push(asked);
            }
            if *byte == b'\n' {
                line.clear();
            }
        }
    });
}

fn note_streams(from: TcpStream, to: TcpStream, passed: &Passed, wants_events: &AtomicBool) {
    let mut is_stream = false;
    pass_on(from, to, |bytes| {
        if !is_stream && wants_events.load(Ordering::SeqCst) && bytes.starts_with(b"HTTP/1.1 200") {
            is_stream = true;
            *lock(&passed.streams) += 1;
        }
    });
    if is_stream {
        *lock(&passed.streams) -= 1;
    }
}

/// Until one of the two ends; then both do.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut note: impl FnMut(&[u8])) {
    let mut piece = [0; PIECE_BYTES];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        note(&piece[..length]);
        if to.write_all(&piece[..length]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both); // it may have ended by itself
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
