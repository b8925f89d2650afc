//! How a command ends: its exit status, and failures that are told on standard error.

use crate::output;
use panoptes_check::DiagnosticReport;
use std::fmt;

/// The exit statuses that scripts rely on, and one that they should never see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All went well; for a check: complete, and no violation.
    Success = 0,
    /// A violation was found.
    Violation = 1,
    /// The model or the command line is wrong.
    Usage = 2,
    /// No violation, but not everything was looked at.
    Partial = 3,
    /// The program contradicts itself.
    Internal = 70,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that is not there.
    Usage(String),
    /// The model has errors; the text shows them all.
    Model { text: String, diagnostics: Vec<DiagnosticReport> },
    /// There is no model to read, for this reason.
    File(String),
    /// Something that must not happen did.
    Internal(String),
    /// Nobody reads what is printed any more.
    Gone,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message)
            | Failure::Model { text: message, .. }
            | Failure::File(message)
            | Failure::Internal(message) => f.write_str(message),
            Failure::Gone => f.write_str("standard output is closed"),
        }
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Did a command fail only because nobody reads what it prints? What it found stands.
    pub fn is_gone(error: &anyhow::Error) -> bool {
        matches!(error.downcast_ref(), Some(Failure::Gone))
    }

    /// Tells about an error and says with which status to end.
    pub fn report(error: &anyhow::Error) -> Status {
        match error.downcast_ref::<Failure>() {
            Some(Failure::Model { text, .. }) => {
                output::to_stderr(text);
                Status::Usage
            }
            Some(Failure::Internal(message)) => {
                output::error(&format!("internal error: {message}"));
                output::to_stderr(
                    "This is a mistake in panoptes, not in your model. Please report it with the model.\n",
                );
                Status::Internal
            }
            Some(Failure::Gone) => Status::Success,
            Some(Failure::Usage(_) | Failure::File(_)) | None => {
                output::error(&format!("{error:#}"));
                Status::Usage
            }
        }
    }
}

/// A failure of the command line.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Failure::Usage(message.into()).into()
}

/// A failure to find a model where one should be.
pub fn no_model(message: impl Into<String>) -> anyhow::Error {
    Failure::File(message.into()).into()
}
