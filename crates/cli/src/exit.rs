//! What the process ends with: one number for each kind of end.

use std::process::ExitCode;

use antfarm_client::ClientError;

/// The kinds of end that scripts can tell apart. Ordered: the worse of two is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// It is done.
    Done,
    /// What was asked about failed, or this process did.
    Failed,
    /// Something was in the way that goes away by itself; a retry is safe (`EX_TEMPFAIL`, as tools say it to foragers).
    Temporary,
    /// Refused by a fence, as tools say it to foragers.
    Fenced,
    /// The command line or a file on it makes no sense.
    Usage,
    /// The cluster refused: invalid, conflict, forbidden, overloaded.
    Refused,
    /// No leader answered, or the outcome is unknown; a retry is safe.
    Unknown,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::Refused => 4,
            Self::Temporary => 75,
            Self::Fenced => 76,
        }
    }

    /// The kind of end that an error is. What is not known to be anything else is a failure.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(Self::of_cause).unwrap_or(Self::Failed)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if let Some(stop) = cause.downcast_ref::<Stop>() {
            return Some(stop.exit);
        }
        let code = cause.downcast_ref::<ClientError>()?.exit_code();
        [Self::Usage, Self::Unknown, Self::Refused].into_iter().find(|exit| exit.code() == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// An end that we know the kind of, with what people are told.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Stop {
    exit: Exit,
    message: String,
}

impl Stop {
    /// An error that is the user's to mend.
    pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Usage, message: message.into() }.into()
    }

    /// No leader answered, or nobody knows what came of it.
    pub(crate) fn unknown(message: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Unknown, message: message.into() }.into()
    }

    /// What is in the way goes away by itself.
    pub(crate) fn temporary(message: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Temporary, message: message.into() }.into()
    }

    /// A newer attempt has been there.
    pub(crate) fn fenced(message: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Fenced, message: message.into() }.into()
    }

    /// A «no», with its reason.
    pub(crate) fn refused(message: impl Into<String>) -> anyhow::Error {
        Self { exit: Exit::Refused, message: message.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use antfarm_client::Problem;
    use anyhow::Context;

    use super::*;

    #[test]
    fn scripts_can_tell_the_ends_apart() {
        let problem = Problem {
            r#type: "urn:antfarm:problem:conflict".to_owned(),
            title: String::new(),
            status: 409,
            detail: String::new(),
            faults: Vec::new(),
        };
        let cases: [(anyhow::Error, u8); 10] = [
            (ClientError::NoServer.into(), 2),
            (ClientError::NoLeader(String::new()).into(), 3),
            (ClientError::OutcomeUnknown(String::new()).into(), 3),
            (ClientError::Refused(problem).into(), 4),
            (Stop::usage("a file cannot be read"), 2),
            (Stop::unknown("nobody leads"), 3),
            (Stop::refused("no valid graph"), 4),
            (Stop::temporary("a key is locked"), 75),
            (Stop::fenced("a newer attempt has been there"), 76),
            (anyhow::anyhow!("the disk is full"), 1),
        ];
        for (error, code) in cases {
            let error = Err::<(), _>(error).context("while it was submitted").expect_err("an error");
            assert_eq!(Exit::of(&error).code(), code, "{error:#}");
        }
    }

    #[test]
    fn of_several_ends_the_worst_counts() {
        assert!(Exit::Done < Exit::Failed && Exit::Failed < Exit::Usage);
        assert!(Exit::Usage < Exit::Refused && Exit::Refused < Exit::Unknown);
    }
}
