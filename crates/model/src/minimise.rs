//! Strong-equivalence minimisation of one process's automaton, by partition refinement.
//!
//! Two control states are equivalent if they have the same flags and every rule of one has a rule of the other with
//! the same label into an equivalent state. The label is the whole rule (guard and actions by the bytes they touch,
//! not by name), whether it keeps control, and its escape. This is the equivalence of Milner's CCS that Holzmann's
//! tracer used to shrink its machines (*Tracing Protocols*, AT&T Technical Journal 1985, section 4.1): language
//! equivalence would merge choices made at different times and so hide a deadlock. The text of an assertion is part of
//! the label, because it is what an error says; the place of a rule in the source is not.
//!
//! The partition is refined in n log n steps (`refine.rs`). Two additions to the textbook: the order of a
//! state's rules counts where one of them is an escape or an `otherwise`, because its meaning depends on the rules
//! before it; and a state that some expression asks for by number stands alone. Rules that are never taken do not count,
//! but the channels that a state waits for with them do (`waiting.rs`).
//! (Where the model asks for control points as numbers, the classes are a count for people, not a licence to merge.)

use crate::machine::{Machine, is_end_state};
use crate::refine::{Edge, coarsest};
use crate::text::Names;
use crate::{AwaitedQueue, Estimate, Expr, Formula, Guard, Model, ProcId, StateId, TransId, Transition};
use std::collections::{HashMap, HashSet};

/// The control states of one process, sorted into classes of equivalent ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The class of each control state, counted from zero in the order of their first members; none if unreachable.
    pub class_of: Vec<Option<u32>>,
    /// How many classes have members.
    pub classes: usize,
    /// The states of the minimised machine: the classes, and the end state where it is implicit.
    pub states: usize,
}

/// The coarsest partition of the reachable control states of `process` that strong equivalence allows.
pub fn minimise(model: &Model, process: ProcId) -> Partition {
    let machine = Machine::of(model, process);
    let equivalence = Equivalence::of(model, process, &states_asked_for(model), &machine.reachable);
    let (class_of, classes) = (equivalence.class_of, equivalence.classes);
    Partition { class_of, classes, states: classes + usize::from(machine.implicit_end) }
}

/// Which control states of one process are equivalent, and which of its rules are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// The class of each control state, counted from zero in the order of their first members; none if it cannot be reached.
    pub class_of: Vec<Option<u32>>,
    pub classes: usize,
    /// The rules that leave states that can be reached, by control state and in their order, each with its label. Rules
    /// of equivalent states with equal labels into equivalent states do the same.
    pub rules: Vec<(TransId, u32)>,
}

impl Equivalence {
    /// The coarsest strong equivalence of the states that can be reached. Each of those in `asked_for` stands alone.
    pub fn of(
        model: &Model,
        process: ProcId,
        asked_for: &HashSet<(ProcId, u16)>,
        reachable: &[bool],
    ) -> Equivalence {
        let reached: Vec<StateId> =
            (0..).map(StateId).zip(reachable).filter(|(_, yes)| **yes).map(|(state, _)| state).collect();
        let states = &model.process(process).states;
        // What is gone is a state, too: the last.
        let mut index_of = vec![None; states.len()];
        reached.iter().enumerate().for_each(|(index, state)| index_of[state.index()] = Some(index));
        let gone = reached.len();

        let waiting = model.waiting.iter().filter(|waiting| waiting.process == process);
        let waiting: HashMap<StateId, &[AwaitedQueue]> =
            waiting.map(|waiting| (waiting.state, &waiting.queues[..])).collect();
        let mut kinds = HashMap::new();
        let initial = reached.iter().map(|state| {
            let control = &states[state.index()];
            let alone = asked_for.contains(&(process, control.number)).then_some(control.number);
            let is_end = is_end_state(model, process, *state);
            let kind = (control.end, control.progress, control.accepting, is_end, alone, waiting.get(state));
            let next = kinds.len();
            *kinds.entry(kind).or_insert(next)
        });
        let mut initial: Vec<usize> = initial.collect();
        initial.push(usize::MAX);
        let rules = labelled_rules(model, process, &reached);
        let target = |to: Option<StateId>| to.and_then(|to| index_of[to.index()]).unwrap_or(gone);
        let edge = |(id, label): &(TransId, u32)| {
            let rule = model.transition(*id);
            Edge { from: target(Some(rule.from)), label: *label as usize, to: target(rule.to) }
        };
        let refined = coarsest(&initial, &rules.iter().map(edge).collect::<Vec<_>>());

        let mut class_of = vec![None; states.len()];
        let mut numbers = HashMap::new();
        for (index, state) in reached.iter().enumerate() {
            let next = numbers.len() as u32;
            class_of[state.index()] = Some(*numbers.entry(refined[index]).or_insert(next));
        }
        Equivalence { class_of, classes: numbers.len(), rules }
    }
}

