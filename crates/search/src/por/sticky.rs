//! The proviso that nothing is put off for ever, settled before the search.
//!
//! A search that follows only some processes may go round in a circle and never come to the others. So in each control
//! graph some transitions are *sticky*, such that every circle has one; a state from which a sticky transition would be
//! followed is expanded fully. A circle of states is a circle in the control graph of the oldest process that moves in
//! it, so each contains a fully expanded state, whatever the order of the search.
//!
//! Every choice is sound. A good one takes transitions that would seldom be followed alone anyway: those that touch
//! what other processes touch.

use super::facts::{Env, Facts, Locals};
use super::instance::{concerns, effect_of_started, unite};
use super::masks::record_words;
use super::shape::{Shape, reached_in_move};
use panoptes_model::{Model, ProcId, ProcessKind};

/// Beyond this many transitions in one process type circles are cut at the backward ones, without regard to use.
const TRANSITIONS_MAX: usize = 4000;

pub(super) struct Sticky {
    /// By number of the transition: a move that starts with it may take a sticky one.
    pub starts: Vec<bool>,
    /// By process type and control state: a move that goes on from there may take a sticky one.
    pub at: Vec<Vec<bool>>,
}

impl Sticky {
    /// Nothing is sticky: for searches that need no proviso.
    pub fn none(model: &Model) -> Sticky {
        let at = model.processes.iter().map(|process| vec![false; process.states.len()]).collect();
        Sticky { starts: vec![false; model.transitions.len()], at }
    }

    /// `vector` is any state of the model, for the values that never change.
    pub fn choose(facts: &Facts, shape: &Shape, vector: &[u8]) -> Sticky {
        let model = facts.model;
        let weights = weights(facts, shape, vector);
        let mut sticky = vec![false; model.transitions.len()];
        for id in (0..model.processes.len()).map(|id| ProcId(id as u32)) {
            cut_circles(model, id, &weights, &mut sticky);
        }
        let at = reached_in_move(model, &shape.continues, |transition| sticky[transition.index()]);
        let starts = (0..model.transitions.len())
            .map(|index| {
                let transition = &model.transitions[index];
                let beyond = transition.to.filter(|_| shape.continues[index]);
                sticky[index] || beyond.is_some_and(|to| at[transition.process.index()][to.index()])
            })
            .collect();
        Sticky { starts, at }
    }
}

/// How unlikely it is, by transition, that it is followed alone: two if it touches variables that others touch, one if
/// channels or processes, zero if nothing. Parameters are not known here, so this is only a guess.
fn weights(facts: &Facts, shape: &Shape, vector: &[u8]) -> Vec<u8> {
    let model = facts.model;
    let words = facts.layout.words();
    let env_of = |id: ProcId| {
        let locals = Locals::Args {
            slots: &facts.slots[id.index()],
            unsettled: u64::MAX,
            values: &[],
            has_channels: !model.process(id).channels.is_empty(),
        };
        Env { facts, vector, locals }
    };
    let ids: Vec<ProcId> = (0..model.processes.len()).map(|id| ProcId(id as u32)).collect();
    let is_process = |id: &&ProcId| model.process(**id).kind == ProcessKind::Process;
    let effects: Vec<Vec<u64>> =
        ids.iter().map(|id| effect_of_started(&env_of(*id), shape, &(*id, Vec::new())).0).collect();
    let mut weights = vec![0; model.transitions.len()];
    for id in ids.iter().filter(is_process) {
        let is_single = model.initial.iter().filter(|initial| initial.process == *id).count() == 1;
        let mut others = vec![0; words];
        for other in ids.iter().filter(is_process).filter(|other| *other != id || !is_single) {
            unite(&mut others, &effects[other.index()]);
        }
        let (concerns, _) = concerns(&env_of(*id), shape, *id);
        for (record, state) in concerns.chunks(record_words(facts)).zip(&model.process(*id).states) {
            let meets = |range: std::ops::Range<usize>| {
                range.into_iter().any(|word| record[word] & others[word] != 0)
            };
            let cells = 2 * facts.layout.cell_words;
            let weight = if meets(0..cells) { 2 } else { u8::from(meets(cells..words)) };
            state.transitions.iter().for_each(|transition| weights[transition.index()] = weight);
        }
    }
    weights
}

/// Marks transitions so that no circle is without one: the light ones are put together first, and one that would close
/// a circle is left out.
fn cut_circles(model: &Model, id: ProcId, weights: &[u8], sticky: &mut [bool]) {
    let states = &model.process(id).states;
    let back = backward(model, id);
    let mut edges: Vec<(usize, usize, usize)> = Vec::new();
    for (from, state) in states.iter().enumerate() {
        for transition in &state.transitions {
            if let Some(to) = model.transition(*transition).to {
                edges.push((transition.index(), from, to.index()));
            }
        }
    }
    if edges.len() > TRANSITIONS_MAX {
        edges.iter().for_each(|(transition, ..)| sticky[*transition] = back[*transition]);
        return;
    }
    edges.sort_by_key(|(transition, ..)| (weights[*transition], back[*transition]));
    let mut kept: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    for (transition, from, to) in edges {
        if leads(&kept, to, from) {
            sticky[transition] = true;
        } else {
            kept[from].push(to);
        }
    }
}

fn leads(edges: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            todo.extend(&edges[at]);
        }
    }
    false
}

/// For each transition by number: does it lead back to where a walk through the graph comes from?
fn backward(model: &Model, id: ProcId) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath,
        Done,
    }
    let process = model.process(id);
    let mut back = vec![false; model.transitions.len()];
    let mut seen = vec![Seen::No; process.states.len()];
    for root in std::iter::once(process.initial.index()).chain(0..process.states.len()) {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::OnPath;
        let mut path = vec![(root, process.states[root].transitions.iter())];
        while let Some((at, rest)) = path.last_mut() {
            let Some(transition) = rest.next() else {
                seen[*at] = Seen::Done;
                path.pop();
                continue;
            };
            let Some(to) = model.transition(*transition).to.map(|to| to.index()) else { continue };
            match seen[to] {
                Seen::OnPath => back[transition.index()] = true,
                Seen::No => {
                    seen[to] = Seen::OnPath;
                    path.push((to, process.states[to].transitions.iter()));
                }
                Seen::Done => {}
            }
        }
    }
    back
}
