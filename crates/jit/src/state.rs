//! Native code for a control state: all its steps, or all it can take from a rendezvous.

use crate::action::BUDGET;
use crate::channel::Found;
use crate::context::{
    ITEMS, MESSAGE, OFFER_CHANNEL, OFFER_COUNT, OUT, PROCESS_COUNT, REFILLS, SLOTS, STRIDE,
};
use crate::emit::{Emitter, Shared, flags};
use crate::exclusive::are_exclusive;
use crate::helpers;
use crate::links;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types::I8, types::I16, types::I32, types::I64};
use panoptes_exec::Successor;
use panoptes_model::{Action, BlockStep, ControlState, Guard, Model, Receive, Send, TransId, Transition};
use std::mem::offset_of;

impl<'a, 'm> Emitter<'a, 'm> {
    /// The steps that a process makes by itself, or as the sender in a rendezvous.
    pub fn steps(&mut self, state: &'m ControlState) {
        let leave = self.block();
        let is_alone = self.alone.is_some();
        self.provided(leave, !is_alone);
        let Shared { model, constants, .. } = self.shared;
        let are_exclusive = is_alone && !self.process.deterministic && are_exclusive(model, constants, state);
        self.groups(state, leave, |this, id, transition, next| {
            if let Some(alone) = &mut this.alone {
                alone.in_place = are_exclusive || state.transitions.last() == Some(&id);
            }
            // Nothing else is possible then, and the vector may be another.
            let after = if are_exclusive { leave } else { next };
            if matches!(transition.guard, Guard::Otherwise) {
                let moved = this.builder.use_var(this.moved);
                let zero = this.int(0);
                let first = this.compare(IntCC::Equal, moved, zero);
                this.go_on_if(first, next);
            }
            if let Guard::When(condition) = &transition.guard {
                let holds = this.eval(condition);
                this.go_on_if(holds, next);
            }
            this.begin(transition);
            match &transition.actions[..] {
                [Action::Exit] => {
                    this.exit(id, next);
                    this.jump(after);
                }
                [Action::Send(send), rest @ ..] => {
                    this.send(send, next, |this, found| this.offer(send, id, found, next, after));
                    rest.iter().for_each(|action| this.perform(action, next));
                    this.commit(id, transition);
                    this.jump(after);
                }
                actions => {
                    for action in actions {
                        this.perform(action, next);
                    }
                    this.commit(id, transition);
                    this.jump(after);
                }
            }
        });
        if is_alone {
            let (blocked, done) = (self.block(), self.block());
            let moved = self.builder.use_var(self.moved);
            self.branch(moved, done, blocked);
            self.switch_to(blocked);
            self.let_go();
            self.jump(done);
            self.switch_to(done);
        }
    }

    /// The steps that take the message on offer.
    pub fn accepts(&mut self, state: &'m ControlState) {
        let leave = self.block();
        let model = self.shared.model;
        self.groups(state, leave, |this, id, transition, next| {
            match &transition.actions[..] {
                [Action::Receive(receive), rest @ ..] => {
                    this.begin(transition);
                    this.accept(receive, next);
                    rest.iter().for_each(|action| this.perform(action, next));
                    this.commit(id, transition);
                }
                [Action::Block(block), rest @ ..] => {
                    let block = model.block(*block);
                    this.begin(transition);
                    let before = this.mark();
                    for step in &block.nodes[block.entry as usize].steps {
                        if let [Action::Receive(receive)] = &step.actions[..] {
                            let other = this.block();
                            this.accept(receive, other);
                            this.finish_block(block, step);
                            rest.iter().for_each(|action| this.perform(action, next));
                            this.commit(id, transition);
                            this.jump(next);
                            this.switch_to(other);
                            this.reset(before);
                        }
                    }
                }
                _ => {}
            }
            this.jump(next);
        });
    }

