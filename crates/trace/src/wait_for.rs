//! Who waits for whom, where nothing can move: for each process those that could do what it waits for, if they came so far.
//!
//! What a process waits on is a channel or a variable of the statement that is blocked. Another process could help if a statement that
//! it can still come to sends to or receives from that channel, or writes to that variable. Subscripts are taken as they are
//! now; where one has no value, the whole array counts.

use crate::written::{offset, value};
use crate::{Snapshot, WaitsFor};
use panoptes_exec::Waiting;
use panoptes_model::{
    Action, BlockId, Expr, Guard, Model, Pattern, Place, Receive, Region, StateId, StateView, TransId,
};
use std::collections::BTreeSet;

/// What somebody waits on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Matter {
    /// A message in the channel with this number.
    Sent(i32),
    /// Room in it, or somebody who takes the message.
    Received(i32),
    /// Bytes of the global part, or of a process.
    Written { owner: Option<u8>, from: usize, to: usize },
}

/// Adds to the processes of a snapshot whom they wait for.
pub(crate) fn add(model: &Model, view: &StateView<'_>, waiting: &[Waiting], snapshot: &mut Snapshot) {
    let scene = Scene { model, view };
    let count = snapshot.processes.len();
    let can_do: Vec<BTreeSet<Matter>> = (0..count).map(|pid| scene.can_do(pid as u8)).collect();
    let names: Vec<String> = snapshot.processes.iter().map(|process| process.process.clone()).collect();
    for (process, waits) in snapshot.processes.iter_mut().zip(waiting).filter(|(process, _)| !process.may_end)
    {
        let mut needs = BTreeSet::new();
        for step in &waits.steps {
            let rule = model.transition(step.transition);
            scene.needs(process.pid, &rule.guard, &rule.actions, &mut needs);
        }
        for need in &needs {
            let on = scene.name(need);
            for (pid, does) in can_do.iter().enumerate().filter(|(pid, _)| *pid as u8 != process.pid) {
                let is_new = |other: &WaitsFor| other.pid as usize != pid || other.on != on;
                if does.iter().any(|matter| meets(need, matter)) && process.waits_for.iter().all(is_new) {
                    let waits_for = WaitsFor { pid: pid as u8, process: names[pid].clone(), on: on.clone() };
                    process.waits_for.push(waits_for);
                }
            }
        }
    }
}

fn meets(need: &Matter, does: &Matter) -> bool {
    match (need, does) {
        (Matter::Written { owner, from, to }, Matter::Written { owner: other, from: first, to: last }) => {
            owner == other && first < to && from < last
        }
        _ => need == does,
    }
}

struct Scene<'a> {
    model: &'a Model,
    view: &'a StateView<'a>,
}

