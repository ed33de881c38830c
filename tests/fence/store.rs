//! An object store for tests: whole objects by path, and writes under the conditions of RFC 9110, taken atomically.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// A client that is silent for longer is left.
const READ_WITHIN: Duration = Duration::from_secs(30);

/// A store on a free port of loopback. Dropping it ends it.
pub(crate) struct Store {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<Objects>,
    ends: AtomicBool,
}

#[derive(Default)]
pub(crate) struct Objects {
    by_path: BTreeMap<String, Vec<u8>>,
    /// What was written, in its order.
    pub(crate) written: Vec<(String, String)>,
    /// How many writes were refused.
    pub(crate) refused: usize,
    /// Somebody writes this right after the next read of that path.
    pub(crate) overtaken: Option<(String, String)>,
    /// The next write of that path is taken, and its answer is lost.
    pub(crate) answer_lost: Option<String>,
}

struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Store {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let listening = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_thread.ends.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&of_thread);
                // Each on a thread of its own, so that requests meet.
                std::thread::spawn(move || serve(stream.expect("a connection"), &shared));
            }
        });
        Self { address, shared, listening: Some(listening) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn objects(&self) -> MutexGuard<'_, Objects> {
        self.shared.objects.lock().expect("nobody panicked")
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address); // so that it looks
        let _ = self.listening.take().map(JoinHandle::join);
    }
}

impl Objects {
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.by_path.get(path).map(|body| String::from_utf8_lossy(body).into_owned())
    }

    pub(crate) fn put(&mut self, path: &str, body: &[u8]) {
        self.by_path.insert(path.to_owned(), body.to_vec());
        self.written.push((path.to_owned(), String::from_utf8_lossy(body).into_owned()));
    }

    /// The status, and the object that is sent with it.
    fn answer(&mut self, request: &Request) -> (&'static str, Option<Vec<u8>>) {
        let current = self.by_path.get(&request.path).cloned();
        if request.method == "GET" {
            if let Some((path, body)) = self.overtaken.take_if(|(path, _)| *path == request.path) {
                self.put(&path, body.as_bytes());
            }
            return current.map_or(("404 Not Found", None), |body| ("200 OK", Some(body)));
        }
        if request.method != "PUT" {
            return ("405 Method Not Allowed", None);
        }
        let matches =
            |condition: &String| current.as_ref().is_some_and(|body| condition == "*" || *condition == etag(body));
        let holds = request.headers.get("if-match").is_none_or(matches)
            && !request.headers.get("if-none-match").is_some_and(matches);
        if !holds {
            self.refused += 1;
            return ("412 Precondition Failed", None);
        }
        self.put(&request.path, &request.body);
        ("200 OK", Some(request.body.clone()))
    }
}

/// A digest of the content and of nothing else, as in S3.
fn etag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn serve(stream: TcpStream, shared: &Shared) {
    stream.set_read_timeout(Some(READ_WITHIN)).expect("it is not zero");
    let mut reader = BufReader::new(stream);
    let Some(request) = read(&mut reader) else { return };
    let mut objects = shared.objects.lock().expect("nobody panicked");
    let (status, object) = objects.answer(&request);
    let is_lost = request.method == "PUT" && objects.answer_lost.take_if(|path| *path == request.path).is_some();
    drop(objects);
    if is_lost {
        return;
    }
    let tag = object.as_ref().map(|body| format!("ETag: {}\r\n", etag(body))).unwrap_or_default();
    let body = if request.method == "GET" { object.unwrap_or_default() } else { Vec::new() };
    let head = format!("HTTP/1.1 {status}\r\n{tag}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let mut stream = reader.into_inner();
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)); // the client may be gone
}

/// Nothing when the client went away, or when it speaks something else.
fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    if headers.contains_key("expect") {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body })
}
