//! A living process as the reducer sees it: for each control state the effect of all that may follow, what matters to
//! its next steps, and what could make one possible.
//!
//! All this depends on settled values only (type, process number, parameters…), so it is computed once for each
//! combination of them that occurs, and found again by comparing a few bytes.

use super::access::{Access, Accesses};
use super::conflicts::Profile;
use super::facts::{Env, Facts, Locals};
use super::masks::{add_concern, add_effect, add_enabler, add_readiness, mark_as_enabler, record_words};
use super::shape::Shape;
use panoptes_model::{Model, ProcId, Spawn};
use std::collections::HashMap;

/// More kinds of started processes than this are looked at without their parameters.
const STARTED_MAX: usize = 64;

pub(super) struct Instance {
    /// What it was made from: the type, the settled bytes, by their place in the frame, and the number of the first channel.
    ty: u8,
    first_channel: usize,
    settled: Vec<(u32, u8)>,
    /// By control state.
    outlooks: Vec<Outlook>,
}

/// What matters about a process at a control state, as numbers of the rows in its [`Profile`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// The effect of all that may follow.
    pub future: u32,
    /// What matters to its next steps: to those that can be taken, or to those that cannot.
    pub concern: u32,
    pub enabler: u32,
}

/// In place of a number: at this control state other bytes are settled, so the instance is another one.
const NONE: u32 = u32::MAX;

impl Default for Outlook {
    fn default() -> Outlook {
        Outlook { future: NONE, concern: NONE, enabler: NONE }
    }
}

/// A process that may be started: its type and its parameters, as far as they are known.
type Started = (ProcId, Vec<Option<i32>>);

/// Where a living process is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whereabouts {
    pub ty: u8,
    pub pid: u8,
    pub state: usize,
    pub start: u32,
    pub first_channel: usize,
}

impl Instance {
    pub fn new(
        facts: &Facts,
        shape: &Shape,
        vector: &[u8],
        at: &Whereabouts,
        profile: &mut Profile,
    ) -> Instance {
        let id = ProcId(u32::from(at.ty));
        let slots = &facts.slots[id.index()];
        let unsettled = slots.unsettled[at.state];
        let locals = Locals::Frame {
            slots,
            unsettled,
            start: at.start,
            pid: at.pid,
            first_channel: at.first_channel,
            channel_count: facts.model.process(id).channels.len(),
        };
        let env = Env { facts, vector, locals };
        let is_settled = |bit: u32| unsettled >> bit & 1 == 0;
        let offsets = slots.offsets.iter().zip(0..).filter(|(_, bit)| is_settled(*bit));
        let settled = offsets.map(|(offset, _)| (*offset, vector[(at.start + offset) as usize])).collect();
        let states = 0..facts.model.process(id).states.len();
        let is_other = |state: usize| slots.unsettled[state] != unsettled;
        // One table after the other: in a long text each takes megabytes.
        let (effects, words) = (effects(&env, shape, id), facts.layout.words());
        let mut future = |state: usize| profile.futures.number(&effects[state * words..][..words]);
        let futures = states.clone().map(|state| if is_other(state) { NONE } else { future(state) });
        let futures: Vec<u32> = futures.collect();
        drop(effects);
        let (concerns, enablers) = concerns(&env, shape, id);
        let words = record_words(facts);
        let mut outlook = |state: usize| Outlook {
            future: futures[state],
            concern: profile.concerns.number(&concerns[state * words..][..words]),
            enabler: profile.concerns.number(&enablers[state * words..][..words]),
        };
        let outlooks = states.map(|state| if is_other(state) { Outlook::default() } else { outlook(state) });
        let outlooks = outlooks.collect();
        Instance { ty: at.ty, first_channel: at.first_channel, settled, outlooks }
    }

    /// What matters about the process with that frame, if this is its instance.
    #[inline(always)]
    pub fn outlook(&self, frame: &[u8], at: &Whereabouts) -> Option<Outlook> {
        if self.ty != at.ty || self.first_channel != at.first_channel {
            return None;
        }
        let outlook = *self.outlooks.get(at.state)?;
        (outlook.future != NONE && self.is_settled(frame)).then_some(outlook)
    }

