//! Statement merging as SPIN's verifier has it: statements that one process carries out in one step.
//!
//! A statement that cannot block, has no label and touches nothing that others can see is carried out together with the one before
//! it; so are joins and jumps between them. Inside an atomic sequence it may touch anything. A condition, a receive or a send can begin such
//! a step (a send only in models without rendezvous), but only be its first statement. A step ends before a choice or a block.
//!
//! These are SPIN's own rules, whatever may be said against them, because steps are to be counted as it counts them: what stands in a
//! subscript does not count as something that others see. A merged step keeps control if its last statement does.

use super::flow::{Element, ElementId, ElementKind, Flow};
use panoptes_model::{Action, Expr, Guard, Model, ProcId, Region};
use rustc_hash::FxHashSet;

/// What is to be known of the whole model before statements are merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merging {
    /// Some channel has no slots.
    pub has_rendezvous: bool,
    /// Offsets of global variables that the model declares to be used by one process only.
    pub private: FxHashSet<u32>,
    pub exclusive: Exclusive,
}

/// The names of channels that only one process sends to or receives from, as the model says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exclusive {
    pub sends: FxHashSet<String>,
    pub receives: FxHashSet<String>,
}

impl Merging {
    /// None if nothing may be merged: a process that runs only while a condition holds can be stopped between any two statements.
    pub fn of(model: &Model, private: FxHashSet<u32>, exclusive: Exclusive) -> Option<Merging> {
        let channels =
            model.channels.iter().chain(model.processes.iter().flat_map(|process| &process.channels));
        let has_rendezvous = channels.into_iter().any(|channel| channel.is_rendezvous());
        let is_watched = model.processes.iter().any(|process| process.provided.is_some());
        (!is_watched).then_some(Merging { has_rendezvous, private, exclusive })
    }

    /// The elements that are carried out in the same step as `first`, behind it.
    pub fn behind(&self, flow: &Flow, first: ElementId, model: &Model, process: ProcId) -> Vec<ElementId> {
        let at = At { merging: self, model, process };
        let mut behind = Vec::new();
        if !at.joins_in(flow, first) && !at.begins(flow, first) {
            return behind;
        }
        let mut last = first;
        while let Some(next) = flow.successor(last) {
            // The end of a loop is passed where a step passes it anyway.
            let is_exit = matches!(flow.element(next).kind, ElementKind::LoopExit);
            let stands = is_exit && flow.hunt(next, flow.element(last).atomic) == next;
            if stands || !at.joins_in(flow, next) || next == first || behind.contains(&next) {
                break;
            }
            behind.push(next);
            last = next;
        }
        behind
    }
}

impl Flow {
    /// What comes next in the text, or where a jump leads.
    pub fn successor(&self, id: ElementId) -> Option<ElementId> {
        let element = self.element(id);
        match &element.kind {
            ElementKind::Jump(jump) => self.jump_target(jump),
            _ => element.next,
        }
    }
}

/// The statements of one process.
struct At<'a> {
    merging: &'a Merging,
    model: &'a Model,
    process: ProcId,
}

impl At<'_> {
    /// May the element be carried out in the same step as the one before it?
    fn joins_in(&self, flow: &Flow, id: ElementId) -> bool {
        let element = flow.element(id);
        let never_blocks = match &element.kind {
            ElementKind::Basic { guard: Guard::Always, actions } => {
                let is_plain = |action: &Action| {
                    matches!(
                        action,
                        Action::Assign { .. }
                            | Action::Assert { .. }
                            | Action::Print { .. }
                            | Action::PrintName(_)
                            | Action::SetPriority { .. }
                    )
                };
                // An empty statement is a condition that holds.
                !actions.is_empty() && actions.iter().all(is_plain)
            }
            ElementKind::Join | ElementKind::LoopExit | ElementKind::Jump(_) => true,
            _ => false,
        };
        never_blocks
            && element.escapes.is_empty()
            && element.indivisible.is_none()
            && flow.labels_at(id).is_empty()
            && self.is_unseen(element)
    }

    /// May the element, which can block, be the first of a step?
    fn begins(&self, flow: &Flow, id: ElementId) -> bool {
        let element = flow.element(id);
        let ElementKind::Basic { guard, actions } = &element.kind else { return false };
        let can_begin = match (guard, &actions[..]) {
            (Guard::Always | Guard::When(_), []) | (Guard::Always, [Action::Receive(_)]) => true,
            // A rendezvous inside an atomic sequence gives control away.
            (Guard::Always, [Action::Send(_)]) => !self.merging.has_rendezvous,
            _ => false,
        };
        let is_watched = flow.labels_at(id).iter().any(|(label, _)| flow.watched_labels.contains(label));
        can_begin
            && !is_watched
            && element.escapes.is_empty()
            && element.indivisible.is_none()
            && self.is_unseen(element)
    }

    /// Others cannot tell whether it was carried out, or cannot come in between.
    fn is_unseen(&self, element: &Element) -> bool {
        let ElementKind::Basic { guard, actions } = &element.kind else { return true };
        let guarded = match guard {
            Guard::When(condition) => self.is_seen(condition),
            Guard::Always | Guard::Otherwise => false,
        };
        let is_atomic = element.atomic || element.atomic_last;
        is_atomic || !guarded && !actions.iter().any(|action| self.shows(action))
    }

    fn shows(&self, action: &Action) -> bool {
        match action {
            Action::Assign { place, value } => {
                (place.region == Region::Global && !self.merging.private.contains(&place.offset))
                    || self.is_seen(value)
            }
            Action::Assert { condition, .. } => self.is_seen(condition),
            Action::Print { args, .. } => args.iter().any(|arg| self.is_seen(arg)),
            Action::PrintName(value) => self.is_seen(value),
            Action::Send(send) => !self.is_named(&send.channel, &self.merging.exclusive.sends),
            Action::Receive(receive) => !self.is_named(&receive.channel, &self.merging.exclusive.receives),
            // Its own priority is its own affair.
            Action::SetPriority { pid, .. } => !matches!(pid, Expr::SelfPid),
            _ => true,
        }
    }

    fn is_named(&self, channel: &Expr, names: &FxHashSet<String>) -> bool {
        match channel {
            Expr::Const(number) => usize::try_from(*number)
                .ok()
                .and_then(|number| self.model.channels.get(number.checked_sub(1)?))
                .is_some_and(|channel| names.contains(&channel.name)),
            Expr::OwnChannel(index) => {
                let own = self.model.process(self.process).channels.get(*index as usize);
                own.is_some_and(|channel| names.contains(&channel.name))
            }
            Expr::Load(place) => names.contains(&place.name),
            _ => false,
        }
    }

    /// Does the expression look at something that others change? (What stands in a subscript does not count.)
    fn is_seen(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::SelfPid | Expr::OwnChannel(_) | Expr::Spawn(_) => false,
            Expr::Load(place) => {
                place.region == Region::Global && !self.merging.private.contains(&place.offset)
            }
            Expr::Priority(pid) => !matches!(**pid, Expr::SelfPid),
            Expr::Unary(_, operand) => self.is_seen(operand),
            Expr::Binary(_, left, right) => self.is_seen(left) || self.is_seen(right),
            Expr::Cond(condition, then, otherwise) => {
                self.is_seen(condition) || self.is_seen(then) || self.is_seen(otherwise)
            }
            _ => true,
        }
    }
}
