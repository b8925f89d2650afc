//! Statement merging: a step that leads to where only private steps follow keeps control.
//!
//! What a process does there concerns nobody else, nobody else can prevent it, and something can always be done. So it
//! may as well be done at once: whatever others could do before they can do after. The state in between is then not
//! stored, and not combined with everything that others might do meanwhile.
//!
//! One thing that others can tell is where a process stands ready for a rendezvous. It matters only where that a send
//! *can* be taken takes something else away: an alternative (`else`, or what an escape interrupts), or the chance of
//! others while an indivisible sequence is stuck. Processes that such a send may meet are left alone.
//!
//! In every circle of the automaton at least one state stays, so that nobody keeps control for ever.

use crate::facts::Facts;
use crate::local::Local;
use crate::ranges::{At, Ranges};
use panoptes_model::{Action, Guard, Model, ProcId, ProcessKind, StateId, Transition};

/// Sets `keeps_control` where that is sound. How many steps were changed.
pub(crate) fn merge(model: &mut Model, facts: &Facts, ranges: &Ranges<'_>) -> usize {
    if facts.has_onlookers {
        return 0;
    }
    let mut passed: Vec<Vec<bool>> = Vec::new();
    let delicate = delicate_rendezvous(model, ranges);
    for id in (0..model.processes.len() as u32).map(ProcId) {
        let local = Local { model, facts, ranges, process: id };
        let is_met = received(model, ranges, id).iter().any(|channel| delicate.contains(channel));
        passed.push(match is_met {
            true => vec![false; model.process(id).states.len()],
            false => transients(&local),
        });
    }
    let mut merged = 0;
    for transition in &mut model.transitions {
        let leads_to = transition.to.is_some_and(|to| passed[transition.process.index()][to.index()]);
        if leads_to && !transition.keeps_control {
            transition.keeps_control = true;
            merged += 1;
        }
    }
    merged
}

/// The control states that need not be seen by others.
fn transients(local: &Local<'_>) -> Vec<bool> {
    let (model, id) = (local.model, local.process);
    let process = model.process(id);
    let is_plain = process.kind == ProcessKind::Process
        && process.provided.is_none()
        && !process.deterministic
        && !local.facts.is_located[id.index()];
    if !is_plain {
        return vec![false; process.states.len()];
    }
    let rules = |state: StateId| -> Vec<(&Guard, &[Action])> {
        let transitions = process.states[state.index()].transitions.iter().map(|id| model.transition(*id));
        transitions.map(|transition| (&transition.guard, &transition.actions[..])).collect()
    };
    // A step that begins an indivisible sequence must not be pulled forward: what follows it would come along.
    let lets_go = |state: StateId| {
        process.states[state.index()].transitions.iter().all(|id| !model.transition(*id).keeps_control)
    };
    let states = || (0..process.states.len() as u32).map(StateId);
    let mut passed: Vec<bool> =
        states().map(|state| lets_go(state) && local.always_moves_privately(&rules(state))).collect();
    break_circles(model, id, &mut passed);
    let chooses: Vec<bool> = states().map(|state| local.may_choose(&rules(state))).collect();
    limit_choices(model, id, &chooses, &mut passed);
    passed
}

/// The channels without slots on which a send that can be taken takes something else away.
fn delicate_rendezvous(model: &Model, ranges: &Ranges<'_>) -> Vec<At> {
    let mut found = Vec::new();
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        let own = model.transitions.iter().filter(|transition| transition.process == id);
        let held: Vec<StateId> = own.filter(|rule| rule.keeps_control).filter_map(|rule| rule.to).collect();
        for (state, control) in (0..).map(StateId).zip(&process.states) {
            let rules = || control.transitions.iter().map(|id| model.transition(*id));
            let has_else = rules().any(|rule| matches!(rule.guard, Guard::Otherwise));
            for rule in rules() {
                if let Some(Action::Send(send)) = rule.actions.first()
                    && (has_else || rule.escape != 0 || held.contains(&state))
                {
                    found.extend(without_slots(model, ranges.candidates(Some(id), &send.channel)));
                }
            }
        }
    }
    found
}

/// The channels without slots that a process type may receive from.
fn received(model: &Model, ranges: &Ranges<'_>, id: ProcId) -> Vec<At> {
    let mut found = Vec::new();
    for transition in model.transitions.iter().filter(|transition| transition.process == id) {
        let first: Vec<&Action> = match transition.actions.first() {
            Some(Action::Block(block)) => {
                let block = model.block(*block);
                let steps = &block.nodes[block.entry as usize].steps;
                steps.iter().filter_map(|step| step.actions.first()).collect()
            }
            first => first.into_iter().collect(),
        };
        for action in first {
            if let Action::Receive(receive) = action {
                found.extend(without_slots(model, ranges.candidates(Some(id), &receive.channel)));
            }
        }
    }
    found
}

fn without_slots(model: &Model, channels: Vec<At>) -> impl Iterator<Item = At> {
    channels.into_iter().filter(|at| at.channel(model).is_rendezvous())
}

fn targets<'a>(model: &'a Model, id: ProcId, state: usize) -> impl Iterator<Item = usize> + 'a {
    let transitions = model.process(id).states[state].transitions.iter();
    let target = |transition: &Transition| transition.to.map(StateId::index);
    transitions.filter_map(move |id| target(model.transition(*id)))
}

/// Takes one state out of every circle.
fn break_circles(model: &Model, id: ProcId, passed: &mut [bool]) {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![NEW; passed.len()];
    let initial = model.process(id).initial.index();
    for start in std::iter::once(initial).chain(0..passed.len()) {
        if marks[start] != NEW {
            continue;
        }
        marks[start] = OPEN;
        let mut path = vec![(start, targets(model, id, start).collect::<Vec<_>>())];
        while let Some((state, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                marks[*state] = DONE;
                path.pop();
                continue;
            };
            match marks[next] {
                NEW => {
                    marks[next] = OPEN;
                    path.push((next, targets(model, id, next).collect()));
                }
                OPEN => passed[next] = false,
                _ => {}
            }
        }
    }
}

/// Every path through states that are not stored is walked anew, so there is one choice at most on it.
fn limit_choices(model: &Model, id: ProcId, chooses: &[bool], passed: &mut [bool]) {
    let mut known: Vec<Option<bool>> = vec![None; passed.len()];
    for start in 0..passed.len() {
        settle(model, id, start, chooses, passed, &mut known);
    }
}

/// Is there a choice at `start`, or behind it before a state that is stored?
fn settle(
    model: &Model,
    id: ProcId,
    start: usize,
    chooses: &[bool],
    passed: &mut [bool],
    known: &mut [Option<bool>],
) {
    let mut path = vec![start];
    while let Some(state) = path.last().copied() {
        if known[state].is_some() || !passed[state] {
            known[state].get_or_insert(false);
            path.pop();
            continue;
        }
        let open = targets(model, id, state).find(|next| passed[*next] && known[*next].is_none());
        if let Some(open) = open {
            path.push(open);
            continue;
        }
        let behind = targets(model, id, state).any(|next| passed[next] && known[next] == Some(true));
        if behind && chooses[state] {
            passed[state] = false;
        }
        known[state] = Some(passed[state] && (behind || chooses[state]));
        path.pop();
    }
}
