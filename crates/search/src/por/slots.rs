//! Which bytes of a process's frame decide what it touches, and where they are settled.
//!
//! `out ! x` with a parameter `out`, `fork[(id + 1) % N]`: what such a step touches can be read from the frame as long
//! as the variable in it does not change between now and then. For each control state this tells which of those bytes
//! may still change and be used after that; all others are *settled* there.

use super::access::{Access, Accesses};
use panoptes_model::{Action, Expr, Model, Pattern, Place, ProcId, Region};
use std::ops::Range;

/// More bytes than this are taken as never settled.
const SLOTS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Where the bytes are in the frame, in ascending order.
    pub offsets: Vec<u32>,
    /// For each control state the bytes, as bits, that are not settled.
    pub unsettled: Vec<u64>,
}

impl Slots {
    pub fn of(model: &Model, id: ProcId, accesses: &[Accesses]) -> Slots {
        let process = model.process(id);
        let transitions: Vec<usize> =
            process.states.iter().flat_map(|state| &state.transitions).map(|id| id.index()).collect();
        let mut offsets = Vec::new();
        for transition in &transitions {
            for access in accesses[*transition].iter() {
                used_bytes(access, &mut |bytes| offsets.extend(bytes));
            }
        }
        offsets.sort_unstable();
        offsets.dedup();
        offsets.truncate(SLOTS_MAX);
        let mut slots = Slots { offsets, unsettled: vec![0; process.states.len()] };
        if slots.offsets.is_empty() {
            return slots;
        }
        let mut used = vec![0; process.states.len()];
        for transition in &transitions {
            let from = model.transitions[*transition].from;
            used[from.index()] |= slots.used_by(accesses[*transition].iter());
        }
        propagate(model, id, &mut used);
        let mut unsettled = vec![0; process.states.len()];
        for transition in transitions.iter().map(|index| &model.transitions[*index]) {
            let used_after = transition.to.map_or(0, |to| used[to.index()]);
            unsettled[transition.from.index()] |= slots.changed_by(model, &transition.actions, used_after);
        }
        propagate(model, id, &mut unsettled);
        slots.unsettled = unsettled;
        slots
    }

    /// The bit of a byte, if it is among the slots.
    pub fn bit(&self, offset: u32) -> Option<u64> {
        self.offsets.binary_search(&offset).ok().map(|index| 1 << index)
    }

    fn bits(&self, bytes: Range<u32>) -> u64 {
        bytes.filter_map(|offset| self.bit(offset)).fold(0, |bits, bit| bits | bit)
    }

    fn used_by<'a>(&self, accesses: impl Iterator<Item = &'a Access<'a>>) -> u64 {
        let mut bits = 0;
        accesses.for_each(|access| used_bytes(access, &mut |bytes| bits |= self.bits(bytes)));
        bits
    }

    /// The bytes that the actions change and that are used afterwards, be it by a later action.
    fn changed_by(&self, model: &Model, actions: &[Action], used_after: u64) -> u64 {
        let (mut changed, mut used) = (0, used_after);
        for action in actions.iter().rev() {
            let uses = self.used_by(Accesses::of_actions(model, std::slice::from_ref(action)).iter());
            match action {
                Action::Block(_) => changed |= self.written_by(model, action) & (used | uses),
                Action::Receive(receive) => {
                    // A later subscript sees an earlier field.
                    let mut inner = 0;
                    for pattern in &receive.patterns {
                        if let Pattern::Bind(place) = pattern {
                            place.walk(&mut |expr| local_bytes(expr, &mut |bytes| inner |= self.bits(bytes)));
                        }
                    }
                    changed |= self.written_by(model, action) & (used | inner);
                }
                _ => changed |= self.written_by(model, action) & used,
            }
            used |= uses;
        }
        changed
    }

    fn written_by(&self, model: &Model, action: &Action) -> u64 {
        let bits = |place: &Place| {
            if place.region == Region::Local { self.bits(extent(place)) } else { 0 }
        };
        match action {
            Action::Assign { place, .. } => bits(place),
            Action::Receive(receive) => receive.patterns.iter().fold(0, |all, pattern| match pattern {
                Pattern::Bind(place) => all | bits(place),
                _ => all,
            }),
            Action::Block(id) => {
                let steps = model.block(*id).nodes.iter().flat_map(|node| &node.steps);
                let actions = steps.flat_map(|step| &step.actions);
                actions.fold(0, |all, action| all | self.written_by(model, action))
            }
            _ => 0,
        }
    }
}

/// All bytes that a place may stand for.
pub(super) fn extent(place: &Place) -> Range<u32> {
    let beyond: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
    place.offset..place.offset + beyond + place.ty.bytes() as u32
}

/// The bytes of the frame that decide which object the access is to.
fn used_bytes(access: &Access, found: &mut dyn FnMut(Range<u32>)) {
    match access {
        Access::Read(place) | Access::Write(place) => place.walk(&mut |expr| local_bytes(expr, found)),
        Access::Channel { number, .. } => number.walk(&mut |expr| local_bytes(expr, found)),
        Access::Spawn(spawn) => spawn.walk(&mut |expr| local_bytes(expr, found)),
        Access::Count | Access::Exit => {}
    }
}

fn local_bytes(expr: &Expr, found: &mut dyn FnMut(Range<u32>)) {
    if let Expr::Load(place) = expr
        && place.region == Region::Local
    {
        found(extent(place));
    }
}

/// Adds to each control state the bits of all that can be reached from it.
fn propagate(model: &Model, id: ProcId, bits: &mut [u64]) {
    let states = &model.process(id).states;
    let mut changes = true;
    while changes {
        changes = false;
        for (from, state) in states.iter().enumerate().rev() {
            let reached = state.transitions.iter().filter_map(|id| model.transition(*id).to);
            let all = reached.fold(bits[from], |all, to| all | bits[to.index()]);
            changes |= all != bits[from];
            bits[from] = all;
        }
    }
}
