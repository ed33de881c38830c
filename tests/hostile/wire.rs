//! Bytes to and from the port of a queen, whatever HTTP thinks of them.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use antfarm_testkit::{Answer, Queen};

/// A queen answers, or closes what she will not hear, within this time.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(90);

/// A connection to the HTTP port of a queen.
pub(crate) fn connect(queen: &Queen) -> TcpStream {
    let address = queen.http().url();
    let stream = TcpStream::connect(address.trim_start_matches("http://")).expect("a queen takes connections");
    stream.set_read_timeout(Some(ANSWER_WITHIN)).expect("a timeout can be set");
    stream
}

/// Sends a body that need not be text, with a `content-type`, and reads the answer meanwhile, as browsers do: a refusal
/// may come before the body has gone.
pub(crate) fn post(queen: &Queen, kind: &str, body: &[u8]) -> Answer {
    let head = format!(
        "POST /v1/graphs HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    send(queen, head.as_bytes(), body)
}

/// Sends a head and a body as they are, and reads the answer meanwhile.
pub(crate) fn send(queen: &Queen, head: &[u8], body: &[u8]) -> Answer {
    let mut stream = connect(queen);
    let mut writer = stream.try_clone().expect("a connection can be shared");
    let bytes = std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = writer.write_all(head).and_then(|()| writer.write_all(body)); // the answer may have come before
        });
        read_to_close(&mut stream)
    });
    answer(&bytes)
}

/// What comes until the other end closes, or breaks, the connection.
pub(crate) fn read_to_close(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("the connection was not closed within {ANSWER_WITHIN:?}; so far came {bytes:?}")
        }
        Ok(_) | Err(_) => bytes,
    }
}

fn answer(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer came, but {text:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    Answer {
        status: status.unwrap_or_else(|| panic!("no status in {head:?}")),
        headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect(),
        body: body.to_owned(),
    }
}
