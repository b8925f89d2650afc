//! What there is to say about the text of a model, for scripts; and the object for a model that cannot be used.

use crate::json::line_or_lines;
use panoptes_check::DiagnosticReport;
use serde::Serialize;
use std::collections::BTreeMap;

/// The form of all JSON answers of `check`. It changes when a script that reads them would have to.
pub(crate) const SCHEMA: u32 = 1;

/// One error or warning.
#[derive(Serialize)]
pub(crate) struct DiagnosticObject<'a> {
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

impl<'a> DiagnosticObject<'a> {
    pub fn all(diagnostics: &'a [DiagnosticReport]) -> Vec<DiagnosticObject<'a>> {
        let one = |diagnostic: &'a DiagnosticReport| DiagnosticObject {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            file: &diagnostic.file,
            line: diagnostic.line,
            column: diagnostic.column,
            end_line: diagnostic.end_line,
            end_column: diagnostic.end_column,
            help: diagnostic.help.as_deref(),
        };
        diagnostics.iter().map(one).collect()
    }
}

/// What a script gets for a model that cannot be used.
#[derive(Serialize)]
struct BrokenObject<'a> {
    schema: u32,
    model: &'a str,
    language: &'a str,
    verdict: Option<&'a str>,
    complete: bool,
    limits: [&'a str; 0],
    errors: [&'a str; 0],
    error_counts: BTreeMap<&'a str, u64>,
    properties: [&'a str; 0],
    diagnostics: Vec<DiagnosticObject<'a>>,
}

/// The object for a model that cannot be used, on one line if `compact`.
pub fn broken_json(model: &str, language: &str, diagnostics: &[DiagnosticReport], compact: bool) -> String {
    let object = BrokenObject {
        schema: SCHEMA,
        model,
        language,
        verdict: None,
        complete: false,
        limits: [],
        errors: [],
        error_counts: BTreeMap::new(),
        properties: [],
        diagnostics: DiagnosticObject::all(diagnostics),
    };
    line_or_lines(&object, compact)
}
