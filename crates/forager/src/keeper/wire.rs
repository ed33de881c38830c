//! What forager, keeper and sentry say to each other. Frozen: variants are appended, and a changed field is a new variant.

use std::ffi::CString;
use std::path::PathBuf;

use antfarm_protocol::AttemptRef;
use serde::{Deserialize, Serialize};

use crate::executor::StopCause;
use crate::keeper::Due;
use crate::process::ProcessMark;

/// Names and values of an environment, which need not be UTF-8. Each is read in one piece, not byte by byte.
pub(crate) type Environment = Vec<(CString, CString)>;

/// From a forager to its keeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The first on every connection: from now on this forager counts, and none from before.
    Attach {
        /// What programs find in their environment besides what their attempt brings.
        environment: Environment,
    },
    /// When guarded attempts have to be dead.
    Lease(Due),
    /// Run a program. One that is known is not started again.
    Start(Start),
    /// End a program. What was asked before and is earlier counts.
    Stop {
        /// Of which attempt.
        attempt: AttemptRef,
        /// Between SIGTERM and SIGKILL.
        grace_ms: u64,
        /// Why. The first cause counts.
        cause: StopCause,
    },
    /// The journal has the ends of these.
    Forget {
        /// Which.
        attempts: Vec<AttemptRef>,
    },
    /// Say what a program has written to its standard error.
    Log {
        /// Repeated in the answer.
        request: u64,
        /// Of which attempt.
        attempt: AttemptRef,
    },
    /// Say that you are there.
    Ping,
    /// End as soon as nothing runs, whatever is kept.
    End,
}

/// A program to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// For which attempt.
    pub(crate) attempt: AttemptRef,
    /// What its processes carry in their environment.
    pub(crate) mark: u64,
    /// Whether it ends with the lease.
    pub(crate) guarded: bool,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// What is added to the environment.
    pub(crate) environment: Vec<(String, String)>,
    /// What it finds on its standard input.
    pub(crate) input: String,
    /// So much of its standard output is kept; of more only that it was more.
    pub(crate) output_bytes: u64,
}

/// From a keeper to the forager that is attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Tale {
    /// One attempt that it has. All come before [`Tale::Attached`].
    Holds(Held),
    /// These were all.
    Attached {
        /// The lease that it was told of last.
        lease: Due,
    },
    /// A program runs.
    Started {
        /// Of which attempt.
        attempt: AttemptRef,
        /// The process, which leads a group.
        program: ProcessMark,
    },
    /// A program has ended, and nothing of the attempt runs any more. Kept until it is to be forgotten.
    Ended {
        /// Of which attempt.
        attempt: AttemptRef,
        /// How.
        ended: Ended,
    },
    /// The answer to [`Order::Log`].
    Log {
        /// Which.
        request: u64,
        /// The end of what was written; nothing if the attempt is not known.
        text: Option<Vec<u8>>,
    },
    /// It is there.
    Pong,
}

/// An attempt that a keeper has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Held {
    /// Which.
    pub(crate) attempt: AttemptRef,
    /// What its processes carry in their environment.
    pub(crate) mark: u64,
    /// Whether it ends with the lease.
    pub(crate) guarded: bool,
    /// Its program, once it runs.
    pub(crate) program: Option<ProcessMark>,
    /// Its end will be told next.
    pub(crate) has_ended: bool,
}

/// The end of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// How it ended.
    pub(crate) exit: Exit,
    /// It was asked to, and why.
    pub(crate) stopped: Option<StopCause>,
    /// Its standard output; empty if it was too large.
    pub(crate) output: Vec<u8>,
    /// It wrote more than is kept.
    pub(crate) too_large: bool,
    /// The end of its standard error.
    pub(crate) log: Vec<u8>,
}

impl Ended {
    /// An end of which nobody has any output.
    pub(crate) fn silent(exit: Exit, stopped: Option<StopCause>) -> Self {
        Self { exit, stopped, output: Vec::new(), too_large: false, log: Vec::new() }
    }

    /// It was not started, for this reason.
    pub(crate) fn never_began(why: String, stopped: Option<StopCause>) -> Self {
        Self::silent(Exit::NotStarted(why), stopped)
    }
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It never began; for people.
    NotStarted(String),
    /// Nobody saw it.
    Unseen,
}

/// From a keeper to a sentry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SentryOrder {
    /// The first: run this.
    Start {
        /// The program and its arguments.
        command: Vec<String>,
        /// Its whole environment.
        environment: Environment,
        /// Where it works.
        folder: PathBuf,
        /// What it finds on its standard input.
        input: String,
        /// Whether a suspension of the machine ends it, too.
        guarded: bool,
        /// When it has to end.
        due: Due,
    },
    /// When it has to end now.
    Due(Due),
}

