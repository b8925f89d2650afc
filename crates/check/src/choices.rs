//! Which options of the choices of a model were taken: those of `if` and `do`, and their like in Argos.

use panoptes_model::{Model, ProcId, ProcessKind, StateId, TransId};
use panoptes_source::{SourceMap, Span};

/// How many options there are, and which nobody took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionSample {
    pub all: usize,
    pub taken: usize,
    pub never: Vec<NeverTaken>,
}

/// An option that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverTaken {
    pub process: String,
    /// `file:line:column`.
    pub location: String,
    /// What it begins with.
    pub statement: String,
    /// A process stood there, so that it had the choice.
    pub reached: bool,
}

/// Counts the options. `is_taken` says whether a rule was, `is_reached` whether a process stood in a control state.
pub(crate) fn options(
    model: &Model,
    sources: &SourceMap,
    is_taken: impl Fn(TransId) -> bool,
    is_reached: impl Fn(ProcId, StateId) -> bool,
) -> OptionSample {
    let mut sample = OptionSample::default();
    let processes = (0..model.processes.len() as u32).map(ProcId);
    for id in processes.filter(|id| model.process(*id).kind == ProcessKind::Process) {
        let process = model.process(id);
        for (state, control) in process.states.iter().enumerate() {
            // A statement may be several rules, as a receive of any message is. What escapes with `unless` is no option.
            let mut options: Vec<(Span, Vec<TransId>)> = Vec::new();
            for rule in control.transitions.iter().filter(|rule| model.transition(**rule).escape == 0) {
                let span = model.transition(*rule).span;
                match options.iter_mut().find(|(known, _)| *known == span) {
                    Some((_, rules)) => rules.push(*rule),
                    None => options.push((span, vec![*rule])),
                }
            }
            if options.len() < 2 {
                continue;
            }
            for (span, rules) in &options {
                sample.all += 1;
                if rules.iter().any(|rule| is_taken(*rule)) {
                    sample.taken += 1;
                    continue;
                }
                sample.never.push(NeverTaken {
                    process: process.name.clone(),
                    location: sources.user_position(*span).to_string(),
                    statement: model.transition(rules[0]).text.clone(),
                    reached: is_reached(id, StateId(state as u32)),
                });
            }
        }
    }
    // Those that somebody could have taken first.
    sample.never.sort_by_key(|option| !option.reached);
    sample
}
