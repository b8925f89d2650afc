//! Which steps a configuration has: the order of processes, escapes, `Otherwise`, rendezvous, priorities, timeouts.
//!
//! The order is that of SPIN's verifier (youngest process first, transitions as listed), so that a depth-first search
//! walks the same way.

use crate::recording::Recording;
use crate::working_state::{Offer, Outcome, Trouble, WorkingState};
use panoptes_exec::{Ending, Event, Fault, FaultKind, Step, Successor, Successors};
use panoptes_model::{Action, Guard, Receive, TransId, Transition};
use panoptes_source::Span;

impl<'m> WorkingState<'m> {
    /// Lists the successors of the loaded vector.
    pub fn schedule(&mut self, control: Option<u8>, out: &mut Successors) {
        let mut saved = std::mem::take(&mut self.saved);
        saved.clear();
        saved.extend_from_slice(&self.state);
        self.passes(control, &saved, out);
        self.saved = saved;
    }

    fn passes(&mut self, control: Option<u8>, saved: &[u8], out: &mut Successors) {
        self.pass(control, saved, out);
        if moves(out) {
            if control.is_none() {
                self.find_stuck(out);
            }
            return;
        }
        if control.is_some() {
            out.ending = Ending::LetGo;
            return;
        }
        if self.uses_timeout {
            // What went wrong without timeouts stays: it was tried in this state, whatever they make possible.
            self.timeout = true;
            self.pass(None, saved, out);
            self.timeout = false;
        }
        match moves(out) {
            true => self.find_stuck(out),
            false => self.judge_end(out),
        }
    }

    /// Tries every process once (or the one that has control).
    fn pass(&mut self, control: Option<u8>, saved: &[u8], out: &mut Successors) {
        let all = 0..self.process_count();
        let range = control.map_or(all, |pid| usize::from(pid)..usize::from(pid) + 1);
        for pid in range.rev() {
            if self.recording.as_ref().is_some_and(|recording| recording.is_done(out.items.len())) {
                return;
            }
            let transitions = &self.process(pid).states[self.control_state(pid).index()].transitions;
            match self.may_run(pid) {
                Ok(true) => self.try_process(pid, transitions, saved, out),
                Ok(false) => {}
                Err(trouble) => {
                    if let Some(id) = transitions.first() {
                        let span = self.process(pid).span;
                        let step = Step { pid: pid as u8, transition: *id, partner: None };
                        self.list_failure(step, trouble.at(span), out);
                    }
                }
            }
        }
    }

    /// Do the successors take more than they may? Then the last one says so.
    fn is_full(&self, out: &mut Successors) -> bool {
        if out.used <= self.patience.successor_bytes_max {
            return false;
        }
        let is_told = out.faults.last().is_some_and(|fault| fault.kind == FaultKind::Interrupted);
        if let Some(last) = out.items.last().filter(|_| !is_told) {
            let (step, message) = (last.step(), "the successors of one state take too much memory");
            let span = self.model.transition(step.transition).span;
            let fault =
                Trouble { kind: FaultKind::Interrupted, message: message.to_string(), is_spawn: false };
            out.push(step, None, None, Some(fault.at(span)));
        }
        true
    }

    fn try_process(&mut self, pid: usize, transitions: &'m [TransId], saved: &[u8], out: &mut Successors) {
        let mut escape = 0;
        let mut moved = false;
        for id in transitions {
            if self.is_full(out) {
                return;
            }
            let transition = self.model.transition(*id);
            if escape > 0 && escape != transition.escape {
                break;
            }
            if matches!(transition.guard, Guard::Otherwise) && moved {
                continue;
            }
            let step = Step { pid: pid as u8, transition: *id, partner: None };
            let before = out.items.len();
            self.take_events_back(0);
            self.is_second = moved && self.process(pid).deterministic && is_watched(transition);
            match self.try_transition(pid, transition, step, saved, out) {
                Ok(Taken::No) => {}
                Ok(Taken::Alone) => {
                    moved = true;
                    escape = transition.escape;
                }
                Ok(Taken::WithPartner) => {
                    if out.items[before..].iter().any(|item| is_possible(out, item)) {
                        moved = true;
                        escape = transition.escape;
                    }
                }
                Err(trouble) => {
                    moved |= !trouble.kind.blocks();
                    // What went wrong in a step before it was given up did go wrong.
                    if trouble.kind.is_limit()
                        && let Some(noted) = self.noted.take()
                    {
                        self.list_failure(step, noted, out);
                    }
                    self.list_failure(step, trouble.at(transition.span), out);
                }
            }
            self.restore(saved);
        }
    }

    /// Lists the state that a step has led to.
    fn list(&mut self, step: Step, control: Option<u8>, fault: Option<Fault>, out: &mut Successors) {
        if let Some(recording) = &mut self.recording {
            recording.list(out.items.len());
        }
        out.push(step, control, Some(&self.state), fault);
    }

