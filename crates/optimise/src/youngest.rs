//! Which processes are the youngest as long as they live.
//!
//! Only the youngest process can exit. If nobody is started after it, it can exit whenever it comes to its end; and if
//! nobody looks at the number of processes either, the exit concerns nobody but those who wait to exit after it.

use crate::code::each_code;
use crate::facts::Facts;
use panoptes_model::{Action, Expr, Model, ProcId, TransId};

/// For each process type: an instance can exit at any time, and nobody can tell whether it did.
pub(crate) fn exits_freely(model: &Model, facts: &Facts) -> Vec<bool> {
    let mut is_counted = facts.has_onlookers || facts.is_located.contains(&true);
    each_code(model, &mut |_, code| {
        code.walk(&mut |e| is_counted |= matches!(e, Expr::ProcessCount | Expr::PidOf(_)));
    });
    let last = if is_counted { None } else { last_started(model, facts) };
    (0..model.processes.len() as u32)
        .map(ProcId)
        .map(|id| last == Some(id) && model.process(id).channels.is_empty())
        .collect()
}

/// The process type whose only instance is started after all others, if that can be told.
fn last_started(model: &Model, facts: &Facts) -> Option<ProcId> {
    let steps = model.blocks.iter().flat_map(|block| &block.nodes).flat_map(|node| &node.steps);
    if steps.flat_map(|step| &step.actions).any(|action| !spawned(action).is_empty()) {
        return None;
    }
    let starts =
        |id: TransId| -> Vec<ProcId> { model.transition(id).actions.iter().flat_map(spawned).collect() };
    let sites: Vec<TransId> =
        (0..model.transitions.len() as u32).map(TransId).filter(|id| !starts(*id).is_empty()).collect();
    let Some(first) = sites.first() else {
        let last = model.initial.last()?.process;
        return facts.is_single[last.index()].then_some(last);
    };
    // One process starts all others, one at a time; the last one is started once, with no start behind it.
    let starter = model.transition(*first).process;
    let is_only_starter = sites.iter().all(|id| model.transition(*id).process == starter);
    if !is_only_starter || !facts.is_single[starter.index()] {
        return None;
    }
    let is_last = |id: &&TransId| !sites.iter().any(|other| follows(model, **id, *other));
    let mut ends = sites.iter().filter(is_last);
    let (end, None) = (ends.next()?, ends.next()) else { return None };
    let [last] = starts(*end)[..] else { return None };
    (last != starter && facts.is_single[last.index()]).then_some(last)
}

/// Can the second transition be taken after the first one, by the same process?
pub(crate) fn follows(model: &Model, first: TransId, second: TransId) -> bool {
    let process = model.process(model.transition(first).process);
    let goal = model.transition(second).from;
    let mut seen = vec![false; process.states.len()];
    let mut todo: Vec<_> = model.transition(first).to.into_iter().collect();
    while let Some(state) = todo.pop() {
        if state == goal {
            return true;
        }
        if !std::mem::replace(&mut seen[state.index()], true) {
            let next = process.states[state.index()].transitions.iter();
            todo.extend(next.filter_map(|id| model.transition(*id).to));
        }
    }
    false
}

/// The process types that an action starts.
pub(crate) fn spawned(action: &Action) -> Vec<ProcId> {
    let mut found = Vec::new();
    if let Action::Spawn(spawn) = action {
        found.push(spawn.process);
    }
    action.walk(&mut |e| {
        if let Expr::Spawn(spawn) = e {
            found.push(spawn.process);
        }
    });
    found
}