    pub fn has_settled(&self) -> bool {
        !self.settled.is_empty()
    }

    /// Does the frame have the settled values of this instance?
    #[inline]
    pub fn is_settled(&self, frame: &[u8]) -> bool {
        self.settled.iter().all(|(offset, value)| frame[*offset as usize] == *value)
    }

    pub fn heap_bytes(&self) -> usize {
        size_of::<Instance>()
            + self.outlooks.capacity() * size_of::<Outlook>()
            + self.settled.capacity() * size_of::<(u32, u8)>()
    }
}

/// For each control state of a type the effect of all that may follow, the processes started included.
fn effects(env: &Env, shape: &Shape, id: ProcId) -> Vec<u64> {
    let (facts, words) = (env.facts, env.facts.layout.words());
    let mut started = HashMap::new();
    let mut table = own_effects(env, shape, id);
    for (from, state) in facts.model.process(id).states.iter().enumerate() {
        for transition in &state.transitions {
            for spawn in spawns(&facts.accesses[transition.index()]) {
                let effect = started_effect(env, shape, (spawn.process, arguments(env, spawn)), &mut started);
                unite(&mut table[from * words..(from + 1) * words], &effect);
            }
        }
    }
    propagate(facts.model, id, &mut table, words, |_| true);
    table
}

/// For each control state of a type the effect of its own transitions.
fn own_effects(env: &Env, shape: &Shape, id: ProcId) -> Vec<u64> {
    let (facts, words) = (env.facts, env.facts.layout.words());
    let states = &facts.model.process(id).states;
    let mut table = vec![0; states.len() * words];
    for (from, state) in states.iter().enumerate() {
        let mask = &mut table[from * words..(from + 1) * words];
        for access in state.transitions.iter().flat_map(|id| facts.accesses[id.index()].iter()) {
            add_effect(env, access, shape.touchy[id.index()][from], mask);
        }
    }
    table
}

/// The effect of all that a process started so, and those it starts, may ever do.
fn started_effect(
    env: &Env,
    shape: &Shape,
    first: Started,
    known: &mut HashMap<Started, (Vec<u64>, Vec<Started>)>,
) -> Vec<u64> {
    let mut all = vec![0; env.facts.layout.words()];
    let mut seen = vec![first];
    let mut next = 0;
    while next < seen.len() {
        let one = seen[next].clone();
        next += 1;
        let (effect, starts) =
            known.entry(one.clone()).or_insert_with(|| effect_of_started(env, shape, &one));
        unite(&mut all, effect);
        for mut other in starts.iter().cloned() {
            if seen.len() > STARTED_MAX {
                other.1.fill(None);
            }
            if !seen.contains(&other) {
                seen.push(other);
            }
        }
    }
    all
}

/// The effect of one process started so, and what it starts in its turn.
pub(super) fn effect_of_started(env: &Env, shape: &Shape, (id, args): &Started) -> (Vec<u64>, Vec<Started>) {
    let (facts, words) = (env.facts, env.facts.layout.words());
    let process = facts.model.process(*id);
    let slots = &facts.slots[id.index()];
    let params = process.variables.iter().take(process.param_count);
    let cells = params.flat_map(|variable| {
        let bytes = variable.ty.bytes();
        (0..variable.count).map(move |element| (variable.offset + element * bytes as u32, bytes, variable.ty))
    });
    let values: Vec<(u32, usize, Option<i32>)> = cells
        .zip(args.iter().copied().chain(std::iter::repeat(None)))
        .map(|((offset, bytes, ty), value)| (offset, bytes, value.map(|value| ty.wrap(value))))
        .collect();
    let locals = Locals::Args {
        slots,
        unsettled: slots.unsettled[process.initial.index()],
        values: &values,
        has_channels: !process.channels.is_empty(),
    };
    let env = Env { locals, ..*env };
    let mut all = vec![0; words];
    own_effects(&env, shape, *id).chunks(words).for_each(|effect| unite(&mut all, effect));
    let transitions = process.states.iter().flat_map(|state| &state.transitions);
    let spawns = transitions.flat_map(|transition| spawns(&facts.accesses[transition.index()]));
    (all, spawns.map(|spawn| (spawn.process, arguments(&env, spawn))).collect())
}

