//! The steps of an abstract state: at least those that the states have for which it stands.
//!
//! A step is left out only if what is kept says that it cannot be taken. Channels are not kept, so sends and receives can always be made; where two
//! processes may meet, they move together in one step. A process that is not kept may do anything at any time: only its writes into kept
//! variables are steps here.

use super::projection::{Projection, params};
use crate::heuristic::look::{Frames, Look};
use panoptes_model::{Action, Expr, FrameLayout, Guard, Model, Place, ProcId, Region, Spawn, Transition};

/// More processes are not followed.
const PROCESSES_MAX: usize = 40;

pub(super) struct Steps<'p, 'm> {
    pub projection: &'p Projection<'m>,
    frames: Frames,
    /// The moves of a state: who moves with which transitions.
    moves: Vec<Move<'m>>,
}

#[derive(Clone, Copy)]
struct Move<'m> {
    first: (usize, &'m Transition),
    second: Option<(usize, &'m Transition)>,
}

/// How a transition begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Talk {
    None,
    Send,
    Receive,
}

impl<'p, 'm> Steps<'p, 'm> {
    pub fn new(projection: &'p Projection<'m>) -> Steps<'p, 'm> {
        Steps { projection, frames: Frames::default(), moves: Vec::new() }
    }

    /// The initial vector, as far as it is kept.
    pub fn initial(&mut self) -> Option<Vec<u8>> {
        let model = self.projection.model;
        let mut vector = vec![0; model.header.frames as usize];
        for action in &model.init {
            self.act(&mut vector, 0, action)?;
        }
        for initial in &model.initial {
            self.push_frame(&mut vector, initial.process, &[])?;
        }
        Some(vector)
    }

