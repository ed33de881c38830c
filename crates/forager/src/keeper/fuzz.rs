//! Hostile bytes for what forager, keeper and sentry say to each other.

use std::fmt::Debug;

use antfarm_fuzzing::Target;
use futures_util::FutureExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{self, Inbox};
use super::wire::{Order, SentryOrder, SentryTale, Tale, golden};
use crate::fuzz::{FOLDER, GROWTH};

fn from_hex(digits: &str) -> Vec<u8> {
    let bytes = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16));
    bytes.collect::<Result<_, _>>().expect("golden bytes are hexadecimal")
}

/// Both ways to read give the same.
fn read<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    let mut stream = bytes;
    frame::read(&mut stream).now_or_never().expect("a slice never waits").ok()?
}

fn agrees<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8], message: &T) {
    let (mut inbox, mut rest) = (Inbox::default(), bytes);
    while !rest.is_empty() {
        inbox.fill(&mut rest).expect("memory can be read");
    }
    assert_eq!(inbox.next::<T>().expect("it is sound").as_ref(), Some(message));
    assert_eq!(read::<T>(&frame::encode(message).expect("it is no longer than it was")).as_ref(), Some(message));
}

/// States how long the frame is.
#[expect(clippy::ptr_arg, reason = "a target's repair may change the length")]
fn mend_length(bytes: &mut Vec<u8>) {
    let Some(length) = bytes.len().checked_sub(4) else { return };
    bytes[..4].copy_from_slice(&u32::try_from(length).expect("short").to_le_bytes());
}

fn fuzz<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &'static str, samples: &[&str]) {
    Target::new(FOLDER, name)
        .samples(samples.iter().map(|digits| from_hex(digits)))
        .repaired_by(mend_length)
        // An environment has two lists, in two bytes.
        .takes(GROWTH + GROWTH * size_of::<(Vec<u8>, Vec<u8>)>() / 2)
        .dense(|_| vec![0xff, 0xff, 0x7f, 0])
        .run(read::<T>, |bytes, message| agrees(bytes, &message));
}

#[test]
fn orders_to_keepers() {
    fuzz::<Order>("orders_to_keepers", &golden::ORDERS);
}

#[test]
fn tales_of_keepers() {
    fuzz::<Tale>("tales_of_keepers", &golden::TALES);
}

#[test]
fn orders_to_sentries() {
    fuzz::<SentryOrder>("orders_to_sentries", &golden::SENTRY_ORDERS);
}

#[test]
fn tales_of_sentries() {
    fuzz::<SentryTale>("tales_of_sentries", &golden::SENTRY_TALES);
}