/// From a sentry to its keeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SentryTale {
    /// The program runs.
    Started(ProcessMark),
    /// The last: nothing of the attempt runs any more.
    Ended {
        /// How the program ended.
        exit: Exit,
        /// It was asked to.
        stopped: bool,
    },
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::time::Duration;

    use antfarm_model::{Fence, GraphNo, NodeNo};
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::keeper::frame::{Inbox, encode};

    fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(messages: &[T], expected: &[&str]) {
        let frames: Vec<Vec<u8>> = messages.iter().map(|message| encode(message).expect("it is short")).collect();
        let hex = |frame: &Vec<u8>| frame.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(frames.iter().map(hex).collect::<Vec<_>>(), expected);
        for (message, frame) in messages.iter().zip(frames) {
            let mut inbox = Inbox::default();
            inbox.fill(&mut &frame[..]).expect("memory can be read");
            assert_eq!(&inbox.next::<T>().expect("it is sound").expect("it is whole"), message);
        }
    }

    fn attempt() -> AttemptRef {
        AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 3, fence: Fence(4) }
    }

    fn program() -> ProcessMark {
        ProcessMark { id: 7, started_ticks: 9 }
    }

    fn due() -> Due {
        Due { stop_at: Duration::from_nanos(5), kill_at: Duration::from_nanos(6) }
    }

    #[test]
    fn what_a_forager_says_keeps_its_golden_bytes() {
        let start = Start {
            attempt: attempt(),
            mark: 10,
            guarded: true,
            command: vec!["a".into()],
            environment: vec![("b".into(), "c".into())],
            input: "d".into(),
            output_bytes: 11,
        };
        let attempts = vec![attempt()];
        let orders = [
            Order::Attach { environment: vec![(c"e".into(), c"f".into())] },
            Order::Lease(due()),
            Order::Start(start),
            Order::Stop { attempt: attempt(), grace_ms: 12, cause: StopCause::Cancelled },
            Order::Forget { attempts },
            Order::Log { request: 13, attempt: attempt() },
            Order::Ping,
            Order::End,
        ];
        check(&orders, &golden::ORDERS);
    }

    #[test]
    fn what_a_keeper_says_keeps_its_golden_bytes() {
        let held = Held { attempt: attempt(), mark: 10, guarded: true, program: Some(program()), has_ended: false };
        let ended = |exit| Ended { exit, stopped: None, output: vec![1], too_large: false, log: vec![2] };
        let stopped = Ended { stopped: Some(StopCause::Interrupted), too_large: true, ..ended(Exit::Unseen) };
        let tales = [
            Tale::Holds(held),
            Tale::Attached { lease: due() },
            Tale::Started { attempt: attempt(), program: program() },
            Tale::Ended { attempt: attempt(), ended: ended(Exit::Code(3)) },
            Tale::Ended { attempt: attempt(), ended: ended(Exit::Signal(9)) },
            Tale::Ended { attempt: attempt(), ended: ended(Exit::NotStarted("x".into())) },
            Tale::Ended { attempt: attempt(), ended: stopped },
            Tale::Log { request: 13, text: Some(vec![3]) },
            Tale::Pong,
        ];
        check(&tales, &golden::TALES);
    }

    #[test]
    fn what_is_said_to_and_by_a_sentry_keeps_its_golden_bytes() {
        let start = SentryOrder::Start {
            command: vec!["a".into()],
            environment: vec![(c"e".into(), c"f".into())],
            folder: "/g".into(),
            input: "d".into(),
            guarded: false,
            due: due(),
        };
        check(&[start, SentryOrder::Due(due())], &golden::SENTRY_ORDERS);
        let ended = SentryTale::Ended { exit: Exit::Code(0), stopped: true };
        check(&[SentryTale::Started(program()), ended], &golden::SENTRY_TALES);
    }
}

/// Every message, as its frame stands in hexadecimal digits.
#[cfg(test)]
pub(super) mod golden {
    pub(in crate::keeper) const ORDERS: [&str; 8] = [
        "0700000001000101650166",
        "0400000001010506",
        "130000000102010203040a01010161010162016301640b",
        "080000000103010203040c00",
        "0700000001040101020304",
        "0700000001050d01020304",
        "020000000106",
        "020000000107",
    ];

    pub(in crate::keeper) const TALES: [&str; 9] = [
        "0c0000000100010203040a0101070900",
        "0400000001010506",
        "080000000102010203040709",
        "0e0000000103010203040006000101000102",
        "0e0000000103010203040112000101000102",
        "0f000000010301020304020178000101000102",
        "0e0000000103010203040301010101010102",
        "0600000001040d010103",
        "020000000105",
    ];

    pub(in crate::keeper) const SENTRY_ORDERS: [&str; 2] =
        ["1200000001000101610101650166022f670164000506", "0400000001010506"];

    pub(in crate::keeper) const SENTRY_TALES: [&str; 2] = ["0400000001000709", "050000000101000001"];
}
