//! Steps that an observer can tell, an invariant or a claim: they may change what it reads.
//!
//! Of the states between two invisible steps an invariant holds in all or in none, whatever order they come in, and a claim that does not
//! mind repetitions sees the same. So a set of processes may stand for all only if their next steps are invisible (condition C2 of Peled,
//! *All from One, One for All*, 1993); the proviso sees to it that the visible ones are not put off for ever.

use super::shape::{Shape, begins};
use panoptes_exec::{Condition, Step};
use panoptes_model::{Action, Expr, Model, Pattern, Place, ProcId, Region, Transition};
use std::ops::Range;

pub(super) struct Visible {
    /// By transition: it changes what is read.
    pub own: Vec<bool>,
    /// By transition: it, or one that the move it begins may take, changes what is read.
    shows: Vec<bool>,
}

impl Visible {
    /// To the invariants of the model; none if it has none.
    pub fn to_invariants(model: &Model, shape: &Shape) -> Option<Visible> {
        let mut read = Read::default();
        model.invariants.iter().for_each(|invariant| read.add(&invariant.condition));
        (!model.invariants.is_empty()).then(|| Visible::new(model, shape, &read))
    }

    /// To a claim that asks for these conditions; none if it can see every step.
    pub fn to_claim(model: &Model, shape: &Shape, conditions: &[Condition]) -> Option<Visible> {
        let mut read = Read::default();
        for condition in conditions {
            match condition {
                Condition::Holds(condition, _) => read.add(condition),
                Condition::Accepting => read.accepting = true,
            }
        }
        (!read.everything).then(|| Visible::new(model, shape, &read))
    }

    fn new(model: &Model, shape: &Shape, read: &Read) -> Visible {
        let changes = model.transitions.iter().map(|transition| read.is_changed_by(model, transition));
        let own: Vec<bool> = changes.collect();
        Visible { shows: begins(model, shape, &own), own }
    }

    pub fn shows(&self, step: Step) -> bool {
        self.shows[step.transition.index()]
            || step.partner.is_some_and(|(_, transition)| self.shows[transition.index()])
    }
}

/// Is there a step that may change what the condition reads?
pub fn is_ever_changed(model: &Model, condition: &Expr) -> bool {
    let mut read = Read::default();
    read.add(condition);
    model.transitions.iter().any(|transition| read.is_changed_by(model, transition))
}

/// What the observer reads.
#[derive(Default)]
struct Read {
    globals: Vec<Range<u32>>,
    locals: Vec<(ProcId, Range<u32>)>,
    /// The numbers of channels.
    channels: Vec<i32>,
    /// A channel whose number is not known beforehand.
    any_channel: bool,
    /// The numbers of control states that are asked for, of a process type or of any.
    places: Vec<(Option<ProcId>, u16)>,
    /// Whether a process stands at an `accept` label, or at a `progress` label.
    accepting: bool,
    progress: bool,
    /// Which processes there are.
    counts: bool,
    /// More than is followed here.
    everything: bool,
}

impl Read {
    fn add(&mut self, condition: &Expr) {
        condition.walk(&mut |e| match e {
            Expr::Load(place) if place.region == Region::Global => self.globals.push(reach(place)),
            Expr::Remote { process, place, .. } => {
                self.locals.push((*process, reach(place)));
                self.counts = true;
            }
            Expr::AtState { process, pid, state, .. } => {
                // The process with some number may be of another type than is said.
                let is_sure = matches!(&**pid, Expr::PidOf(of) if of == process);
                self.places.push((is_sure.then_some(*process), *state));
                self.counts = true;
            }
            Expr::ProcessCount | Expr::PidOf(_) => self.counts = true,
            Expr::NonProgress => self.progress = true,
            Expr::Channel(_, number) => self.add_channel(number),
            Expr::Poll(receive) => self.add_channel(&receive.channel),
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {}
            // A local place has no owner here; the rest looks at what processes can do or did.
            Expr::Load(_)
            | Expr::SelfPid
            | Expr::OwnChannel(_)
            | Expr::LastPid
            | Expr::Timeout
            | Expr::Enabled(_)
            | Expr::ControlPoint(_)
            | Expr::Priority(_)
            | Expr::Spawn(_) => self.everything = true,
        });
    }

