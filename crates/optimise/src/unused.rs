//! What need not be done: statements that cannot be reached, assertions that always hold, prints, and values that
//! nobody ever reads.
//!
//! Transitions keep their numbers: one that can never be taken stays, with a guard that never holds.

use crate::code::{Code, block_owners, each_code, written};
use crate::facts::Facts;
use crate::local::Local;
use crate::ranges::{Interval, Ranges};
use panoptes_model::{Action, Expr, Guard, Model, Pattern, Place, ProcId, ProcessKind, Region};
use std::collections::HashSet;

/// Removes what has no effect. How many transitions and actions.
pub(crate) fn remove(model: &mut Model, facts: &Facts, ranges: &Ranges<'_>) -> usize {
    let dead = unreachable(model, facts, ranges);
    let mut count = 0;
    for (transition, is_dead) in model.transitions.iter_mut().zip(dead) {
        if is_dead && transition.to.is_some() {
            transition.guard = Guard::When(Expr::Const(0));
            transition.actions.clear();
            count += 1;
        }
    }
    count + remove_actions(model, facts, ranges)
}

/// For each transition: can no execution take it, as the form of the automaton and of the guards shows?
fn unreachable(model: &Model, facts: &Facts, ranges: &Ranges<'_>) -> Vec<bool> {
    let mut is_dead = vec![true; model.transitions.len()];
    let mut started: Vec<bool> = vec![false; model.processes.len()];
    let mut todo: Vec<ProcId> = model.initial.iter().map(|initial| initial.process).collect();
    // Claims and monitors are not ours to judge.
    todo.extend(
        (0..)
            .map(ProcId)
            .zip(&model.processes)
            .filter_map(|(id, process)| (process.kind != ProcessKind::Process).then_some(id)),
    );
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut started[id.index()], true) {
            continue;
        }
        let process = model.process(id);
        let mut seen = vec![false; process.states.len()];
        let mut states = vec![process.initial];
        while let Some(state) = states.pop() {
            if std::mem::replace(&mut seen[state.index()], true) {
                continue;
            }
            for number in &process.states[state.index()].transitions {
                let transition = model.transition(*number);
                let never = |condition: &Expr| ranges.value(Some(id), condition) == Interval::only(0);
                let local = Local { model, facts, ranges, process: id };
                if let Guard::When(condition) = &transition.guard
                    && process.kind == ProcessKind::Process
                    && never(condition)
                    && local.cannot_fail(condition)
                {
                    continue;
                }
                is_dead[number.index()] = false;
                states.extend(transition.to);
                transition.actions.iter().for_each(|action| started_by(model, action, &mut todo));
            }
        }
    }
    is_dead
}

/// The process types that an action starts, also through blocks.
fn started_by(model: &Model, action: &Action, found: &mut Vec<ProcId>) {
    match action {
        Action::Spawn(spawn) => found.push(spawn.process),
        Action::Block(id) => {
            let steps = model.block(*id).nodes.iter().flat_map(|node| &node.steps);
            steps.flat_map(|step| &step.actions).for_each(|action| started_by(model, action, found));
        }
        _ => {}
    }
    action.walk(&mut |e| {
        if let Expr::Spawn(spawn) = e {
            found.push(spawn.process);
        }
    });
}

/// Removes single actions that have no effect in a search.
fn remove_actions(model: &mut Model, facts: &Facts, ranges: &Ranges<'_>) -> usize {
    let unread = Unread::of(model, facts, ranges);
    let mut changes: Vec<(usize, Vec<Action>)> = Vec::new();
    let mut count = 0;
    for (index, transition) in model.transitions.iter().enumerate() {
        if !may_change(model, transition.process) {
            continue;
        }
        let local = Local { model, facts, ranges, process: transition.process };
        let simple: Vec<Simpler> =
            transition.actions.iter().map(|action| simpler(&local, &unread, action)).collect();
        let changed = simple.iter().filter(|simpler| !matches!(simpler, Simpler::Same)).count();
        if changed > 0 {
            count += changed;
            let kept = transition.actions.iter().zip(simple).filter_map(|(action, simpler)| match simpler {
                Simpler::Same => Some(action.clone()),
                Simpler::Other(action) => Some(action),
                Simpler::Nothing => None,
            });
            changes.push((index, kept.collect()));
        }
    }
    for (index, actions) in changes {
        model.transitions[index].actions = actions;
    }
    count
}

/// An empty step of a deterministic process is not watched for company, another one is: those stay as they are.
fn may_change(model: &Model, id: ProcId) -> bool {
    let process = model.process(id);
    process.kind == ProcessKind::Process && !process.deterministic
}

enum Simpler {
    Same,
    Other(Action),
    Nothing,
}

fn simpler(local: &Local<'_>, unread: &Unread, action: &Action) -> Simpler {
    let owner = Some(local.process);
    match action {
        Action::Print { args, .. } if args.iter().all(|arg| local.cannot_fail(arg)) => Simpler::Nothing,
        Action::PrintName(e) if local.cannot_fail(e) => Simpler::Nothing,
        Action::Assert { condition, .. }
            if local.cannot_fail(condition)
                && !local.ranges.value(owner, condition).contains(Interval::only(0)) =>
        {
            Simpler::Nothing
        }
        Action::Assign { place, value }
            if unread.is_unread(local, place) && is_idle(local, place, Some(value)) =>
        {
            Simpler::Nothing
        }
        Action::Receive(receive) => {
            let idle = |pattern: &Pattern| match pattern {
                Pattern::Bind(place) => unread.is_unread(local, place) && is_idle(local, place, None),
                _ => false,
            };
            if !receive.patterns.iter().any(idle) {
                return Simpler::Same;
            }
            let mut receive = receive.clone();
            for pattern in &mut receive.patterns {
                if idle(pattern) {
                    *pattern = Pattern::Any;
                }
            }
            Simpler::Other(Action::Receive(receive))
        }
        _ => Simpler::Same,
    }
}

