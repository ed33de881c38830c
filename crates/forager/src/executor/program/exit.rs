//! What an exit status and an output come to.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use antfarm_protocol::{FailureKind, JsonText, Outcome};

use crate::executor::Log;
use crate::executor::built_in::too_large;
use crate::executor::program::pipes::Output;

/// `EX_TEMPFAIL`: failed, and worth a retry.
const TEMPORARY: i32 = 75;

/// Refused by the target's fence.
const FENCED: i32 = 76;

/// So much of the end of the standard error stands in the failure.
const MESSAGE_BYTES: usize = 4 << 10;

/// Enough of an output to recognise it by.
const EXCERPT_CHARACTERS: usize = 80;

/// What came of a program that has ended.
pub(super) fn outcome(status: ExitStatus, output: Output, log: &Log) -> Outcome {
    match status.code() {
        Some(0) => result(output, log),
        Some(TEMPORARY) => failed(FailureKind::Temporary, "exit code 75 (temporary)", log),
        Some(FENCED) => failed(FailureKind::Fenced, "exit code 76 (refused by the target's fence)", log),
        Some(code) => failed(FailureKind::Exit, &format!("exit code {code}"), log),
        None => failed(FailureKind::Signal, &format!("ended by signal {}", status.signal().unwrap_or(0)), log),
    }
}

fn result(output: Output, log: &Log) -> Outcome {
    if output.too_large {
        return too_large(output.limit());
    }
    let bytes = output.into_bytes();
    let excerpt = || String::from_utf8_lossy(&bytes).chars().take(EXCERPT_CHARACTERS).collect::<String>();
    match std::str::from_utf8(&bytes).map(str::trim).map(|text| if text.is_empty() { "null" } else { text }) {
        Err(_) => failed(FailureKind::BadResult, &format!("its standard output is not UTF-8: {:?}", excerpt()), log),
        Ok(text) => match JsonText::new(text) {
            Ok(result) => Outcome::Succeeded { result },
            Err(error) => failed(
                FailureKind::BadResult,
                &format!(
                    "its standard output must be one JSON value (a text in double quotes; what is for people belongs on \
                     standard error); {error}: {:?}",
                    excerpt()
                ),
                log,
            ),
        },
    }
}

fn failed(kind: FailureKind, what: &str, log: &Log) -> Outcome {
    let tail = log.tail(MESSAGE_BYTES);
    let tail = tail.trim_end();
    let mut message = if tail.is_empty() { what.to_owned() } else { format!("{what}: {tail}") };
    // What is no UTF-8 has grown by its replacement.
    message.truncate(message.floor_char_boundary(2 * MESSAGE_BYTES - EXCERPT_CHARACTERS));
    Outcome::Failed { kind, message: message.into() }
}
