//! The number of processes that can move: a deadlock is where there is none.
//!
//! It is asked for every state that is found, so what can be told from the model is told before: where a process can always move, and which
//! steps wait for the same channel. A channel is then looked at once for all of them.

use super::Heuristic;
use super::look::{Frames, Look};
use super::rules;
use panoptes_model::{Action, Expr, Guard, Model, ProcId, Receive, Send, StateId, Transition};

pub(crate) struct Active<'m> {
    model: &'m Model,
    /// By process type, where its places start.
    first: Vec<usize>,
    /// By process type and control state.
    places: Vec<Place<'m>>,
    frames: Frames,
    /// Where each process of a state stands.
    standing: Vec<usize>,
}

/// What a process does at a control state.
struct Place<'m> {
    /// It cannot be kept from moving.
    is_free: bool,
    provided: Option<&'m Expr>,
    receives: Vec<Port<'m>>,
    sends: Vec<(&'m Guard, &'m Send)>,
    /// Steps that wait for no channel, or only within a block.
    others: Vec<&'m Transition>,
    /// What it can take by rendezvous.
    takes: Vec<Port<'m>>,
}

/// The receives at a control state from one channel.
struct Port<'m> {
    channel: &'m Expr,
    receives: Vec<(&'m Guard, &'m Receive)>,
}

impl<'m> Active<'m> {
    pub fn new(model: &'m Model) -> Active<'m> {
        let (mut first, mut places) = (Vec::new(), Vec::new());
        for (process, may_block) in model.processes.iter().zip(blocking(model)) {
            first.push(places.len());
            for (state, may_block) in process.states.iter().zip(may_block) {
                let rules = state.transitions.iter().map(|id| model.transition(*id));
                places.push(Place::new(model, process.provided.as_ref(), !may_block, rules));
            }
        }
        Active { model, first, places, frames: Frames::default(), standing: Vec::new() }
    }
}

impl<'m> Place<'m> {
    fn new(
        model: &'m Model,
        provided: Option<&'m Expr>,
        is_free: bool,
        rules: impl Iterator<Item = &'m Transition>,
    ) -> Place<'m> {
        let (mut receives, mut takes) = (Vec::new(), Vec::new());
        let (mut sends, mut others) = (Vec::new(), Vec::new());
        for rule in rules {
            match rule.actions.first() {
                Some(Action::Receive(receive)) => {
                    receives.push((&rule.guard, receive));
                    takes.push((&rule.guard, receive));
                }
                Some(Action::Send(send)) => sends.push((&rule.guard, send)),
                Some(Action::Block(id)) => {
                    let block = model.block(*id);
                    for step in &block.nodes[block.entry as usize].steps {
                        if let Some(Action::Receive(receive)) = step.actions.first() {
                            takes.push((&rule.guard, receive));
                        }
                    }
                    others.push(rule);
                }
                _ => others.push(rule),
            }
        }
        Place { is_free, provided, receives: ports(receives), sends, others, takes: ports(takes) }
    }
}

/// Receives by channel.
fn ports<'m>(receives: Vec<(&'m Guard, &'m Receive)>) -> Vec<Port<'m>> {
    let mut ports: Vec<(String, Port<'m>)> = Vec::new();
    for receive in receives {
        let channel = &receive.1.channel;
        let written = format!("{channel:?}");
        match ports.iter_mut().find(|(known, _)| *known == written) {
            Some((_, port)) => port.receives.push(receive),
            None => ports.push((written, Port { channel, receives: vec![receive] })),
        }
    }
    ports.into_iter().map(|(_, port)| port).collect()
}

/// By process type and control state: can a process be kept from moving there?
pub(super) fn blocking(model: &Model) -> Vec<Vec<bool>> {
    let states = |id: ProcId| (0..model.process(id).states.len() as u32).map(StateId);
    let of_type = |id| states(id).map(|state| rules::may_block(model, id, state)).collect();
    (0..model.processes.len() as u32).map(ProcId).map(of_type).collect()
}

/// A state, and where its processes stand.
struct Scene<'s, 'm> {
    look: Look<'s>,
    places: &'s [Place<'m>],
    standing: &'s [usize],
}

impl<'s, 'm> Scene<'s, 'm> {
    fn place(&self, pid: usize) -> &'s Place<'m> {
        &self.places[self.standing[pid]]
    }

    /// As [`Look::can_move`] says it.
    fn can_move(&self, pid: usize) -> bool {
        let place = self.place(pid);
        if place.is_free {
            return true;
        }
        let look = &self.look;
        if place.provided.is_some_and(|provided| !look.holds(pid, provided)) {
            return false;
        }
        place.receives.iter().any(|port| self.has_message(pid, port))
            || place
                .sends
                .iter()
                .any(|(guard, send)| look.guard_holds(pid, guard) && self.can_send(pid, send))
            || place.others.iter().any(|rule| look.is_possible(pid, rule))
    }

    fn has_message(&self, pid: usize, port: &Port<'_>) -> bool {
        let look = &self.look;
        let Some(queue) = look.queue(pid, port.channel) else { return false };
        let is_there = |receive: &Receive| {
            let candidates = if receive.random { queue.len } else { 1 };
            (0..candidates).any(|slot| look.fits(pid, receive, &queue, slot))
        };
        queue.len > 0
            && port.receives.iter().any(|(guard, receive)| look.guard_holds(pid, guard) && is_there(receive))
    }

    fn can_send(&self, pid: usize, send: &Send) -> bool {
        let look = &self.look;
        let Some(number) = look.eval(pid, &send.channel) else { return false };
        let Some(queue) = look.queue_numbered(number) else { return false };
        if !queue.channel.is_rendezvous() {
            return queue.len < queue.capacity();
        }
        let takes = |other: usize| {
            self.place(other).takes.iter().any(|port| {
                look.eval(other, port.channel) == Some(number)
                    && port.receives.iter().any(|(guard, receive)| {
                        look.guard_holds(other, guard) && look.agree(pid, send, other, &receive.patterns)
                    })
            })
        };
        (0..self.standing.len()).any(|other| other != pid && takes(other))
    }
}

impl Heuristic for Active<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let (places, standing) = (&self.places, &mut self.standing);
        let stands = |pid: usize| self.first[look.process_id(pid).index()] + look.state(pid).index();
        standing.clear();
        standing.extend((0..look.process_count()).map(stands));
        let scene = Scene { look, places, standing };
        let can_move = |pid: &usize| {
            let can_move = scene.can_move(*pid);
            debug_assert_eq!(can_move, scene.place(*pid).is_free || look.can_move(*pid));
            can_move
        };
        (0..standing.len()).filter(can_move).count() as u32
    }

    fn explain(&self) -> Vec<String> {
        vec!["the number of processes that can move".to_string()]
    }
}