fn spawns<'a, 'm>(accesses: &'a Accesses<'m>) -> impl Iterator<Item = &'m Spawn> + 'a {
    accesses.iter().filter_map(|access| match access {
        Access::Spawn(spawn) => Some(*spawn),
        _ => None,
    })
}

fn arguments(env: &Env, spawn: &Spawn) -> Vec<Option<i32>> {
    spawn.args.iter().map(|arg| env.value(arg)).collect()
}

/// For each control state of a type the concerns of a process that can move, and the enablers of one that cannot.
pub(super) fn concerns(env: &Env, shape: &Shape, id: ProcId) -> (Vec<u64>, Vec<u64>) {
    let (facts, words) = (env.facts, record_words(env.facts));
    let states = &facts.model.process(id).states;
    let (mut first, mut later, mut enablers) =
        (vec![0; states.len() * words], vec![0; states.len() * words], vec![0; states.len() * words]);
    for (from, state) in states.iter().enumerate() {
        let range = from * words..(from + 1) * words;
        for accesses in state.transitions.iter().map(|id| &facts.accesses[id.index()]) {
            for access in accesses.iter() {
                add_concern(env, access, true, &mut first[range.clone()]);
                add_concern(env, access, false, &mut later[range.clone()]);
            }
            for access in &accesses.predicate {
                add_enabler(env, access, &mut enablers[range.clone()]);
            }
        }
    }
    enablers.chunks_mut(words).for_each(mark_as_enabler);
    // Who comes to a receive on a rendezvous channel, or goes away from it, decides about the way of touchy senders.
    let mut ready = vec![0; states.len() * words];
    for (state, record) in states.iter().zip(ready.chunks_mut(words)) {
        let accesses = state.transitions.iter().flat_map(|id| &facts.accesses[id.index()].predicate);
        accesses.for_each(|access| add_readiness(env, access, record));
    }
    for (from, state) in states.iter().enumerate() {
        let range = from * words..(from + 1) * words;
        let targets = state.transitions.iter().filter_map(|id| facts.model.transition(*id).to);
        for place in targets.map(|to| to.index()).chain([from]) {
            let ready = &ready[place * words..][..words];
            unite(&mut first[range.clone()], ready);
            unite(&mut later[range.clone()], ready);
        }
    }
    // A move goes on inside an atomic sequence.
    propagate(facts.model, id, &mut later, words, |transition| shape.continues[transition]);
    for (from, state) in states.iter().enumerate() {
        let going_on = state.transitions.iter().filter(|id| shape.continues[id.index()]);
        for to in going_on.filter_map(|id| facts.model.transition(*id).to) {
            let later = &later[to.index() * words..(to.index() + 1) * words];
            unite(&mut first[from * words..(from + 1) * words], later);
        }
    }
    (first, enablers)
}

/// Adds to each control state's words those of the states that the followed transitions lead to.
fn propagate(model: &Model, id: ProcId, table: &mut [u64], words: usize, follow: impl Fn(usize) -> bool) {
    let states = &model.process(id).states;
    let mut changes = true;
    while changes {
        changes = false;
        for (from, state) in states.iter().enumerate().rev() {
            let followed = state.transitions.iter().filter(|id| follow(id.index()));
            for to in followed.filter_map(|id| model.transition(*id).to) {
                for word in 0..words {
                    let more = table[to.index() * words + word] & !table[from * words + word];
                    changes |= more != 0;
                    table[from * words + word] |= more;
                }
            }
        }
    }
}

pub(super) fn unite(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into |= from);
}
