//! Native code for a process that has control: it goes on by itself to the states at the ends of its chains.
//!
//! The vector it is given is a slot of the buffer, which it may change. Where at most one step is possible, and for the last one
//! that is tried, the step is taken in place; others are taken in copies. Behind a step that keeps control, the code of the next
//! control state is called; a state is listed. Nothing else is written down of the steps but that they were taken, and how many.

use crate::context::{CLOSES, DEPTH, EXECUTED, OFFER_CLOSES, OUT, OUT_MAX, STRIDE, TAKEN, VECTOR_BYTES};
use crate::emit::Emitter;
use crate::links;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I32, types::I64};
use panoptes_model::{TransId, Transition};

/// More steps than this are not followed at once: each may be one more level of calls.
pub(crate) const TAKEN_MAX: i32 = 1_000;

/// How a function for a process that has control is written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Alone {
    /// The step at hand may change the vector that was given.
    pub in_place: bool,
    /// The step at hand takes a message in a rendezvous.
    pub accepts: bool,
}

impl Emitter<'_, '_> {
    /// Finds the slot for a step: that of the vector, or the next free one.
    pub fn begin_alone(&mut self, alone: Alone) {
        if alone.in_place {
            self.slot = self.source;
            self.set_copied();
            return;
        }
        self.slot = self.context_field(I64, OUT);
        let most = self.context_field(I64, OUT_MAX);
        let is_beyond = self.compare(IntCC::UnsignedGreaterThan, self.slot, most);
        self.bail_if(is_beyond);
    }

    /// The step was taken in the slot: goes on from there, or lists the state.
    pub fn commit_alone(&mut self, alone: Alone, id: TransId, transition: &Transition, bytes: Value) {
        self.write_last();
        if !alone.in_place {
            let stride = self.context_field(I64, STRIDE);
            let out = self.builder.ins().iadd(self.slot, stride);
            self.store(out, self.context, OUT);
        }
        self.note_taken(id);
        self.taken(transition);
        let depth = self.context_field(I32, DEPTH);
        let deeper = self.builder.ins().iadd_imm_s(depth, 1);
        self.store(deeper, self.context, DEPTH);
        match transition.to.filter(|_| transition.keeps_control) {
            // Where everything is may be different behind such a step.
            Some(_) if self.creates() => self.bail(),
            Some(to) => self.go_on(alone, id, transition.process.index(), to.index()),
            None => {
                let signature = &self.shared.signatures.end;
                let lets_go = self.int(0);
                let args = [self.context, self.slot, bytes, lets_go];
                self.call(links::end as *const () as usize, signature, &args);
            }
        }
        self.store(depth, self.context, DEPTH);
    }

    /// No step was possible: the vector is a state.
    pub fn let_go(&mut self) {
        let bytes = self.context_field(I32, VECTOR_BYTES);
        let lets_go = self.int(1);
        let args = [self.context, self.source, bytes, lets_go];
        let signature = &self.shared.signatures.end;
        self.call(links::end as *const () as usize, signature, &args);
    }

    /// Counts a step, and notes that its rule was executed.
    fn note_taken(&mut self, id: TransId) {
        let taken = self.context_field(I32, TAKEN);
        let taken = self.builder.ins().iadd_imm_s(taken, 1);
        self.store(taken, self.context, TAKEN);
        let most = self.int(TAKEN_MAX);
        let is_long = self.compare(IntCC::UnsignedGreaterThan, taken, most);
        self.bail_if(is_long);
        let executed = self.context_field(I64, EXECUTED);
        let (word, bit) = (id.index() / 64 * 8, id.index() % 64);
        let set = self.load(I64, executed, word as i32);
        let mark = self.long(1 << bit);
        let set = self.builder.ins().bor(set, mark);
        self.store(set, executed, word as i32);
    }

    /// Calls the code of the control state that the step leads to.
    fn go_on(&mut self, alone: Alone, id: TransId, ty: usize, to: usize) {
        let closes = self.context_field(I64, CLOSES);
        let mut is_link = self.builder.ins().uload8(I32, crate::emit::flags(), closes, id.index() as i32);
        if alone.accepts {
            let sending = self.context_field(I32, OFFER_CLOSES);
            is_link = self.builder.ins().bor(is_link, sending);
        }
        let (linked, plain, done) = (self.block(), self.block(), self.block());
        self.builder.append_block_param(done, I32);
        self.builder.set_cold_block(linked);
        self.branch(is_link, linked, plain);
        let args = [self.context, self.slot, self.base, self.pid];
        self.switch_to(linked);
        let signature = &self.shared.signatures.state;
        let answer = if alone.accepts {
            self.call(links::accepted_linked as *const () as usize, signature, &args)
        } else {
            self.call(links::linked as *const () as usize, signature, &args)
        };
        self.builder.ins().jump(done, &[answer.into()]);
        self.switch_to(plain);
        let answer = if alone.accepts {
            self.call(links::accepted as *const () as usize, signature, &args)
        } else {
            // SAFETY: the table has a place for every control state of the type.
            let place = unsafe { self.shared.alones[ty].add(to) };
            let place = self.long(place as i64);
            let code = self.load(I64, place, 0);
            self.call_code(code, &args)
        };
        self.builder.ins().jump(done, &[answer.into()]);
        self.switch_to(done);
        let answer = self.builder.block_params(done)[0];
        self.bail_if(answer);
    }
}
