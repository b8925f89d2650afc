//! Statements that no step of a search executed.

use crate::Loaded;
use panoptes_model::{Action, Expr, ProcId, ProcessKind, Transition};
use panoptes_search::Bitset;
use panoptes_source::{Diagnostic, Position, Span, Warning};
use std::collections::{BTreeMap, HashSet};

/// One statement that was never executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub process: String,
    pub position: Position,
    /// The statement, on one line.
    pub text: String,
    pub span: Span,
    /// It asserts something that can fail: `assert(false)` is there to mark a place that is not reached.
    pub is_assertion: bool,
}

impl Unreached {
    /// An assertion that is never reached says nothing, however well the search ended.
    pub fn warning(&self) -> Option<Diagnostic> {
        let message =
            format!("no execution of `{}` reaches this assertion: it was never checked", self.process);
        let help = "see which statement before it is never executed; `assert(false)` marks a place that must not be \
                    reached";
        let warning = Diagnostic::warning(Warning::UnreachedAssertion, self.span, message).help(help);
        self.is_assertion.then_some(warning)
    }
}

/// The statements of the model's processes that are not among the executed transitions, in the order of the text.
/// A statement is one place in the text (and one use of an inline), however many transitions it became.
pub(super) fn unreached(loaded: &Loaded, executed: &Bitset) -> Vec<Unreached> {
    let model = &loaded.model;
    let reached: HashSet<(ProcId, Span)> = executed
        .iter()
        .filter_map(|number| model.transitions.get(number))
        .map(|transition| (transition.process, transition.span))
        .collect();
    let missed = model
        .transitions
        .iter()
        .filter(|transition| is_statement(transition))
        .filter(|transition| !reached.contains(&(transition.process, transition.span)))
        .map(|transition| (transition.process, transition.span, Some(transition)));
    let dead = (0..).map(ProcId).zip(&model.processes);
    let dead = dead.flat_map(|(id, process)| process.dead_code.iter().map(move |span| (id, *span, None)));
    let mut found = BTreeMap::new();
    for (id, span, missed) in missed.chain(dead) {
        let process = model.process(id);
        if process.kind != ProcessKind::Process {
            continue;
        }
        let shown = loaded.sources.user_span(span);
        let text = || one_line(missed.map_or(loaded.sources.snippet(shown), |transition| &transition.text));
        let is_assertion = || missed.is_some_and(asserts) || missed.is_none() && asserts_text(&text());
        found.entry((id.0, shown.file.0, shown.lo)).or_insert_with(|| Unreached {
            process: process.name.clone(),
            position: loaded.sources.position(shown),
            text: text(),
            span,
            is_assertion: is_assertion(),
        });
    }
    found.into_values().collect()
}

/// Is this an assertion of the user that looks at something?
fn asserts(transition: &Transition) -> bool {
    transition.actions.iter().any(|action| match action {
        Action::Assert { condition, requirement: None, .. } => {
            let looks = |e: &Expr| !matches!(e, Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..));
            condition.any(&looks)
        }
        _ => false,
    })
}

/// The same for code that became no transition, because no path in the text leads to it.
fn asserts_text(text: &str) -> bool {
    let condition = text.strip_prefix("assert").map(|rest| rest.trim_matches([' ', '(', ')', ';']));
    condition.is_some_and(|condition| !["false", "0"].contains(&condition))
}

/// Steps that the text does not show, such as the end of a process, are not statements.
fn is_statement(transition: &Transition) -> bool {
    let is_exit = matches!(transition.actions[..], [Action::Exit]);
    !is_exit && !matches!(transition.text.as_str(), "end of choice" | "end of loop" | "-end-")
}

/// On one line, whatever white space it has.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