impl Scene<'_> {
    /// What the process still can do, as far as its statements tell.
    fn can_do(&self, pid: u8) -> BTreeSet<Matter> {
        let mut does = BTreeSet::new();
        let Some(process) = self.view.process(pid) else { return does };
        let machine = process.process;
        let mut seen = vec![false; machine.states.len()];
        let mut todo: Vec<StateId> = vec![process.state_id()];
        while let Some(state) = todo.pop() {
            let Some(control) = machine.states.get(state.index()) else { continue };
            if std::mem::replace(&mut seen[state.index()], true) {
                continue;
            }
            for id in &control.transitions {
                self.effects(pid, *id, &mut does);
                todo.extend(self.model.transition(*id).to);
            }
        }
        does
    }

    fn effects(&self, pid: u8, id: TransId, does: &mut BTreeSet<Matter>) {
        for action in &self.model.transition(id).actions {
            self.effect(pid, action, does);
        }
    }

    fn effect(&self, pid: u8, action: &Action, does: &mut BTreeSet<Matter>) {
        match action {
            Action::Assign { place, .. } => does.extend(self.bytes(pid, place)),
            Action::Send(send) => does.extend(self.channel(pid, &send.channel).map(Matter::Sent)),
            Action::Receive(receive) => {
                does.extend(self.channel(pid, &receive.channel).map(Matter::Received));
                for pattern in &receive.patterns {
                    if let Pattern::Bind(place) = pattern {
                        does.extend(self.bytes(pid, place));
                    }
                }
            }
            Action::Block(id) => self.block(*id).for_each(|action| self.effect(pid, action, does)),
            _ => {}
        }
    }

    fn block(&self, id: BlockId) -> impl Iterator<Item = &Action> {
        let nodes = self.model.block(id).nodes.iter();
        nodes.flat_map(|node| &node.steps).flat_map(|step| &step.actions)
    }

    /// What a blocked statement waits on.
    fn needs(&self, pid: u8, guard: &Guard, actions: &[Action], needs: &mut BTreeSet<Matter>) {
        if let Guard::When(condition) = guard {
            condition.walk(&mut |expr| self.need(pid, expr, needs));
        }
        match actions.first() {
            Some(Action::Send(send)) => {
                needs.extend(self.channel(pid, &send.channel).map(Matter::Received));
            }
            Some(Action::Receive(receive)) => self.need_message(pid, receive, needs),
            Some(Action::Block(id)) => {
                let block = self.model.block(*id);
                for step in &block.nodes[block.entry as usize].steps {
                    self.needs(pid, &step.guard, &step.actions, needs);
                }
            }
            _ => {}
        }
    }

    fn need_message(&self, pid: u8, receive: &Receive, needs: &mut BTreeSet<Matter>) {
        needs.extend(self.channel(pid, &receive.channel).map(Matter::Sent));
    }

    fn need(&self, pid: u8, expr: &Expr, needs: &mut BTreeSet<Matter>) {
        match expr {
            Expr::Load(place) => {
                let own = self.bytes(pid, place);
                // Nobody else writes to what is a process's own.
                needs.extend(own.filter(|_| place.region == Region::Global));
            }
            Expr::Channel(_, channel) => {
                let number = self.channel(pid, channel);
                needs.extend(number.map(Matter::Sent));
                needs.extend(number.map(Matter::Received));
            }
            Expr::Poll(receive) => self.need_message(pid, receive, needs),
            Expr::Remote { pid: other, place, .. } => {
                if let Some(owner) = value(other, pid, self.view).and_then(|other| u8::try_from(other).ok()) {
                    needs.extend(self.bytes(owner, place));
                }
            }
            _ => {}
        }
    }

    fn channel(&self, pid: u8, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::OwnChannel(index) => {
                let all = self.view.channels();
                let mut own =
                    all.iter().filter(|channel| channel.owner.is_some_and(|(owner, _)| owner == pid));
                own.nth(*index as usize).and_then(|channel| i32::try_from(channel.number).ok())
            }
            _ => value(expr, pid, self.view),
        }
    }

    /// The bytes of a place: exactly, or of the whole array.
    fn bytes(&self, pid: u8, place: &Place) -> Option<Matter> {
        let owner = (place.region == Region::Local).then_some(pid);
        let size = place.ty.bytes();
        if let Some(from) = offset(place, pid, self.view) {
            return Some(Matter::Written { owner, from, to: from + size });
        }
        let from = place.offset as usize;
        let length: usize =
            place.indices.iter().map(|term| term.len.saturating_sub(1) as usize * term.stride as usize).sum();
        Some(Matter::Written { owner, from, to: from + length + size })
    }

    fn name(&self, matter: &Matter) -> String {
        match matter {
            Matter::Sent(number) | Matter::Received(number) => {
                let channel = self.view.channel(*number);
                channel.map_or_else(|| format!("channel {number}"), |channel| channel.name())
            }
            Matter::Written { owner, from, .. } => {
                let variable = self.view.variable_at(*owner, *from);
                variable.map_or_else(|| "a variable".to_string(), |variable| variable.name)
            }
        }
    }
}