    /// Lists a step that a fault cut short. The same step may go wrong with timeouts as it did without them.
    fn list_failure(&mut self, step: Step, fault: Fault, out: &mut Successors) {
        let is_same = |item: &Successor| item.step() == step && out.fault(item) == Some(&fault);
        if self.timeout && out.items.iter().any(is_same) {
            return;
        }
        if let Some(recording) = &mut self.recording {
            recording.list(out.items.len());
        }
        out.push(step, None, None, Some(fault));
    }

    fn take_events_back(&mut self, count: usize) {
        if let Some(recording) = &mut self.recording {
            recording.take_back(count);
        }
    }

    /// Takes one transition if it can be taken, and records the successors.
    fn try_transition(
        &mut self,
        pid: usize,
        transition: &'m Transition,
        step: Step,
        saved: &[u8],
        out: &mut Successors,
    ) -> Outcome<Taken> {
        if let Guard::When(condition) = &transition.guard
            && !self.holds(pid, condition)?
        {
            return Ok(Taken::No);
        }
        if let [Action::Send(send), rest @ ..] = &transition.actions[..] {
            let number = self.eval(pid, &send.channel)?;
            let (_, channel) = self.channel(number)?;
            if channel.is_rendezvous() {
                let values = self.message(pid, send, &channel.fields)?;
                self.offer = Some(Offer { channel: number as u8, values });
                self.perform_rest(pid, rest)?;
                self.rendezvous(pid, transition, step, saved, out);
                self.offer = None;
                return Ok(Taken::WithPartner);
            }
        }
        for action in &transition.actions {
            if !self.perform(pid, action)? {
                return Ok(Taken::No);
            }
        }
        self.finish_step(pid, transition);
        let fault = self.take_noted(transition.span);
        let control = transition.keeps_control.then_some(pid as u8);
        self.list(step, control, fault, out);
        Ok(Taken::Alone)
    }

    /// Moves the process to its next control state.
    fn finish_step(&mut self, pid: usize, transition: &Transition) {
        if let Some(to) = transition.to {
            self.set_control_state(pid, to);
        }
        self.set_last(pid as u8);
    }

    /// The fault noted in this step, with its place.
    fn take_noted(&mut self, span: Span) -> Option<Fault> {
        if self.is_second && self.noted.is_none() {
            let message = "two steps are possible at once in a deterministic process".to_string();
            self.noted = Some(Fault { kind: FaultKind::Nondeterminism, message, span });
        }
        let mut fault = self.noted.take()?;
        if fault.span == Span::default() {
            fault.span = span;
        }
        Some(fault)
    }

    /// Lets every other process take the message on offer, each in turn.
    fn rendezvous(
        &mut self,
        pid: usize,
        transition: &'m Transition,
        step: Step,
        saved: &[u8],
        out: &mut Successors,
    ) {
        let Some(Offer { channel, values }) =
            self.offer.as_ref().map(|o| Offer { channel: o.channel, values: o.values.clone() })
        else {
            return;
        };
        self.finish_step(pid, transition);
        self.observe(channel, true, &values);
        self.note(Event::Sent { pid: pid as u8, channel, values: values.clone(), lost: false });
        let sent_fault = self.noted.take();
        let halfway = self.state.clone();
        let events = self.recording.as_ref().map_or(0, Recording::event_count);
        for receiver in (0..self.process_count()).rev().filter(|receiver| *receiver != pid) {
            let mut escape = 0;
            let mut received = false;
            for id in &self.process(receiver).states[self.control_state(receiver).index()].transitions {
                let taking = self.model.transition(*id);
                if escape > 0 && escape != taking.escape {
                    break;
                }
                let step = Step { partner: Some((receiver as u8, *id)), ..step };
                match self.take_offer(receiver, taking, channel, &values) {
                    Ok(true) => {
                        self.is_second |=
                            received && self.process(receiver).deterministic && is_watched(taking);
                        received = true;
                        self.finish_step(receiver, taking);
                        let control = taking.keeps_control.then_some(receiver as u8);
                        self.noted = sent_fault.clone().or(self.noted.take());
                        let fault = self.take_noted(transition.span);
                        self.list(step, control, fault, out);
                        escape = taking.escape;
                    }
                    Ok(false) => {}
                    Err(trouble) => self.list_failure(step, trouble.at(taking.span), out),
                }
                self.restore(&halfway);
                self.take_events_back(events);
            }
        }
        self.restore(saved);
    }

