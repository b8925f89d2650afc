//! What a plan is to bring about: a failed assertion or invariant, a message that is not taken, or a deadlock.

use super::fact::Fact;
use super::ground::Builder;
use super::values::Values;
use crate::heuristic::active::blocking;
use crate::heuristic::formula;
use panoptes_model::{BinaryOp, Model, StateId};

/// What a plan leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Failed assertions and invariants if there are any, else deadlocks.
    WhatFits,
    Deadlocks,
}

#[derive(Default)]
pub(super) struct Goals {
    /// Each is enough.
    pub conditions: Vec<Fact>,
    /// For each process the places where it can stand in a deadlock, with what must be so there; empty if no deadlock is looked for.
    pub blocked: Vec<Vec<(u32, Fact)>>,
}

/// The invariants that count, as facts that are to come true.
pub(super) fn conditions(builder: &mut Builder<'_, '_>) -> Vec<Fact> {
    let model = builder.model;
    formula::invariants(model)
        .map(|invariant| builder.expr(0, &invariant.condition).not().tabulated())
        .collect()
}

/// That a process waits for messages and has got others.
pub(super) fn unspecified_receptions(builder: &mut Builder<'_, '_>) -> Vec<Fact> {
    let model = builder.model;
    let mut found = Vec::new();
    for waiting in &model.waiting {
        let Some(at) = builder.instances.iter().position(|instance| instance.process == waiting.process)
        else {
            continue;
        };
        let instance = &builder.instances[at];
        let mut parts = vec![Fact::At {
            first: instance.first_place,
            states: vec![waiting.state.0],
            count: instance.places,
        }];
        for queue in &waiting.queues {
            let channel = &builder.channels[usize::from(queue.channel)];
            let taken = queue.taken.iter().fold(Values::NONE, |all, value| all.or(Values::only(*value)));
            parts.push(Fact::compare(channel.level, BinaryOp::Ge, 1));
            if let Some(field) = channel.fields.first() {
                parts.push(Fact::within(*field, Values::ALL.without(taken)));
            }
        }
        for id in &waiting.conditions {
            parts.push(builder.impossible(at, model.transition(*id)));
        }
        found.push(Fact::all(parts));
    }
    found
}

/// Where each process that lives can stand in a deadlock.
pub(super) fn blocked(builder: &mut Builder<'_, '_>) -> Vec<Vec<(u32, Fact)>> {
    let model: &Model = builder.model;
    let may_block = blocking(model);
    let mut all = Vec::new();
    for at in 0..builder.living {
        let (id, first) = (builder.instances[at].process, builder.instances[at].first_place);
        let process = model.process(id);
        let gone = first + process.states.len() as u32;
        let mut places = vec![(gone, Fact::TRUE)];
        for state in (0..process.states.len() as u32).map(StateId) {
            if may_block[id.index()][state.index()] {
                let rules = &process.states[state.index()].transitions;
                let parts = rules.iter().map(|rule| builder.impossible(at, model.transition(*rule)));
                places.push((first + state.0, Fact::all(parts.collect())));
            }
        }
        all.push(places);
    }
    all
}
