//! The automaton of one process type as a graph: what can be reached in it, where it ends, how large it is.
//!
//! The end state always counts, as in the papers on the tracer, even where no path leads to it (a loop without a way
//! out): a state whose only rule is to exit, or one without rules, is the end state; where no such state can be
//! reached the end state is implicit.

use crate::{Action, Guard, Model, ProcId, StateId, TransId, Transition};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// For each control state: can it be reached from the initial one, all guards taken as true?
    pub reachable: Vec<bool>,
    /// No end state can be reached; one is counted all the same.
    pub implicit_end: bool,
    /// Reachable control states and the end state.
    pub states: usize,
    /// Rules that leave a reachable state, without the exit from the end state.
    pub transitions: usize,
}

impl Machine {
    pub fn of(model: &Model, id: ProcId) -> Machine {
        let process = model.process(id);
        let mut reachable = vec![false; process.states.len()];
        let mut todo = vec![process.initial];
        reachable[process.initial.index()] = true;
        while let Some(from) = todo.pop() {
            for transition in &process.states[from.index()].transitions {
                if let Some(to) = model.transition(*transition).to
                    && !std::mem::replace(&mut reachable[to.index()], true)
                {
                    todo.push(to);
                }
            }
        }
        let reached = || (0..).map(StateId).zip(&reachable).filter(|(_, yes)| **yes).map(|(state, _)| state);
        let implicit_end = !reached().any(|state| is_end_state(model, id, state));
        let leaving = reached().filter(|state| !is_end_state(model, id, *state));
        let transitions = leaving.map(|state| process.states[state.index()].transitions.len()).sum();
        let states = reached().count() + usize::from(implicit_end);
        Machine { reachable, implicit_end, states, transitions }
    }
}

/// Does the process have nothing left to do here but to exit?
pub(crate) fn is_end_state(model: &Model, process: ProcId, state: StateId) -> bool {
    let exits = |id: &TransId| is_plain_exit(model.transition(*id));
    model.process(process).states[state.index()].transitions.iter().all(exits)
}

fn is_plain_exit(transition: &Transition) -> bool {
    matches!(transition.guard, Guard::Always) && matches!(transition.actions[..], [Action::Exit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{EVENTS, RECEIVER, SENDER, add, sample, state};

    #[test]
    fn the_end_state_is_the_one_that_exits() {
        let machine = Machine::of(&sample().0, SENDER);
        assert_eq!((machine.states, machine.transitions, machine.implicit_end), (3, 4, false));
        let machine = Machine::of(&sample().0, RECEIVER);
        assert_eq!((machine.states, machine.transitions, machine.implicit_end), (3, 3, false));
    }

    #[test]
    fn a_loop_without_a_way_out_has_an_end_state_too() {
        let machine = Machine::of(&sample().0, EVENTS);
        assert_eq!((machine.states, machine.transitions, machine.implicit_end), (2, 1, true));
    }

    #[test]
    fn what_cannot_be_reached_does_not_count() {
        let mut model = sample().0;
        model.processes[SENDER.index()].states.push(state(4));
        add(&mut model, SENDER, (3, Some(0)), Guard::Always, vec![], "from nowhere", 11);
        let machine = Machine::of(&model, SENDER);
        assert_eq!((machine.states, machine.transitions), (3, 4));
        assert_eq!(machine.reachable, [true, true, true, false]);
    }
}
