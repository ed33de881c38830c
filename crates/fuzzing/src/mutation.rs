//! Small damage to bytes, of the kinds that decoders stumble over.

use crate::dice::Dice;

/// No mutation makes an input longer.
pub(crate) const MAX_INPUT_BYTES: usize = 64 << 10;

/// Numbers at the edges of what fields hold.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 48,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Numbers as texts have them, beyond what fields hold.
const DIGITS: [&str; 12] = [
    "0",
    "-1",
    "-0",
    "00",
    "1.0",
    "1e9",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e999999",
    "0.00000000000000000000001",
];

/// One input made of others, by a few damages on top of each other.
pub(crate) fn mutated(dice: &mut Dice, pool: &[Vec<u8>], tokens: &[&str]) -> Vec<u8> {
    let mut bytes = pool[dice.below(pool.len())].clone();
    let mut more = true;
    while more {
        damage(dice, &mut bytes, pool, tokens);
        bytes.truncate(MAX_INPUT_BYTES);
        more = dice.once_in(2);
    }
    bytes
}

fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, pool: &[Vec<u8>], tokens: &[&str]) {
    let length = bytes.len();
    match dice.below(14) {
        0 if length > 0 => bytes[dice.below(length)] ^= 1 << dice.below(8),
        1 if length > 0 => bytes[dice.below(length)] = low_byte(dice.next()),
        2 => overwrite_number(dice, bytes),
        3 => {
            let fresh: Vec<u8> = (0..=dice.below(8)).map(|_| low_byte(dice.next())).collect();
            insert(dice, bytes, &fresh);
        }
        4 if !tokens.is_empty() => {
            let token = dice.one_of(tokens);
            insert(dice, bytes, token.as_bytes());
        }
        5 => drop(bytes.drain(dice.range(length))),
        6 => bytes.truncate(dice.below(length + 1)),
        7 => repeat(dice, bytes),
        8 => {
            let other = &pool[dice.below(pool.len())];
            let (at, piece) = (dice.range(length), dice.range(other.len()));
            bytes.splice(at, other[piece].iter().copied());
        }
        9 => {
            let piece = bytes[dice.range(length)].to_vec();
            insert(dice, bytes, &piece);
        }
        10 => varying_number(dice, bytes),
        11 => digits(dice, bytes),
        12 => {
            let range = dice.range(length);
            bytes[range].reverse();
        }
        _ => {
            let range = dice.range(length);
            let fill = dice.one_of(&[0, 0xff, b' ', b'[', b'"', b'0']);
            bytes[range].fill(fill);
        }
    }
}

fn insert(dice: &mut Dice, bytes: &mut Vec<u8>, piece: &[u8]) {
    let at = dice.below(bytes.len() + 1);
    bytes.splice(at..at, piece.iter().copied());
}

/// Puts a number at an edge, or near the length of the whole, in the place of 1, 2, 4 or 8 bytes.
fn overwrite_number(dice: &mut Dice, bytes: &mut [u8]) {
    let width = 1 << dice.below(4);
    if bytes.len() < width {
        return;
    }
    let at = dice.below(bytes.len() - width + 1);
    let number = edge(dice, bytes.len());
    if dice.once_in(3) {
        bytes[at..at + width].copy_from_slice(&number.to_be_bytes()[8 - width..]);
    } else {
        bytes[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
    }
}

/// Puts a number of bincode's, which has its width before it, in the place of a byte.
fn varying_number(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let at = dice.below(bytes.len() + 1);
    let number = edge(dice, bytes.len()).to_le_bytes();
    let (mark, width) = dice.one_of(&[(251, 2), (252, 4), (253, 8)]);
    let after = (at + 1).min(bytes.len());
    bytes.splice(at..after, std::iter::once(mark).chain(number.into_iter().take(width)));
}

fn edge(dice: &mut Dice, length: usize) -> u64 {
    let near = [dice.one_of(&EDGES), length as u64, 1 << dice.below(40)];
    dice.one_of(&near).wrapping_add(dice.one_of(&[0, 0, 1, u64::MAX]))
}

/// Puts a number at an edge in the place of digits.
fn digits(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let from = dice.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|more| from + more) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..end, dice.one_of(&DIGITS).bytes());
}

/// Repeats a piece, often a few times, sometimes until the input is as long as it may be.
fn repeat(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let range = dice.range(bytes.len());
    let piece = bytes[range.clone()].to_vec();
    let room = MAX_INPUT_BYTES.saturating_sub(bytes.len()) / piece.len().max(1);
    let times = if dice.once_in(16) { room } else { dice.below(8).min(room) };
    bytes.splice(range.end..range.end, piece.repeat(times));
}

fn low_byte(number: u64) -> u8 {
    number.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_damage_and_no_input_is_too_long() {
        let pool = [b"{\"a\": [1, 22, 333]}".to_vec(), Vec::new()];
        let all = |seed| {
            let mut dice = Dice::named(seed, "this");
            (0..5_000).map(|_| mutated(&mut dice, &pool, &["null"])).collect::<Vec<_>>()
        };
        let once = all(1);
        assert_eq!(once, all(1));
        assert_ne!(once, all(2));
        assert!(once.iter().all(|bytes| bytes.len() <= MAX_INPUT_BYTES));
        assert!(once.iter().any(|bytes| bytes.len() > MAX_INPUT_BYTES / 2));
    }
}
