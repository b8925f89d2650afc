//! The model with minimised machines: one control state for each class of strongly equivalent ones.
//!
//! A class keeps the number and the place of its first member and has the labels of all. Its rules are those of that
//! member, each once; equivalent members have the same, into the same classes.

use crate::machine::Machine;
use crate::text::Names;
use crate::{ControlState, Model, ProcId, StateId, TransId, minimise};
use std::collections::HashSet;

/// What every machine of the model looks like once it is minimised. For people: statements that became one are shown
/// once, so paths of the result are not paths of the model.
pub fn minimised(model: &Model) -> Model {
    let mut small = model.clone();
    small.transitions.clear();
    (small.waiting, small.timeouts) = (Vec::new(), Vec::new());
    for id in (0..model.processes.len() as u32).map(ProcId) {
        minimise_process(model, id, &mut small);
    }
    small
}

fn minimise_process(model: &Model, id: ProcId, small: &mut Model) {
    let process = model.process(id);
    let partition = minimise(model, id);
    debug_assert_eq!(partition.class_of.len(), Machine::of(model, id).reachable.len());
    let class = |state: StateId| partition.class_of[state.index()];
    let mut states: Vec<ControlState> = Vec::with_capacity(partition.classes);
    for (state, control) in (0..).map(StateId).zip(&process.states) {
        let Some(number) = class(state) else { continue };
        match states.get_mut(number as usize) {
            // Classes are numbered in the order of their first members.
            None => {
                let from = StateId(number);
                let mut rules = HashSet::new();
                let mut transitions = Vec::new();
                for rule in control.transitions.iter().map(|rule| model.transition(*rule)) {
                    let to = rule.to.and_then(class).map(StateId);
                    let label = Names::addresses(model).rule(&rule.guard, &rule.actions);
                    if rules.insert((label, rule.keeps_control, rule.escape, to)) {
                        transitions.push(TransId(small.transitions.len() as u32));
                        let mut rule = rule.clone();
                        (rule.from, rule.to) = (from, to);
                        small.transitions.push(rule);
                    }
                }
                states.push(ControlState { transitions, ..control.clone() });
            }
            Some(first) => {
                let new = control.labels.iter().filter(|label| !first.labels.contains(label));
                let new: Vec<String> = new.cloned().collect();
                first.labels.extend(new);
            }
        }
    }
    let process = &mut small.processes[id.index()];
    process.initial = StateId(class(process.initial).expect("the initial state is reached"));
    process.states = states;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;
    use crate::verify;

    #[test]
    fn the_result_is_a_model_that_cannot_be_minimised_further() {
        let (model, _) = sample();
        let small = minimised(&model);
        assert_eq!(verify(&small), []);
        for id in (0..model.processes.len() as u32).map(ProcId) {
            let partition = minimise(&small, id);
            assert_eq!(partition.classes, small.process(id).states.len());
            assert_eq!(partition.states, minimise(&model, id).states);
        }
    }
}