    /// Writes `code` for each transition; an escape that was taken switches off what is behind it.
    fn groups(
        &mut self,
        state: &'m ControlState,
        leave: Block,
        mut code: impl FnMut(&mut Self, TransId, &'m Transition, Block),
    ) {
        let model: &'m Model = self.shared.model;
        let mut escape = 0;
        for id in &state.transitions {
            let transition = model.transition(*id);
            if escape > 0 && transition.escape != escape {
                let escaped = self.builder.use_var(self.escaped);
                let go_on = self.block();
                self.branch(escaped, leave, go_on);
                self.switch_to(go_on);
            }
            escape = transition.escape;
            let next = self.block();
            code(self, *id, transition, next);
            self.switch_to(next);
            self.reset((self.source, false));
        }
        self.jump(leave);
        self.switch_to(leave);
    }

    /// Goes to `otherwise` if the process must not run now.
    fn provided(&mut self, otherwise: Block, is_loaded: bool) {
        if let Some(condition) = &self.process.provided {
            let holds = self.eval(condition);
            self.go_on_if(holds, otherwise);
        }
        if self.shared.model.uses_priorities {
            self.outranked(is_loaded, otherwise);
        }
    }

    fn begin(&mut self, transition: &Transition) {
        match self.alone {
            Some(alone) => self.begin_alone(alone),
            None => self.slot = self.context_field(I64, OUT),
        }
        self.begin_spawning(&transition.actions);
        if transition.actions.iter().any(|action| matches!(action, Action::Block(_))) {
            let budget = self.int(BUDGET);
            self.builder.def_var(self.budget, budget);
            self.store_constant(I32, 0, self.context, REFILLS);
        }
    }

    /// Records the successor in the slot.
    fn commit(&mut self, id: TransId, transition: &Transition) {
        self.copy();
        if let Some(to) = transition.to {
            let frame = self.frame();
            let layout = self.process.frame;
            let ty = if layout.short_state { I8 } else { I16 };
            self.store_constant(ty, i64::from(to.0), frame, layout.state_at() as i32);
        }
        let bytes = self.bytes_with_newborn();
        self.conclude(id, transition, bytes);
    }

    /// The successor is in the slot, and has so many bytes.
    fn conclude(&mut self, id: TransId, transition: &Transition, bytes: Value) {
        if let Some(alone) = self.alone {
            return self.commit_alone(alone, id, transition, bytes);
        }
        self.record(id, bytes);
        self.taken(transition);
    }

    /// Writes down who made the step, if the model asks for that.
    pub fn write_last(&mut self) {
        if let Some(last) = self.shared.model.header.last {
            self.write(panoptes_model::ScalarType::BYTE, self.pid, self.slot, last as i32);
        }
    }

    fn record(&mut self, id: TransId, bytes: Value) {
        self.write_last();
        let items = self.context_field(I64, ITEMS);
        let slots = self.context_field(I64, SLOTS);
        let start = self.builder.ins().isub(self.slot, slots);
        self.store_constant(I32, i64::from(id.0), items, offset_of!(Successor, transition) as i32);
        self.store_constant(I32, i64::from(Successor::NONE.0), items, offset_of!(Successor, sending) as i32);
        self.builder.ins().istore32(flags(), start, items, offset_of!(Successor, start) as i32);
        self.store(bytes, items, offset_of!(Successor, bytes) as i32);
        self.store_constant(I32, i64::from(Successor::NO_FAULT), items, offset_of!(Successor, fault) as i32);
        let pid = offset_of!(Successor, pid) as i32;
        self.builder.ins().istore8(flags(), self.pid, items, pid);
        self.store_constant(I8, 1, items, offset_of!(Successor, has_state) as i32);
        let control = offset_of!(Successor, control) as i32;
        if self.shared.model.transition(id).keeps_control {
            self.builder.ins().istore8(flags(), self.pid, items, control);
        } else {
            self.store_constant(I8, i64::from(Successor::NOBODY), items, control);
        }
        self.store_constant(I8, 0, items, offset_of!(Successor, sender) as i32);
        let items = self.builder.ins().iadd_imm_s(items, size_of::<Successor>() as i64);
        self.store(items, self.context, ITEMS);
        let stride = self.context_field(I64, STRIDE);
        let out = self.builder.ins().iadd(self.slot, stride);
        self.store(out, self.context, OUT);
    }

    /// Remembers that a step was taken. A second one in a process that promises one at most is a fault.
    pub fn taken(&mut self, transition: &Transition) {
        if self.process.deterministic {
            let moved = self.builder.use_var(self.moved);
            if !matches!(transition.actions.first(), Some(Action::Exit)) {
                self.bail_if(moved);
            }
        }
        let one = self.int(1);
        self.builder.def_var(self.moved, one);
        self.builder.def_var(self.escaped, one);
    }

    /// Is the process the last one?
    pub fn is_youngest(&mut self) -> Value {
        let count = self.context_field(I32, PROCESS_COUNT);
        let after = self.builder.ins().iadd_imm_s(self.pid, 1);
        self.compare(IntCC::Equal, after, count)
    }

    fn exit(&mut self, id: TransId, next: Block) {
        let youngest = self.is_youngest();
        self.go_on_if(youngest, next);
        self.copy();
        let at = self.shared.model.header.process_count() as i32;
        self.write(panoptes_model::ScalarType::BYTE, self.pid, self.slot, at);
        let bytes = self.builder.ins().ireduce(I32, self.base);
        self.conclude(id, self.shared.model.transition(id), bytes);
    }

    /// Offers a message to all other processes; the helper lets them take it.
    fn offer(&mut self, send: &Send, id: TransId, found: Found<'a>, next: Block, after: Block) {
        if send.args.len() != found.shape.fields.len() {
            self.bail();
            return self.jump(next);
        }
        let values: Vec<Value> = send.args.iter().map(|arg| self.eval(arg)).collect();
        let fields = &found.shape.fields;
        let values: Vec<Value> =
            values.into_iter().zip(fields).map(|(value, ty)| self.wrap(*ty, value)).collect();
        self.store_message(&values, 0);
        self.store(found.number, self.context, OFFER_CHANNEL);
        self.store_constant(I32, fields.len() as i64, self.context, OFFER_COUNT);
        let transition = self.int(id.0 as i32);
        let signatures = &self.shared.signatures;
        let answer = if self.alone.is_some() {
            let args = [self.context, self.source, self.pid, transition];
            self.call(links::rendezvous as *const () as usize, &signatures.rendezvous_alone, &args)
        } else {
            let args = [self.context, self.pid, transition];
            self.call(helpers::rendezvous as *const () as usize, &signatures.rendezvous, &args)
        };
        let zero = self.int(0);
        let failed = self.compare(IntCC::SignedLessThan, answer, zero);
        self.bail_if(failed);
        self.go_on_if(answer, next);
        self.taken(self.shared.model.transition(id));
        self.jump(after);
    }

    /// Takes the message on offer, if the receive is on that channel and the message fits.
    fn accept(&mut self, receive: &Receive, fail: Block) {
        let number = self.eval(&receive.channel);
        if receive.peek {
            self.jump(fail);
            let unreached = self.block();
            self.switch_to(unreached);
        }
        let offered = self.context_field(I32, OFFER_CHANNEL);
        let same = self.compare(IntCC::Equal, number, offered);
        self.go_on_if(same, fail);
        self.provided(fail, false);
        let count = self.context_field(I32, OFFER_COUNT);
        let given = self.int(receive.patterns.len() as i32);
        let differs = self.compare(IntCC::NotEqual, count, given);
        self.bail_if(differs);
        let message = self.context_field(I64, MESSAGE);
        self.fits(&receive.patterns, fail, |this, field| this.load(I32, message, 4 * field as i32));
        self.copy();
        let values: Vec<Value> =
            (0..receive.patterns.len()).map(|field| self.load(I32, message, 4 * field as i32)).collect();
        self.observe(&receive.channel, number, false, &values);
        self.bind(&receive.patterns, &values);
    }
}

/// The receives of a state that might take a message in a rendezvous, as far as their form tells.
pub(crate) fn receives<'m>(model: &'m Model, state: &'m ControlState) -> impl Iterator<Item = &'m Receive> {
    state.transitions.iter().flat_map(|id| match &model.transition(*id).actions[..] {
        [Action::Receive(receive), ..] => vec![receive],
        [Action::Block(id), ..] => {
            let block = model.block(*id);
            let first = |step: &'m BlockStep| match &step.actions[..] {
                [Action::Receive(receive)] => Some(receive),
                _ => None,
            };
            block.nodes[block.entry as usize].steps.iter().filter_map(first).collect()
        }
        _ => Vec::new(),
    })
}
