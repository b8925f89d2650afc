//! Statements that no step of a search executed.

use crate::wrap::one_line;
use panoptes_check::Loaded;
use panoptes_model::{Action, ProcId, ProcessKind, Transition};
use panoptes_search::Bitset;
use panoptes_source::{Position, Span};
use std::collections::{BTreeMap, HashSet};

/// One statement that was never executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub process: String,
    pub position: Position,
    /// The statement, on one line.
    pub text: String,
}

/// The statements of the model's processes that are not among the executed transitions, in the order of the text.
/// A statement is one place in the text (and one use of an inline), however many transitions it became.
pub fn unreached(loaded: &Loaded, executed: &Bitset) -> Vec<Unreached> {
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
        .map(|transition| (transition.process, transition.span, Some(transition.text.as_str())));
    let dead = (0..).map(ProcId).zip(&model.processes);
    let dead = dead.flat_map(|(id, process)| process.dead_code.iter().map(move |span| (id, *span, None)));
    let mut found = BTreeMap::new();
    for (id, span, text) in missed.chain(dead) {
        let process = model.process(id);
        if process.kind != ProcessKind::Process {
            continue;
        }
        let shown = loaded.sources.user_span(span);
        let text = || one_line(text.unwrap_or_else(|| loaded.sources.snippet(shown)));
        found.entry((id.0, shown.file.0, shown.lo)).or_insert_with(|| Unreached {
            process: process.name.clone(),
            position: loaded.sources.position(shown),
            text: text(),
        });
    }
    found.into_values().collect()
}

/// Steps that the text does not show, such as the end of a process, are not statements.
fn is_statement(transition: &Transition) -> bool {
    let is_exit = matches!(transition.actions[..], [Action::Exit]);
    !is_exit && !matches!(transition.text.as_str(), "end of choice" | "end of loop" | "-end-")
}