/// The rules of the reached states with their labels as numbers; those that are never taken are left out.
fn labelled_rules(model: &Model, process: ProcId, reached: &[StateId]) -> Vec<(TransId, u32)> {
    let mut labels: HashMap<(String, usize), u32> = HashMap::new();
    let mut found = Vec::new();
    for state in reached {
        let ids = &model.process(process).states[state.index()].transitions;
        let rules: Vec<(TransId, &Transition)> = ids
            .iter()
            .map(|id| (*id, model.transition(*id)))
            .filter(|(_, rule)| !is_never_taken(rule))
            .collect();
        let looks_back =
            rules.iter().any(|(_, rule)| rule.escape != 0 || matches!(rule.guard, Guard::Otherwise));
        for (place, (id, rule)) in rules.into_iter().enumerate() {
            let place = if looks_back { place } else { 0 };
            let next = labels.len() as u32;
            found.push((id, *labels.entry((label(model, rule), place)).or_insert(next)));
        }
    }
    found
}

/// Does the guard never hold, whatever the state? Passes over a model leave such rules where they were.
pub fn is_never_taken(rule: &Transition) -> bool {
    matches!(rule.guard, Guard::When(Expr::Const(0)))
}

fn label(model: &Model, transition: &Transition) -> String {
    let label = Names::addresses(model).rule(&transition.guard, &transition.actions);
    format!("{label} / {} / {}", transition.keeps_control, transition.escape)
}

/// The process types and the numbers of the states that expressions anywhere in the model ask for.
pub fn states_asked_for(model: &Model) -> HashSet<(ProcId, u16)> {
    let mut numbers = HashSet::new();
    walk_everything(model, &mut |e| {
        if let Expr::AtState { process, state, .. } = e {
            numbers.insert((*process, *state));
        }
    });
    numbers
}

/// Does some expression ask for a control state as a number?
pub fn asks_for_numbers(model: &Model) -> bool {
    let mut asks = false;
    walk_everything(model, &mut |e| asks |= matches!(e, Expr::ControlPoint(_)));
    asks
}

