//! How much a model may declare. A state vector of a quarter of a megabyte is beyond any search, and without a bound
//! one number in the text could ask for all memory there is.

use super::Lowering;
use crate::resolve::Type;
use panoptes_source::{Diagnostic, Span};

/// Of all variables and channels together.
const BYTES_MAX: u32 = 1 << 18;

/// Single values in one message.
pub(super) const MESSAGE_FIELDS_MAX: u32 = 1_000;

/// Of one record: arrays of arrays of them are counted where they are declared.
pub(super) const RECORD_BYTES_MAX: u32 = BYTES_MAX;

impl Lowering<'_> {
    /// Counts the bytes of a declaration. False, and reported, if there are too many.
    pub(super) fn claim(&mut self, ty: Type, array: Option<u32>, span: Span) -> bool {
        self.claim_bytes(self.symbols.total_bytes(ty, array), span)
    }

    pub(super) fn claim_bytes(&mut self, bytes: u32, span: Span) -> bool {
        let total = self.bytes_claimed.saturating_add(bytes);
        if total > BYTES_MAX {
            let message = format!("the variables and channels take more than {} KiB", BYTES_MAX / 1024);
            let help =
                "a search keeps many states: make the arrays and channels as small as the protocol allows";
            self.report(Diagnostic::error(span, message).help(help));
            return false;
        }
        self.bytes_claimed = total;
        true
    }

    pub(super) fn report_large_record(&mut self, span: Span) {
        let message = format!("a record of more than {} KiB", RECORD_BYTES_MAX / 1024);
        self.report(Diagnostic::error(span, message).help("make its arrays smaller"));
    }

    pub(super) fn report_many_channels(&mut self, span: Span) {
        let diagnostic = Diagnostic::error(span, "more than 255 channels")
            .help("a channel's number is one byte; every element of an array of channels counts");
        self.report(diagnostic);
    }

    pub(super) fn report_many_fields(&mut self, span: Span) {
        let message = format!("a message of more than {MESSAGE_FIELDS_MAX} values");
        self.report(Diagnostic::error(span, message).help("every element of an array in a record is one"));
    }
}