    /// Takes the message on offer with this transition, if it is a receive that fits.
    fn take_offer(
        &mut self,
        pid: usize,
        transition: &'m Transition,
        channel: u8,
        values: &[i32],
    ) -> Outcome<bool> {
        match &transition.actions[..] {
            [Action::Receive(receive), rest @ ..] => {
                let taken = self.accept_offer(pid, receive, channel, values)?;
                if taken {
                    self.perform_rest(pid, rest)?;
                }
                Ok(taken)
            }
            [Action::Block(id), rest @ ..] => {
                let block = self.model.block(*id);
                for step in &block.nodes[block.entry as usize].steps {
                    if let [Action::Receive(receive)] = &step.actions[..]
                        && self.accept_offer(pid, receive, channel, values)?
                    {
                        self.finish_block(pid, block, step)?;
                        return self.perform_rest(pid, rest).map(|()| true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// What a transition does behind its part in a rendezvous: assignments that concern its own process.
    fn perform_rest(&mut self, pid: usize, rest: &'m [Action]) -> Outcome<()> {
        rest.iter().try_for_each(|action| self.perform(pid, action).map(|_| ()))
    }

    fn accept_offer(
        &mut self,
        pid: usize,
        receive: &'m Receive,
        channel: u8,
        values: &[i32],
    ) -> Outcome<bool> {
        if self.eval(pid, &receive.channel)? != i32::from(channel) || receive.peek || !self.may_run(pid)? {
            return Ok(false);
        }
        if receive.patterns.len() != values.len() {
            return crate::eval::wrong_field_count(receive.patterns.len(), values.len());
        }
        if !self.fits(pid, &receive.patterns, |field| values[field])? {
            return Ok(false);
        }
        self.observe(channel, false, values);
        self.bind(pid, &receive.patterns, values)?;
        self.note(Event::Received { pid: pid as u8, channel, values: values.to_vec(), peek: false });
        Ok(true)
    }

    /// May the process run at all: its provided clause, and no process of higher priority that can move.
    fn may_run(&self, pid: usize) -> Outcome<bool> {
        if !self.is_provided(pid)? {
            return Ok(false);
        }
        if self.model.uses_priorities {
            for other in 0..self.process_count() {
                if self.priority(other) > self.priority(pid)
                    && self.is_provided(other)?
                    && self.can_move(other)?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn is_provided(&self, pid: usize) -> Outcome<bool> {
        match &self.process(pid).provided {
            Some(condition) => self.holds(pid, condition),
            None => Ok(true),
        }
    }

    /// Could the process take a step by itself now? (A rendezvous counts if the channel is free: it always is.)
    pub fn can_move(&self, pid: usize) -> Outcome<bool> {
        for id in &self.process(pid).states[self.control_state(pid).index()].transitions {
            let transition = self.model.transition(*id);
            if self.guard_holds(pid, &transition.guard)? && self.actions_possible(pid, &transition.actions)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `Otherwise` holds here because the steps before it were found impossible.
    pub(crate) fn guard_holds(&self, pid: usize, guard: &Guard) -> Outcome<bool> {
        match guard {
            Guard::Always | Guard::Otherwise => Ok(true),
            Guard::When(condition) => self.holds(pid, condition),
        }
    }

    fn actions_possible(&self, pid: usize, actions: &'m [Action]) -> Outcome<bool> {
        match actions.first() {
            Some(Action::Send(send)) => {
                let found = self.channel(self.eval(pid, &send.channel)?)?;
                let room = self.channel_len(found) < usize::from(found.1.capacity);
                Ok(found.1.is_rendezvous() || room || self.options.lossy)
            }
            Some(Action::Receive(receive)) => {
                let found = self.channel(self.eval(pid, &receive.channel)?)?;
                Ok(!found.1.is_rendezvous() && self.matching_slot(pid, receive, found)?.is_some())
            }
            Some(Action::Exit) => Ok(pid + 1 == self.process_count()),
            Some(Action::Block(id)) => {
                let block = self.model.block(*id);
                for step in &block.nodes[block.entry as usize].steps {
                    if self.guard_holds(pid, &step.guard)? && self.actions_possible(pid, &step.actions)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(true),
        }
    }
}

/// Is there a step that can be taken?
fn moves(out: &Successors) -> bool {
    out.items.iter().any(|item| is_possible(out, item))
}

/// Can the step be taken? One whose fault blocks it cannot.
fn is_possible(out: &Successors, item: &Successor) -> bool {
    item.has_state() || out.fault(item).is_none_or(|fault| !fault.kind.blocks())
}

/// Does SPIN watch this step for nondeterminism? Not an empty one, nor a jump.
fn is_watched(transition: &Transition) -> bool {
    let plain = matches!(transition.guard, Guard::Always | Guard::Otherwise);
    match transition.actions.first() {
        None => !plain,
        Some(action) => !matches!(action, Action::Block(_) | Action::Exit),
    }
}

/// How a transition was taken.
enum Taken {
    No,
    Alone,
    /// A rendezvous was offered; the successors tell whether anybody took it.
    WithPartner,
}