    /// Calls `visit` with each state that is reached in a step. Fails if there are too many processes.
    pub fn successors(&mut self, vector: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result<(), ()> {
        self.moves.clear();
        let mut moves = std::mem::take(&mut self.moves);
        let look = self.frames.look(self.projection.model, vector);
        list_moves(self.projection, look, &mut moves);
        for one in &moves {
            for order in [false, true] {
                let is_single = one
                    .second
                    .is_none_or(|second| second.1.actions.len().min(one.first.1.actions.len()) <= 1);
                if order && is_single {
                    continue;
                }
                let mut next = vector.to_vec();
                let (first, second) = match (order, one.second) {
                    (true, Some(second)) => (second, Some(one.first)),
                    _ => (one.first, one.second),
                };
                let done = self.perform(&mut next, first).and_then(|()| match second {
                    Some(second) => self.perform(&mut next, second),
                    None => Some(()),
                });
                if next[self.projection.model.header.process_count()] as usize > PROCESSES_MAX {
                    self.moves = moves;
                    return Err(());
                }
                if done.is_some() {
                    visit(next);
                }
            }
        }
        self.moves = moves;
        Ok(())
    }

    /// Makes a transition of a process. None if it goes wrong.
    fn perform(&mut self, vector: &mut Vec<u8>, (pid, transition): (usize, &'m Transition)) -> Option<()> {
        let projection = self.projection;
        if projection.keeps(pid) {
            let to = transition.to.or(projection.gone(transition.process));
            let start = self.frames.look(projection.model, vector).frame_start(pid);
            if let Some(to) = to {
                projection.model.process(transition.process).frame.set_state(&mut vector[start..], to);
            }
        }
        transition.actions.iter().try_for_each(|action| self.act(vector, pid, action))?;
        if transition.to.is_none() && projection.is_growing() {
            let start = self.frames.look(projection.model, vector).frame_start(pid);
            vector.truncate(start);
            vector[projection.model.header.process_count()] -= 1;
        }
        Some(())
    }

    /// Does what an action does to what is kept. None if it has no value.
    fn act(&mut self, vector: &mut Vec<u8>, pid: usize, action: &Action) -> Option<()> {
        let model = self.projection.model;
        match action {
            Action::Assign { place, value } => {
                let number = match value {
                    Expr::Spawn(spawn) => Some(self.spawn(vector, pid, spawn)?),
                    _ => None,
                };
                let look = self.frames.look(model, vector);
                let owner = (pid < look.process_count()).then(|| look.process_id(pid));
                if (place.region == Region::Local && !self.projection.keeps(pid))
                    || !self.projection.keeps_place(owner, place)
                {
                    return Some(());
                }
                let value = match number {
                    Some(number) => number,
                    None => self.projection.value(look, pid, value)?,
                };
                let at = address(self.projection, look, pid, place)?;
                place.ty.write(&mut vector[at..], value);
            }
            Action::Spawn(spawn) => {
                self.spawn(vector, pid, spawn)?;
            }
            _ => {}
        }
        Some(())
    }

    /// Starts a process, and gives its number.
    fn spawn(&mut self, vector: &mut Vec<u8>, pid: usize, spawn: &Spawn) -> Option<i32> {
        let look = self.frames.look(self.projection.model, vector);
        let args: Vec<Option<i32>> =
            spawn.args.iter().map(|value| self.projection.value(look, pid, value)).collect();
        let number = look.process_count();
        self.push_frame(vector, spawn.process, &args)?;
        Some(number as i32)
    }

    fn push_frame(&mut self, vector: &mut Vec<u8>, id: ProcId, args: &[Option<i32>]) -> Option<()> {
        let model: &'m Model = self.projection.model;
        let process = model.process(id);
        let start = vector.len();
        vector.resize(start + process.frame.bytes as usize, 0);
        let count = model.header.process_count();
        let pid = usize::from(vector[count]);
        vector[count] = vector[count].checked_add(1)?;
        vector[start + FrameLayout::TYPE] = id.0 as u8;
        process.frame.set_state(&mut vector[start..], process.initial);
        for (place, value) in params(model, id).iter().zip(args) {
            if let Some(value) = value
                && self.projection.keeps_place(Some(id), place)
            {
                place.ty.write(&mut vector[start + place.offset as usize..], *value);
            }
        }
        process.init.iter().try_for_each(|action| self.act(vector, pid, action))
    }
}

/// Where in the vector a place is.
fn address(projection: &Projection<'_>, look: Look<'_>, pid: usize, place: &Place) -> Option<usize> {
    let mut at = place.offset as usize;
    if place.region == Region::Local {
        at += look.frame_start(pid);
    }
    for term in &place.indices {
        let index = projection.value(look, pid, &term.index)?;
        let index = u32::try_from(index).ok().filter(|index| *index < term.len)?;
        at += index as usize * term.stride as usize;
    }
    Some(at)
}

/// Calls `visit` with every process and transition that may be the next, or a part of it.
pub(super) fn each_possible<'m>(
    projection: &Projection<'m>,
    look: Look<'_>,
    visit: &mut dyn FnMut(usize, &'m Transition),
) {
    let model = projection.model;
    for pid in 0..look.process_count() {
        let process = model.process(look.process_id(pid));
        let states: &[panoptes_model::ControlState] = match projection.keeps(pid) {
            true => std::slice::from_ref(&process.states[look.state(pid).index()]),
            false => &process.states,
        };
        if process.provided.as_ref().and_then(|e| projection.value(look, pid, e)) == Some(0) {
            continue;
        }
        for state in states {
            for (index, id) in state.transitions.iter().enumerate() {
                let transition = model.transition(*id);
                let is_possible = match &transition.guard {
                    Guard::Always => true,
                    Guard::When(condition) => projection.value(look, pid, condition) != Some(0),
                    Guard::Otherwise => !state.transitions[..index]
                        .iter()
                        .any(|id| is_certain(projection, look, pid, model.transition(*id))),
                };
                let is_youngest = pid + 1 == look.process_count() || !projection.is_growing();
                if is_possible && (transition.to.is_some() || is_youngest) {
                    visit(pid, transition);
                }
            }
        }
    }
}

/// Can the step be taken in every state for which the abstract one stands?
pub(super) fn is_certain(
    projection: &Projection<'_>,
    look: Look<'_>,
    pid: usize,
    transition: &Transition,
) -> bool {
    let holds = match &transition.guard {
        Guard::Always | Guard::Otherwise => true,
        Guard::When(condition) => projection.value(look, pid, condition).is_some_and(|value| value != 0),
    };
    let waits = |action: &Action| {
        matches!(action, Action::Send(_) | Action::Receive(_) | Action::Block(_) | Action::Exit)
    };
    holds && !transition.actions.first().is_some_and(waits)
}

fn list_moves<'m>(projection: &Projection<'m>, look: Look<'_>, moves: &mut Vec<Move<'m>>) {
    let model = projection.model;
    let mut possible: Vec<(usize, &'m Transition)> = Vec::new();
    each_possible(projection, look, &mut |pid, transition| {
        let matters =
            projection.keeps(pid) || transition.actions.iter().any(|action| writes(projection, action));
        if matters {
            possible.push((pid, transition));
        }
    });
    for one in &possible {
        let (talk, channel) = talk(one.1);
        let meets = talk != Talk::None && may_meet(model, one.1.process, channel);
        // Alone, or with a process that is not kept.
        let needs_partner = talk != Talk::None && must_meet(model, channel);
        if !needs_partner || !projection.keeps_all() {
            moves.push(Move { first: *one, second: None });
        }
        if talk != Talk::Send || !meets {
            continue;
        }
        for other in possible.iter().filter(|other| other.0 != one.0) {
            let (partner, its_channel) = self::talk(other.1);
            if partner == Talk::Receive && may_be_same(channel, its_channel) {
                moves.push(Move { first: *one, second: Some(*other) });
            }
        }
    }
}

fn writes(projection: &Projection<'_>, action: &Action) -> bool {
    matches!(action, Action::Assign { place, .. }
        if place.region == Region::Global && projection.keeps_place(None, place))
}

fn talk(transition: &Transition) -> (Talk, Option<&Expr>) {
    match transition.actions.first() {
        Some(Action::Send(send)) => (Talk::Send, Some(&send.channel)),
        Some(Action::Receive(receive)) => (Talk::Receive, Some(&receive.channel)),
        _ => (Talk::None, None),
    }
}

/// May the channel be one without slots?
fn may_meet(model: &Model, id: ProcId, channel: Option<&Expr>) -> bool {
    match channel {
        Some(Expr::Const(number)) => {
            global(model, *number).is_none_or(panoptes_model::Channel::is_rendezvous)
        }
        Some(Expr::OwnChannel(index)) => {
            model.process(id).channels.get(*index as usize).is_none_or(panoptes_model::Channel::is_rendezvous)
        }
        _ => true,
    }
}

fn must_meet(model: &Model, channel: Option<&Expr>) -> bool {
    match channel {
        Some(Expr::Const(number)) => {
            global(model, *number).is_some_and(panoptes_model::Channel::is_rendezvous)
        }
        _ => false,
    }
}

fn global(model: &Model, number: i32) -> Option<&panoptes_model::Channel> {
    usize::try_from(number)
        .ok()
        .and_then(|number| number.checked_sub(1))
        .and_then(|index| model.channels.get(index))
}

fn may_be_same(a: Option<&Expr>, b: Option<&Expr>) -> bool {
    match (a, b) {
        (Some(Expr::Const(a)), Some(Expr::Const(b))) => a == b,
        _ => true,
    }
}
