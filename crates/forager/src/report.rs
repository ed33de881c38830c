//! What closes an attempt, as it is told to queens until one confirms it.

use antfarm_protocol::{
    AttemptRef, Cancelled, Codec, ForagerMessage, Frame, LARGEST_FRAME_BYTES, Outcome, Reject, RejectReason, Returned,
    TaskResult,
};

/// The end of an attempt: a result, a cancellation, a reject or a return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    attempt: AttemptRef,
    /// Apart, since a journal has many smaller records, too.
    message: Box<ForagerMessage>,
}

impl Report {
    /// It ran, and this is what came of it.
    pub(crate) fn result(attempt: AttemptRef, outcome: Outcome) -> Self {
        Self { attempt, message: Box::new(TaskResult { attempt, outcome }.into()) }
    }

    /// It was cancelled.
    pub(crate) fn cancelled(attempt: AttemptRef, started: bool) -> Self {
        Self { attempt, message: Box::new(Cancelled { attempt, started }.into()) }
    }

    /// It was not taken.
    pub(crate) fn rejected(attempt: AttemptRef, reason: RejectReason) -> Self {
        Self { attempt, message: Box::new(Reject { attempt, reason }.into()) }
    }

    /// It is handed back, never started.
    pub(crate) fn returned(attempt: AttemptRef) -> Self {
        Self { attempt, message: Box::new(Returned { attempts: vec![attempt] }.into()) }
    }

    /// Which attempt has ended.
    pub(crate) fn attempt(&self) -> AttemptRef {
        self.attempt
    }

    /// What the queens are told.
    pub(crate) fn message(&self) -> &ForagerMessage {
        &self.message
    }

    /// How much memory it takes, nearly.
    pub(crate) fn size(&self) -> usize {
        let text = match &*self.message {
            ForagerMessage::Result(TaskResult { outcome: Outcome::Succeeded { result }, .. }) => result.as_str().len(),
            ForagerMessage::Result(TaskResult { outcome: Outcome::Failed { message, .. }, .. }) => message.len(),
            ForagerMessage::Result(TaskResult { outcome: Outcome::Interrupted, .. })
            | ForagerMessage::Hello(_)
            | ForagerMessage::Heartbeat(_)
            | ForagerMessage::Accept(_)
            | ForagerMessage::Reject(_)
            | ForagerMessage::Cancelled(_)
            | ForagerMessage::Returned(_)
            | ForagerMessage::Log(_) => 0,
        };
        size_of::<Self>() + text
    }

    /// The bytes of reports for the journal: the protocol's own binary frames, which are frozen and versioned already, and
    /// in which neighbours that ended in the same way are one.
    pub(crate) fn encode(reports: &[Self]) -> Vec<Vec<u8>> {
        let messages: Vec<ForagerMessage> = reports.iter().map(|report| report.message().clone()).collect();
        let frames = Codec::Binary.encode(&messages, LARGEST_FRAME_BYTES);
        let frames = frames.expect("the end of an attempt is within its bounds").into_iter();
        frames.map(Frame::into_bytes).collect()
    }

    /// Reads one of the frames that [`Report::encode`] wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<Self>> {
        let messages = Codec::Binary.decode(bytes, LARGEST_FRAME_BYTES).ok()?;
        messages.into_iter().map(Self::of).collect()
    }

    fn of(message: ForagerMessage) -> Option<Self> {
        let attempt = match &message {
            ForagerMessage::Result(TaskResult { attempt, .. })
            | ForagerMessage::Cancelled(Cancelled { attempt, .. })
            | ForagerMessage::Reject(Reject { attempt, .. }) => *attempt,
            ForagerMessage::Returned(Returned { attempts }) => *attempts.first()?,
            ForagerMessage::Hello(_)
            | ForagerMessage::Heartbeat(_)
            | ForagerMessage::Accept(_)
            | ForagerMessage::Log(_) => return None,
        };
        Some(Self { attempt, message: Box::new(message) })
    }
}
