//! Frames between forager, keeper and sentry: `[length u32][version u8][message]`, little endian, the message in bincode.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The version of what is said. Messages only grow, by variants at the end: a forager may meet a keeper that an older one
/// started, and the reverse.
const VERSION: u8 = 1;

/// No frame is longer, its length excepted: arguments and an environment at their largest fit in.
const MAX_BYTES: usize = 8 << 20;

const LENGTH_BYTES: usize = 4;

/// Most frames are shorter.
const ROOM_BYTES: usize = 4 << 10;

/// Why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    /// The other side is not there, or stops in the middle.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is longer than any that is sent.
    #[error("a frame of {0} bytes, and {MAX_BYTES} are allowed")]
    TooLong(usize),
    /// It is no message of this version.
    #[error("a message that this program does not know")]
    Unknown,
}

/// The bytes of a frame.
pub(crate) fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let body = antfarm_binary::encode(message);
    let length = body.len() + 1;
    let short = u32::try_from(length).ok().filter(|_| length <= MAX_BYTES).ok_or(FrameError::TooLong(length))?;
    let mut frame = Vec::with_capacity(LENGTH_BYTES + length);
    frame.extend_from_slice(&short.to_le_bytes());
    frame.push(VERSION);
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// Reads one frame; nothing if the other side has closed after the last.
pub(crate) async fn read<T: DeserializeOwned>(stream: &mut (impl AsyncRead + Unpin)) -> Result<Option<T>, FrameError> {
    let mut length = [0; LENGTH_BYTES];
    match stream.read_exact(&mut length).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        answer => answer?,
    };
    let length = length_of(length)?;
    // What is announced gets room as it arrives, beyond what most frames need.
    let mut body = Vec::with_capacity(length.min(ROOM_BYTES));
    stream.take(length as u64).read_to_end(&mut body).await?;
    if body.len() < length {
        return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into()));
    }
    decode(&body).map(Some)
}

/// What has arrived, for who cannot wait for the rest of a frame.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Vec<u8>);

impl Inbox {
    /// Takes what is there; false if the other side has closed. Would-block is an error of the stream.
    pub(crate) fn fill(&mut self, stream: &mut impl Read) -> io::Result<bool> {
        let mut chunk = [0; ROOM_BYTES];
        let count = stream.read(&mut chunk)?;
        self.0.extend_from_slice(&chunk[..count]);
        Ok(count > 0)
    }

    /// The next whole frame, if there is one.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some((length, rest)) = self.0.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = length_of(*length)?;
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = decode(body)?;
        self.0.drain(..LENGTH_BYTES + length);
        Ok(Some(message))
    }
}

fn length_of(length: [u8; LENGTH_BYTES]) -> Result<usize, FrameError> {
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_BYTES { Err(FrameError::TooLong(length)) } else { Ok(length) }
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    let Some((&VERSION, message)) = body.split_first() else { return Err(FrameError::Unknown) };
    antfarm_binary::decode(message).ok_or(FrameError::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_when_it_is_whole_and_the_next_one_after_it() {
        let (mut one, two) = (encode(&"one").expect("it is short"), encode(&"two").expect("it is short"));
        assert_eq!(one, [5, 0, 0, 0, 1, 3, b'o', b'n', b'e']);
        one.extend(&two);
        let mut inbox = Inbox::default();
        for (at, byte) in one.iter().enumerate() {
            assert!(inbox.fill(&mut &[*byte][..]).expect("memory can be read"));
            let expected = [(8, "one"), (17, "two")].iter().find(|(whole, _)| *whole == at).map(|(_, text)| *text);
            assert_eq!(inbox.next::<String>().expect("it is sound").as_deref(), expected);
        }
        assert!(!inbox.fill(&mut &[][..]).expect("memory can be read"));
    }

    #[test]
    fn what_is_too_long_or_unknown_is_refused_before_it_takes_memory() {
        let refused = |bytes: &[u8]| {
            let mut inbox = Inbox::default();
            inbox.fill(&mut &bytes[..]).expect("memory can be read");
            inbox.next::<String>().expect_err("it is refused")
        };
        assert!(matches!(refused(&[0xff; 4]), FrameError::TooLong(_)));
        assert!(matches!(refused(&[0, 0, 0, 0]), FrameError::Unknown), "no version");
        assert!(matches!(refused(&[2, 0, 0, 0, 2, 0]), FrameError::Unknown), "another version");
        assert!(matches!(refused(&[3, 0, 0, 0, 1, 0, 0]), FrameError::Unknown), "more than a message");
        assert!(matches!(refused(&[6, 0, 0, 0, 1, 0xfd, 0xff, 0xff, 0xff, 0xff]), FrameError::Unknown), "a lie");
        assert!(matches!(encode(&"x".repeat(MAX_BYTES)), Err(FrameError::TooLong(_))));
    }
}
