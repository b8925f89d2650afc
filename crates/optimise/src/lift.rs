//! From what was found in a minimised model back to the model as it was.
//!
//! A process of the minimised model stands at a state that stands for a class of equivalent ones; in the model as it was the
//! same process stands at some member of that class. A rule that it takes there has a twin that leaves the member: equal in
//! label and in the class that it leads to. Going along a path and taking twins gives a path of the model, as long and with
//! the same effect. No state vector is needed for that, only where each process stands.

use panoptes_model::{Model, ProcId, StateId, TransId};
use std::collections::{HashMap, HashSet};

/// How to get from a path of the optimised model to a path of the model that it was made from.
#[derive(Clone, Debug, Default)]
pub struct Lift {
    /// By process type; none where nothing was merged.
    pub(crate) processes: Vec<Option<Merged>>,
}

/// The minimisation of one process type.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    /// For each control state, the one that stands for its class.
    pub stands_for: Vec<StateId>,
    /// A number for label and class of the target of each rule that can be taken.
    pub effects: HashMap<TransId, u32>,
    pub states_saved: usize,
}

impl Lift {
    fn of(&self, id: ProcId) -> Option<&Merged> {
        self.processes.get(id.index())?.as_ref()
    }

    /// Is every path what it seems?
    pub fn is_trivial(&self) -> bool {
        self.processes.iter().all(Option::is_none)
    }

    pub(crate) fn states_saved(&self) -> usize {
        self.processes.iter().flatten().map(|merged| merged.states_saved).sum()
    }

    /// The rule of `model`, as it was, that a process at control state `at` takes where the optimised one takes `rule`.
    /// None if there is no such rule, which is a mistake of the search.
    pub fn rule(&self, model: &Model, at: StateId, rule: TransId) -> Option<TransId> {
        let id = model.transition(rule).process;
        let Some(merged) = self.of(id) else { return Some(rule) };
        let effect = merged.effects.get(&rule)?;
        let rules = &model.process(id).states[at.index()].transitions;
        rules.iter().find(|own| merged.effects.get(own) == Some(effect)).copied()
    }

    /// For each rule of `model`, as it was, whether it counts as executed where these rules of the optimised model were:
    /// if a process can come to its state by rules that do, and its twin there was executed.
    ///
    /// That a twin was taken somewhere does not say from which member of the class. So of equal statements that are all
    /// come to, some may count as executed that no execution takes; none is missed that one takes.
    pub fn executed(&self, model: &Model, executed: &dyn Fn(TransId) -> bool) -> Vec<bool> {
        let mut found: Vec<bool> =
            (0..model.transitions.len() as u32).map(|id| executed(TransId(id))).collect();
        for (id, process) in (0..).map(ProcId).zip(&model.processes) {
            let Some(merged) = self.of(id) else { continue };
            let states = &process.states;
            let all = states.iter().flat_map(|state| &state.transitions);
            all.for_each(|rule| found[rule.index()] = false);
            let mut seen = vec![false; states.len()];
            let mut todo = vec![process.initial];
            while let Some(state) = todo.pop() {
                if std::mem::replace(&mut seen[state.index()], true) {
                    continue;
                }
                let taken = &states[merged.stands_for[state.index()].index()].transitions;
                let taken = taken.iter().filter(|rule| executed(**rule));
                let taken: HashSet<&u32> = taken.filter_map(|rule| merged.effects.get(rule)).collect();
                for rule in &states[state.index()].transitions {
                    if merged.effects.get(rule).is_some_and(|effect| taken.contains(effect)) {
                        found[rule.index()] = true;
                        todo.extend(model.transition(*rule).to);
                    }
                }
            }
        }
        found
    }
}