    fn add_channel(&mut self, number: &Expr) {
        match number {
            Expr::Const(number) => self.channels.push(*number),
            _ => self.any_channel = true,
        }
    }

    fn is_changed_by(&self, model: &Model, transition: &Transition) -> bool {
        self.everything
            || self.is_moved_by(model, transition)
            || transition.actions.iter().any(|action| self.is_touched(model, transition.process, action))
    }

    /// Does the transition lead from or to a place that is asked for?
    fn is_moved_by(&self, model: &Model, transition: &Transition) -> bool {
        let states = &model.process(transition.process).states;
        let from = &states[transition.from.index()];
        let to = transition.to.map(|to| &states[to.index()]);
        let is_asked = |process: &Option<ProcId>| process.is_none_or(|process| process == transition.process);
        let differs = |(process, number): &(Option<ProcId>, u16)| {
            is_asked(process) && (from.number == *number) != to.is_some_and(|to| to.number == *number)
        };
        self.places.iter().any(differs)
            || (self.accepting && from.accepting != to.is_some_and(|to| to.accepting))
            || (self.progress && from.progress != to.is_some_and(|to| to.progress))
    }

    /// Can the observer tell that a process of a type is there?
    fn is_seen(&self, model: &Model, id: ProcId) -> bool {
        let process = model.process(id);
        let initial = &process.states[process.initial.index()];
        self.counts
            || self.any_channel
            || (self.accepting && initial.accepting)
            || (self.progress && initial.progress)
    }

    fn is_touched(&self, model: &Model, id: ProcId, action: &Action) -> bool {
        let mut spawns = false;
        action.walk(&mut |e| {
            spawns |= matches!(e, Expr::Spawn(spawn) if self.is_seen(model, spawn.process));
        });
        let is_changed = match action {
            Action::Assign { place, .. } => self.is_written(id, place),
            Action::Send(send) => self.is_used(&send.channel),
            Action::Receive(receive) => {
                let binds = |pattern: &Pattern| match pattern {
                    Pattern::Bind(place) => self.is_written(id, place),
                    Pattern::Any | Pattern::Match(_) => false,
                };
                receive.patterns.iter().any(binds) || (!receive.peek && self.is_used(&receive.channel))
            }
            Action::Block(block) => {
                let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                steps.flat_map(|step| &step.actions).any(|action| self.is_touched(model, id, action))
            }
            // The channels of a process come and go with it.
            Action::Spawn(spawn) => self.is_seen(model, spawn.process),
            Action::Exit => self.counts || self.any_channel,
            Action::SetPriority { .. } | Action::Observe(_) => self.everything,
            Action::Assert { .. } | Action::Print { .. } | Action::PrintName(_) => false,
        };
        is_changed || spawns
    }

    fn is_written(&self, id: ProcId, place: &Place) -> bool {
        let written = reach(place);
        let overlaps = |read: &Range<u32>| read.start < written.end && written.start < read.end;
        match place.region {
            Region::Global => self.globals.iter().any(overlaps),
            Region::Local => self.locals.iter().any(|(process, read)| *process == id && overlaps(read)),
        }
    }

    /// Is a channel looked at that this number may be?
    fn is_used(&self, number: &Expr) -> bool {
        match number {
            _ if self.any_channel => true,
            Expr::Const(number) => self.channels.contains(number),
            // The channels of processes have other numbers than those that are known beforehand.
            Expr::OwnChannel(_) => false,
            _ => !self.channels.is_empty(),
        }
    }
}

/// All bytes that a place can be, with everything between them.
fn reach(place: &Place) -> Range<u32> {
    let far: u32 = place.indices.iter().map(|term| (term.len - 1) * term.stride).sum();
    place.offset..place.offset + far + place.ty.bytes() as u32
}
