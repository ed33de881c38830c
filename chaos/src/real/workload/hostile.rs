//! Somebody without a right who sends noise, to ports of queens and to what they answer requests with.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::history::{HostileEnd, Scribe, What};
use crate::random::Random;
use crate::real::field::{Field, PATIENCE};

/// Between two messages.
const SEND_EVERY: Duration = Duration::from_millis(700);

/// Nobody is waited for longer: whoever does not close the connection by then takes no notice.
const CLOSES_WITHIN: Duration = Duration::from_millis(400);

/// Bytes of noise, at most.
const MOST_NOISE: u64 = 4_096;

/// What is asked for without making sense: method and path, and what is in it.
const NONSENSE: [(&str, &str, &str); 5] = [
    ("POST", "/v1/graphs", "\u{0}{\"id\": \"hostile\", \"nodes\": {{{{"),
    ("PUT", "/v1/tools/hostile", "{\"effects\": \"harmless\"}"),
    ("POST", "/v1/cluster/transfer", "{\"to\": \"me\"}"),
    ("POST", "/v1/graphs/hostile/nodes/none/decide", "{\"verdict\": \"succeed\", \"fence\": -1}"),
    ("POST", "/v1/foragers/hostile/drain", ""),
];

/// Sends noise until the run closes.
pub(in crate::real) fn disturb(field: &Field<'_>, mut random: Random) {
    let mut scribe = field.recorder.scribe("hostile");
    while field.is_open() {
        let queen = Field::any_queen(&mut random);
        match random.below(3) {
            0 => {
                noise(&mut scribe, queen, field.cluster.network.raft(queen), "noise to the port of peers", &mut random)
            }
            1 => noise(
                &mut scribe,
                queen,
                field.cluster.network.http(queen),
                "noise to the port of clients",
                &mut random,
            ),
            _ => nonsense(field, &mut scribe, queen, &mut random),
        }
        std::thread::sleep(SEND_EVERY);
    }
}

fn nonsense(field: &Field<'_>, scribe: &mut Scribe<'_>, queen: u16, random: &mut Random) {
    let (method, path, body) = NONSENSE[random.pick(NONSENSE.len()).unwrap_or(0)];
    let http = field.cluster.http(queen).within(PATIENCE);
    let answer = if method == "PUT" { http.put(path, body) } else { http.post(path, body) };
    let Ok(answer) = answer else { return }; // she is dead, or cut off
    let end = if answer.status < 300 { HostileEnd::Accepted } else { HostileEnd::Refused };
    scribe.write(What::Hostile { to: format!("queen-{queen}"), sent: format!("{method} {path}"), end });
}

/// Bytes that mean nothing, or that begin with an enormous length.
fn noise(scribe: &mut Scribe<'_>, queen: u16, to: SocketAddr, sent: &str, random: &mut Random) {
    let length = if random.percent(50) { u32::MAX } else { 64 };
    let noise = (0..random.below(MOST_NOISE)).map(|_| random.next().to_le_bytes()[0]);
    let bytes: Vec<u8> = length.to_le_bytes().into_iter().chain(noise).collect();
    let Ok(mut stream) = TcpStream::connect_timeout(&to, CLOSES_WITHIN) else { return };
    let _ = stream.set_read_timeout(Some(CLOSES_WITHIN));
    let _ = stream.write_all(&bytes); // it may be closed already
    let mut answer = Vec::new();
    let end = match stream.take(MOST_NOISE).read_to_end(&mut answer) {
        Ok(_) if answer.starts_with(b"HTTP/1.1 2") => HostileEnd::Accepted,
        Ok(0) => HostileEnd::Ignored,
        Ok(_) => HostileEnd::Refused,
        Err(error) if error.kind() == ErrorKind::Interrupted => return,
        Err(_) => HostileEnd::Ignored,
    };
    scribe.write(What::Hostile { to: format!("queen-{queen}"), sent: sent.to_owned(), end });
}