/// Does writing the value there do nothing else?
fn is_idle(local: &Local<'_>, place: &Place, value: Option<&Expr>) -> bool {
    local.subscripts_fit(place)
        && place.indices.iter().all(|term| local.cannot_fail(&term.index))
        && value.is_none_or(|value| local.cannot_fail(value))
}

/// The variables that nobody reads, in no state, and whose writes can all be removed: with only some of them gone, the
/// variable might have more values than before.
struct Unread {
    globals: Vec<bool>,
    locals: Vec<Vec<bool>>,
}

impl Unread {
    fn of(model: &Model, facts: &Facts, ranges: &Ranges<'_>) -> Unread {
        let mut unread = Unread {
            globals: model
                .variables
                .iter()
                .map(|variable| variable.offset >= model.header.hidden_bytes)
                .collect(),
            locals: facts.is_remote.iter().map(|remote| remote.iter().map(|read| !read).collect()).collect(),
        };
        // What is read only for values that nobody reads is not read. So what goes, or may go, is left out at first.
        let goes_perhaps = |id: ProcId, action: &Action| {
            let local = Local { model, facts, ranges, process: id };
            may_change(model, id)
                && match action {
                    Action::Assign { place, value } => is_idle(&local, place, Some(value)),
                    action => matches!(simpler(&local, &unread, action), Simpler::Nothing),
                }
        };
        let transitions = model.transitions.iter();
        let actions = transitions.flat_map(|rule| rule.actions.iter().map(|action| (rule.process, action)));
        let left_out: HashSet<*const Action> = actions
            .filter(|(id, action)| goes_perhaps(*id, action))
            .map(|(_, action)| std::ptr::from_ref(action))
            .collect();
        each_code(model, &mut |owner, code: Code<'_>| match code {
            Code::Action(action) if left_out.contains(&std::ptr::from_ref(action)) => {}
            code => {
                unread.keep_reads(facts, owner, code);
            }
        });
        // What starts with different values is better overwritten than left as it is.
        for (id, process) in (0..).map(ProcId).zip(&model.processes) {
            unread.locals[id.index()].iter_mut().take(process.param_count).for_each(|unread| *unread = false);
            let local = Local { model, facts, ranges, process: id };
            for action in &process.init {
                if let Action::Assign { place, value } = action
                    && !matches!(value, Expr::Const(_))
                {
                    unread.keep(&local, place);
                }
            }
        }
        let in_rules = model.transitions.iter().flat_map(|transition| {
            let may_change = may_change(model, transition.process);
            transition.actions.iter().map(move |action| (Some(transition.process), may_change, action))
        });
        let in_blocks = model.blocks.iter().zip(block_owners(model)).flat_map(|(block, owner)| {
            let steps = block.nodes.iter().flat_map(|node| &node.steps);
            steps.flat_map(|step| &step.actions).map(move |action| (owner, false, action))
        });
        let writes: Vec<_> =
            in_rules.chain(in_blocks).filter_map(|(id, yes, action)| Some((id?, yes, action))).collect();
        loop {
            let mut changed = false;
            for (id, may_change, action) in &writes {
                let local = Local { model, facts, ranges, process: *id };
                let value = match action {
                    Action::Assign { value, .. } => Some(value),
                    _ => None,
                };
                for place in written(action) {
                    let goes =
                        *may_change && unread.is_unread(&local, place) && is_idle(&local, place, value);
                    changed |= !goes && unread.keep(&local, place);
                    changed |= !goes && unread.keep_reads(facts, Some(*id), Code::Action(action));
                }
            }
            if !changed {
                return unread;
            }
        }
    }

    /// Counts as read what the code reads; true if some of it was not.
    fn keep_reads(&mut self, facts: &Facts, owner: Option<ProcId>, code: Code<'_>) -> bool {
        let mut changed = false;
        code.walk(&mut |e| {
            let Expr::Load(place) = e else { return };
            let (space, unread) = match (place.region, owner) {
                (Region::Global, _) => (&facts.globals, &mut self.globals),
                (Region::Local, Some(id)) => (&facts.locals[id.index()], &mut self.locals[id.index()]),
                (Region::Local, None) => return,
            };
            for index in space.reached(place) {
                changed |= std::mem::replace(&mut unread[index], false);
            }
        });
        changed
    }

    /// Counts all that the place can be as read; true if some of it was not.
    fn keep(&mut self, local: &Local<'_>, place: &Place) -> bool {
        let id = local.process.index();
        let (space, unread) = match place.region {
            Region::Global => (&local.facts.globals, &mut self.globals),
            Region::Local => (&local.facts.locals[id], &mut self.locals[id]),
        };
        let mut changed = false;
        for index in space.reached(place) {
            changed |= std::mem::replace(&mut unread[index], false);
        }
        changed
    }

    fn is_unread(&self, local: &Local<'_>, place: &Place) -> bool {
        let id = local.process.index();
        let (space, unread) = match place.region {
            Region::Global => (&local.facts.globals, &self.globals),
            Region::Local => (&local.facts.locals[id], &self.locals[id]),
        };
        let mut reached = space.reached(place).peekable();
        reached.peek().is_some() && reached.all(|index| unread[index])
    }
}
