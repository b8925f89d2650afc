//! Steps that an invariant can tell: they may change what it reads.
//!
//! Of the states between two invisible steps an invariant holds in all or in none, whatever order they come in. So a set
//! of processes may stand for all only if their next steps are invisible (condition C2 of Peled, *All from One, One for
//! All*, 1993); the proviso sees to it that the visible ones are not put off for ever.

use panoptes_exec::Step;
use panoptes_model::{Action, Expr, Model, Pattern, Place, ProcId, Region, TransId, Transition};
use std::ops::Range;

pub(super) struct Visible {
    /// By transition: it, or one that the chain it begins may take, changes what an invariant reads.
    shows: Vec<bool>,
}

impl Visible {
    /// None if the model has no invariants.
    pub fn of(model: &Model) -> Option<Visible> {
        if model.invariants.is_empty() {
            return None;
        }
        let mut read = Read { located: vec![false; model.processes.len()], ..Read::default() };
        model.invariants.iter().for_each(|invariant| read.add(&invariant.condition));
        let shows =
            model.transitions.iter().map(|transition| read.is_changed_by(model, transition)).collect();
        let mut visible = Visible { shows };
        visible.follow_chains(model);
        Some(visible)
    }

    pub fn shows(&self, step: Step) -> bool {
        self.shows[step.transition.index()]
            || step.partner.is_some_and(|(_, transition)| self.shows[transition.index()])
    }

    /// A step that keeps control shows what the steps behind it show.
    fn follow_chains(&mut self, model: &Model) {
        let mut before: Vec<Vec<Vec<TransId>>> =
            model.processes.iter().map(|process| vec![Vec::new(); process.states.len()]).collect();
        for (id, transition) in (0..).map(TransId).zip(&model.transitions) {
            if let Some(to) = transition.to.filter(|_| transition.keeps_control) {
                before[transition.process.index()][to.index()].push(id);
            }
        }
        let numbers = (0..model.transitions.len() as u32).map(TransId);
        let mut todo: Vec<TransId> = numbers.filter(|id| self.shows[id.index()]).collect();
        while let Some(id) = todo.pop() {
            let Transition { process, from, .. } = *model.transition(id);
            for earlier in &before[process.index()][from.index()] {
                if !std::mem::replace(&mut self.shows[earlier.index()], true) {
                    todo.push(*earlier);
                }
            }
        }
    }
}

/// Is there a step that may change what the condition reads?
pub fn is_ever_changed(model: &Model, condition: &Expr) -> bool {
    let mut read = Read { located: vec![false; model.processes.len()], ..Read::default() };
    read.add(condition);
    model.transitions.iter().any(|transition| read.is_changed_by(model, transition))
}

/// What the invariants read.
#[derive(Default)]
struct Read {
    globals: Vec<Range<u32>>,
    locals: Vec<(ProcId, Range<u32>)>,
    /// The numbers of channels.
    channels: Vec<i32>,
    /// A channel whose number is not known beforehand.
    any_channel: bool,
    /// By process type: where its processes stand.
    located: Vec<bool>,
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
            Expr::AtState { process, .. } => {
                self.located[process.index()] = true;
                self.counts = true;
            }
            Expr::ProcessCount | Expr::PidOf(_) => self.counts = true,
            Expr::Channel(_, number) => self.add_channel(number),
            Expr::Poll(receive) => self.add_channel(&receive.channel),
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {}
            // A local place has no owner here; the rest looks at what processes can do or did.
            Expr::Load(_)
            | Expr::SelfPid
            | Expr::OwnChannel(_)
            | Expr::LastPid
            | Expr::Timeout
            | Expr::NonProgress
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
            || self.located[transition.process.index()]
            || transition.actions.iter().any(|action| self.is_touched(model, transition.process, action))
    }

    fn is_touched(&self, model: &Model, id: ProcId, action: &Action) -> bool {
        let mut spawns = false;
        action.walk(&mut |e| spawns |= matches!(e, Expr::Spawn(_)));
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
            Action::Spawn(_) | Action::Exit => self.counts || self.any_channel,
            Action::SetPriority { .. } | Action::Observe(_) => self.everything,
            Action::Assert { .. } | Action::Print { .. } | Action::PrintName(_) => false,
        };
        is_changed || (spawns && (self.counts || self.any_channel))
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
