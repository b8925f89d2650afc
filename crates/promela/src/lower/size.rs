//! How much a model may declare. A state vector of a quarter of a megabyte is beyond any search, and without a bound
//! one number in the text could ask for all memory there is.

use super::Lowering;
use crate::resolve::Type;
use panoptes_source::{Diagnostic, Span};

/// Of all variables and channels together.
const BYTES_MAX: u32 = 1 << 18;

/// Of all processes together. A choice of a thousand options that can interrupt each of a thousand statements is a
/// million.
const TRANSITIONS_MAX: usize = 1_000_000;

/// Single values in one message.
pub(super) const MESSAGE_FIELDS_MAX: u32 = 1_000;

/// Of one record: arrays of arrays of them are counted where they are declared.
pub(super) const RECORD_BYTES_MAX: u32 = BYTES_MAX;

/// Records inside records: each adds its name to those of the variables in it.
pub(super) const RECORD_DEPTH_MAX: u32 = 64;

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

    /// How many transitions the model may still get.
    pub(super) fn transitions_left(&self) -> usize {
        TRANSITIONS_MAX.saturating_sub(self.model.transitions.len())
    }

    pub(super) fn report_many_transitions(&mut self, span: Span) {
        let message = format!("the processes have more than {TRANSITIONS_MAX} transitions");
        let help = "each statement in an `unless` has a transition for every way to interrupt it";
        self.report(Diagnostic::error(span, message).help(help));
    }

    pub(super) fn report_large_record(&mut self, span: Span) {
        let message = format!("a record of more than {} KiB", RECORD_BYTES_MAX / 1024);
        self.report(Diagnostic::error(span, message).help("make its arrays smaller"));
    }

    pub(super) fn report_deep_record(&mut self, span: Span) {
        let message = format!("more than {RECORD_DEPTH_MAX} records inside each other");
        self.report(
            Diagnostic::error(span, message).help("put the fields of an inner one into the outer one"),
        );
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
