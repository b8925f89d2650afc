//! A message to the user about a place in the source.

use crate::{Position, SourceMap, Span, Warning};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Another place that helps to understand the first.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub message: String,
}

/// What is wrong, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A short name that stays the same when the words change: the name of the warning, or the kind of error.
    pub code: &'static str,
    /// Which warning this is; an error is none.
    pub warning: Option<Warning>,
    pub message: String,
    pub span: Span,
    pub labels: Vec<Label>,
    pub help: Option<String>,
}

/// The code of an error that no one has named more closely.
const UNNAMED: &str = "error";

/// More errors, or more warnings, than this help nobody.
const EACH_MAX: usize = 200;

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: UNNAMED,
            warning: None,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    pub fn warning(warning: Warning, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            code: warning.name(),
            warning: Some(warning),
            ..Diagnostic::error(span, message)
        }
    }

    /// Names the kind of an error.
    pub fn code(mut self, code: &'static str) -> Diagnostic {
        self.code = code;
        self
    }

    /// Names the kind of those errors that have no name yet: after the part of a front end that found them.
    pub fn name_unnamed(diagnostics: &mut [Diagnostic], code: &'static str) {
        for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == UNNAMED) {
            diagnostic.code = code;
        }
    }

    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// A help line if there is something to say.
    pub fn help_if(self, help: Option<String>) -> Diagnostic {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Is there room for this one among what is told already? Warnings never keep an error out.
    pub fn fits(&self, told: &[Diagnostic]) -> bool {
        told.iter().filter(|other| other.severity == self.severity).count() < EACH_MAX
    }

    /// Adds this one to what is told already, if it fits.
    pub fn add_to(self, told: &mut Vec<Diagnostic>) {
        if self.fits(told) {
            told.push(self);
        }
    }

    /// The place that a reader of the model would look at, from its first character to the one behind its last.
    pub fn range(&self, sources: &SourceMap) -> (Position, Position) {
        let span = sources.user_span(self.span);
        let end = Span { lo: span.hi.max(span.lo), ..span };
        (sources.position(span), sources.position(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_never_keep_an_error_out() {
        let (mut told, span) = (Vec::new(), Span::default());
        for _ in 0..EACH_MAX + 1 {
            Diagnostic::warning(Warning::HashWarning, span, "odd").add_to(&mut told);
        }
        for _ in 0..EACH_MAX + 1 {
            Diagnostic::error(span, "wrong").add_to(&mut told);
        }
        let errors = told.iter().filter(|diagnostic| diagnostic.is_error()).count();
        assert_eq!((errors, told.len()), (EACH_MAX, 2 * EACH_MAX));
    }
}
