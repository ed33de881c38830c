//! What the end of a program comes to.

use std::sync::Arc;

use antfarm_protocol::{FailureKind, JsonText, Outcome};

use crate::executor::built_in::too_large;
use crate::executor::{End, Log};
use crate::keeper::{Ended, Exit};

/// `EX_TEMPFAIL`: failed, and worth a retry.
const TEMPORARY: i32 = 75;

/// Refused by the target's fence.
const FENCED: i32 = 76;

/// So much of the end of the standard error stands in the failure.
const MESSAGE_BYTES: usize = 4 << 10;

/// Enough of an output to recognise it by.
const EXCERPT_CHARACTERS: usize = 80;

/// How a run ended, and what it wrote to its standard error.
pub(crate) fn end_of(ended: Ended, result_bytes: usize) -> (End, Arc<Log>) {
    let log = Arc::new(Log::default());
    log.push(&ended.log);
    let stopped = ended.stopped;
    let exited = matches!(ended.exit, Exit::Code(_));
    let own = outcome(ended, result_bytes, &log);
    let end = match stopped {
        Some(cause) => End::Stopped { cause, own: exited.then_some(own) },
        None => End::Itself(own),
    };
    (end, log)
}

fn outcome(ended: Ended, result_bytes: usize, log: &Log) -> Outcome {
    match ended.exit {
        Exit::Code(0) if ended.too_large => too_large(result_bytes),
        Exit::Code(0) => result(&ended.output, log),
        Exit::Code(TEMPORARY) => failed(FailureKind::Temporary, "exit code 75 (temporary)", log),
        Exit::Code(FENCED) => failed(FailureKind::Fenced, "exit code 76 (refused by the target's fence)", log),
        Exit::Code(code) => failed(FailureKind::Exit, &format!("exit code {code}"), log),
        Exit::Signal(signal) => failed(FailureKind::Signal, &format!("ended by signal {signal}"), log),
        Exit::NotStarted(why) => Outcome::Failed { kind: FailureKind::NotStarted, message: why.into() },
        Exit::Unseen => Outcome::Interrupted,
    }
}

fn result(output: &[u8], log: &Log) -> Outcome {
    let excerpt = || String::from_utf8_lossy(output).chars().take(EXCERPT_CHARACTERS).collect::<String>();
    match std::str::from_utf8(output).map(str::trim).map(|text| if text.is_empty() { "null" } else { text }) {
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