/// Calls `visit` on every expression, those of claims and properties included.
fn walk_everything(model: &Model, visit: &mut dyn FnMut(&Expr)) {
    model.walk_rules(visit);
    for transition in &model.transitions {
        if let Guard::When(e) = &transition.guard {
            e.walk(visit);
        }
        transition.actions.iter().for_each(|action| action.walk(visit));
    }
    model.requirements.iter().for_each(|requirement| requirement.fulfilled.walk(visit));
    model.temporal.iter().for_each(|property| Formula::walk(&property.formula, visit));
    model.invariants.iter().for_each(|invariant| invariant.condition.walk(visit));
    model.estimate.iter().flat_map(Estimate::exprs).for_each(|e| e.walk(visit));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{add, at, constant, process, send, state};
    use crate::{Action, Pattern, ProcessKind, Receive};

    fn machine(edges: &[(u32, u32, Action)]) -> Model {
        let mut model = Model::default();
        let mut only = process("only", ProcessKind::Process, 4, at(1));
        let last = edges.iter().flat_map(|(from, to, _)| [*from, *to]).max().unwrap_or(0);
        only.states = (0..=last).map(|number| state(number as u16)).collect();
        model.processes.push(only);
        for (from, to, action) in edges {
            add(&mut model, ProcId(0), (*from, Some(*to)), Guard::Always, vec![action.clone()], "", 1);
        }
        model
    }

    fn take(channel: i32, value: i32) -> Action {
        let patterns = vec![Pattern::Match(constant(value))];
        Action::Receive(Receive { channel: constant(channel), patterns, random: false, peek: false })
    }

    fn give(value: i32) -> Action {
        send(9, vec![constant(value)])
    }

    /// The redundant receiver of Holzmann's TSE 1987 paper, section IV: 7 states, 4 of them needed (one is the end state).
    #[test]
    fn a_receiver_written_twice_is_the_receiver_written_once() {
        let redundant = machine(&[
            (0, 1, take(1, 1)),
            (1, 2, give(1)),
            (0, 3, take(1, 0)),
            (3, 0, give(0)),
            (2, 4, take(1, 0)),
            (4, 0, give(0)),
            (2, 5, take(1, 1)),
            (5, 2, give(1)),
        ]);
        assert_eq!(Machine::of(&redundant, ProcId(0)).states, 7);
        let partition = minimise(&redundant, ProcId(0));
        assert_eq!((partition.classes, partition.states), (3, 4));
        assert_eq!(partition.class_of, [0, 1, 0, 2, 2, 1].map(Some));
    }

    /// Language equivalence would merge the two receives and hide that the early choice can block.
    #[test]
    fn choices_made_at_different_times_are_different() {
        let keep = machine(&[(0, 1, take(1, 1)), (0, 2, take(1, 1)), (1, 3, take(2, 1)), (2, 3, take(2, 2))]);
        assert_eq!(minimise(&keep, ProcId(0)).states, 4);
    }

    #[test]
    fn flags_control_and_escapes_tell_states_apart() {
        let twins = || machine(&[(0, 1, give(1)), (0, 2, give(1)), (1, 0, give(2)), (2, 0, give(2))]);
        let classes = |model: &Model| minimise(model, ProcId(0)).classes;
        assert_eq!(classes(&twins()), 2);
        let changes: [fn(&mut Model); 5] = [
            |model| model.processes[0].states[1].end = true,
            |model| model.processes[0].states[1].progress = true,
            |model| model.processes[0].states[1].accepting = true,
            |model| model.transitions[2].keeps_control = true,
            |model| model.transitions[2].escape = 1,
        ];
        for change in changes {
            let mut model = twins();
            change(&mut model);
            assert_eq!(classes(&model), 3);
        }
    }

    /// What fails is told by its text.
    #[test]
    fn assertions_in_other_words_are_different() {
        let assertion =
            |text: &str| Action::Assert { condition: constant(1), text: text.to_owned(), requirement: None };
        let twins = |second: &str| {
            let (first, second) = (assertion("ready"), assertion(second));
            machine(&[(0, 1, give(1)), (0, 2, give(1)), (1, 0, first), (2, 0, second)])
        };
        assert_eq!(minimise(&twins("ready"), ProcId(0)).classes, 2);
        assert_eq!(minimise(&twins("not broken"), ProcId(0)).classes, 3);
    }

    #[test]
    fn what_is_never_taken_does_not_count() {
        let mut model = machine(&[(0, 1, give(1)), (0, 2, give(1)), (1, 0, give(2)), (2, 0, give(2))]);
        add(&mut model, ProcId(0), (1, Some(2)), Guard::When(constant(0)), vec![], "", 1);
        assert_eq!(minimise(&model, ProcId(0)).classes, 2);
    }

    #[test]
    fn a_state_asked_for_stands_alone() {
        let mut model = machine(&[(0, 1, give(1)), (0, 2, give(1)), (1, 0, give(2)), (2, 0, give(2))]);
        let at_two =
            Expr::AtState { process: ProcId(0), pid: Box::new(constant(0)), state: 2, label: String::new() };
        model.temporal.push(crate::TemporalProperty {
            name: "p".to_owned(),
            formula: Formula::Always(Box::new(Formula::Atom(at_two))),
            span: at(1),
        });
        assert_eq!(minimise(&model, ProcId(0)).classes, 3);
    }

    #[test]
    fn order_counts_where_a_rule_looks_back() {
        let build = |second_first: bool| {
            let mut model = machine(&[(0, 1, give(1)), (0, 2, give(1))]);
            for (from, flipped) in [(1, false), (2, second_first)] {
                let mut guards = [Guard::When(Expr::Timeout), Guard::Otherwise];
                if flipped {
                    guards.reverse();
                }
                for guard in guards {
                    add(&mut model, ProcId(0), (from, Some(0)), guard, vec![], "", 1);
                }
            }
            minimise(&model, ProcId(0)).classes
        };
        assert_eq!(build(false), 2);
        assert_eq!(build(true), 3);
    }
}
