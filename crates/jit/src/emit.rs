//! The writer of one native function: the vector at hand, when it is copied, and how the function gives up.

use crate::alone::Alone;
use crate::context::{BAIL, CHUNK, LAST_CHUNK, StateFn};
use crate::monitor::Watch;
use crate::shapes::Shape;
use crate::spawn::Spawning;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, types::I8, types::I8X16, types::I16,
    types::I32, types::I64,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use panoptes_model::{Model, Process, ScalarType};
use std::collections::HashMap;

/// What all functions of a model share while they are written.
pub(crate) struct Shared<'m> {
    pub model: &'m Model,
    pub shapes: Vec<Shape>,
    /// A send to a full channel loses its message.
    pub is_lossy: bool,
    /// The trace assertion.
    pub watch: Option<Watch>,
    pub constants: HashMap<u32, (ScalarType, i32)>,
    /// For each process type, where the numbers of its control states are.
    pub numbers_table: *const *const u16,
    /// The calling conventions of the helpers.
    pub signatures: crate::helpers::Signatures,
    /// For each process type, where the codes of its control states are for a process that has control.
    pub alones: Vec<*const StateFn>,
}

/// Writes one function. Expressions read the vector at `vector`: before the copy that is the state itself, afterwards
/// the successor under construction.
pub(crate) struct Emitter<'a, 'm> {
    pub builder: FunctionBuilder<'a>,
    pub shared: &'a Shared<'m>,
    pub process: &'m Process,
    pub context: Value,
    pub source: Value,
    pub base: Value,
    pub pid: Value,
    pub vector: Value,
    /// The slot of the successor, once a transition has begun.
    pub slot: Value,
    pub is_copied: bool,
    /// The process has control, and goes on by itself.
    pub alone: Option<Alone>,
    /// What is written belongs to a process that is being created; and what the transition at hand creates.
    pub is_newborn: bool,
    pub spawning: Spawning,
    /// Has any step been taken; has one of the current escape?
    pub moved: Variable,
    pub escaped: Variable,
    /// Steps that blocks may still take.
    pub budget: Variable,
    bail: Block,
    signatures: HashMap<usize, SigRef>,
}

pub(crate) fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a, 'm> Emitter<'a, 'm> {
    pub fn new(
        mut builder: FunctionBuilder<'a>,
        shared: &'a Shared<'m>,
        process: &'m Process,
    ) -> Emitter<'a, 'm> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let params = builder.block_params(entry).to_vec();
        let bail = builder.create_block();
        builder.set_cold_block(bail);
        let (moved, escaped, budget) =
            (builder.declare_var(I32), builder.declare_var(I32), builder.declare_var(I32));
        let zero = builder.ins().iconst(I32, 0);
        for variable in [moved, escaped, budget] {
            builder.def_var(variable, zero);
        }
        Emitter {
            builder,
            shared,
            process,
            context: params[0],
            source: params[1],
            base: params[2],
            pid: params[3],
            vector: params[1],
            slot: params[1],
            is_copied: false,
            alone: None,
            is_newborn: false,
            spawning: Spawning::default(),
            moved,
            escaped,
            budget,
            bail,
            signatures: HashMap::new(),
        }
    }

    /// Ends the function here and writes its shared end.
    pub fn finish(mut self, config: cranelift_codegen::isa::TargetFrontendConfig) {
        self.return_value(0);
        self.builder.switch_to_block(self.bail);
        self.end_spawning();
        self.return_value(BAIL);
        self.builder.seal_all_blocks();
        self.builder.finalize(config);
    }

    pub fn return_value(&mut self, value: u32) {
        let value = self.int(value as i32);
        self.builder.ins().return_(&[value]);
    }

    pub fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(I32, i64::from(value))
    }

    pub fn long(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(I64, value)
    }

    pub fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub fn jump(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    pub fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.builder.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Goes on only if `condition` is not zero; otherwise jumps to `otherwise`.
    pub fn go_on_if(&mut self, condition: Value, otherwise: Block) {
        let next = self.block();
        self.branch(condition, next, otherwise);
        self.switch_to(next);
    }

    /// Gives up if `condition` is not zero.
    pub fn bail_if(&mut self, condition: Value) {
        let next = self.block();
        self.branch(condition, self.bail, next);
        self.switch_to(next);
    }

    /// Gives up here; what is written next is never reached.
    pub fn bail(&mut self) {
        self.jump(self.bail);
        let unreached = self.block();
        self.switch_to(unreached);
    }

    pub fn compare(&mut self, code: IntCC, a: Value, b: Value) -> Value {
        let result = self.builder.ins().icmp(code, a, b);
        self.builder.ins().uextend(I32, result)
    }

    pub fn widen(&mut self, value: Value) -> Value {
        self.builder.ins().uextend(I64, value)
    }

    pub fn load(&mut self, ty: Type, address: Value, offset: i32) -> Value {
        self.builder.ins().load(ty, flags(), address, offset)
    }

    pub fn store(&mut self, value: Value, address: Value, offset: i32) {
        self.builder.ins().store(flags(), value, address, offset);
    }

    pub fn context_field(&mut self, ty: Type, offset: i32) -> Value {
        self.load(ty, self.context, offset)
    }

    /// Reads a scalar as 32 bits.
    pub fn read(&mut self, ty: ScalarType, address: Value, offset: i32) -> Value {
        let ins = self.builder.ins();
        match (ty.bytes(), ty.signed) {
            (1, false) => ins.uload8(I32, flags(), address, offset),
            (1, true) => ins.sload8(I32, flags(), address, offset),
            (2, false) => ins.uload16(I32, flags(), address, offset),
            (2, true) => ins.sload16(I32, flags(), address, offset),
            _ => ins.load(I32, flags(), address, offset),
        }
    }

    /// Cuts a 32-bit value to a type.
    pub fn wrap(&mut self, ty: ScalarType, value: Value) -> Value {
        let unused = 32 - i64::from(ty.bits);
        if unused == 0 {
            return value;
        }
        let high = self.builder.ins().ishl_imm_s(value, unused);
        if ty.signed {
            self.builder.ins().sshr_imm_s(high, unused)
        } else {
            self.builder.ins().ushr_imm_s(high, unused)
        }
    }

    /// Cuts a value to a type and stores it.
    pub fn write(&mut self, ty: ScalarType, value: Value, address: Value, offset: i32) {
        let whole = usize::from(ty.bits) == ty.bytes() * 8;
        let value = if whole { value } else { self.wrap(ty, value) };
        match ty.bytes() {
            1 => self.builder.ins().istore8(flags(), value, address, offset),
            2 => self.builder.ins().istore16(flags(), value, address, offset),
            _ => self.builder.ins().store(flags(), value, address, offset),
        };
    }

    pub fn store_constant(&mut self, ty: Type, value: i64, address: Value, offset: i32) {
        debug_assert!([I8, I16, I32].contains(&ty));
        let value = self.builder.ins().iconst(ty, value);
        self.store(value, address, offset);
    }

    /// From here on the successor is written: copies the vector into its slot, once.
    pub fn copy(&mut self) {
        if self.is_copied {
            return;
        }
        // Whole chunks from the front, and then the last one, which may overlap with the one before.
        let last = self.context_field(I64, LAST_CHUNK);
        let (test, body, done) = (self.block(), self.block(), self.block());
        let at = self.builder.declare_var(I64);
        let zero = self.long(0);
        self.builder.def_var(at, zero);
        self.jump(test);
        self.switch_to(test);
        let index = self.builder.use_var(at);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, last);
        self.branch(more, body, done);
        self.switch_to(body);
        self.copy_chunk(index);
        let next = self.builder.ins().iadd_imm_s(index, CHUNK as i64);
        self.builder.def_var(at, next);
        self.jump(test);
        self.switch_to(done);
        self.copy_chunk(last);
        self.vector = self.slot;
        self.is_copied = true;
    }

    fn copy_chunk(&mut self, at: Value) {
        let from = self.builder.ins().iadd(self.source, at);
        let to = self.builder.ins().iadd(self.slot, at);
        let chunk = self.load(I8X16, from, 0);
        self.store(chunk, to, 0);
    }

    /// Goes back to reading the vector itself, for the next thing that may be tried.
    pub fn mark(&self) -> (Value, bool) {
        (self.vector, self.is_copied)
    }

    pub fn reset(&mut self, (vector, is_copied): (Value, bool)) {
        (self.vector, self.is_copied) = (vector, is_copied);
    }

    /// Everything that leads here has made the copy.
    pub fn set_copied(&mut self) {
        (self.vector, self.is_copied) = (self.slot, true);
    }

    /// Calls a helper; its value is 32 bits.
    pub fn call(&mut self, helper: usize, signature: &Signature, args: &[Value]) -> Value {
        let reference = match self.signatures.get(&helper) {
            Some(reference) => *reference,
            None => {
                let reference = self.builder.import_signature(signature.clone());
                self.signatures.insert(helper, reference);
                reference
            }
        };
        let address = self.long(helper as i64);
        let call = self.builder.ins().call_indirect(reference, address, args);
        self.builder.inst_results(call)[0]
    }

    /// Calls the code of a control state.
    pub fn call_code(&mut self, code: Value, args: &[Value]) -> Value {
        // Helpers have addresses, and none of them is 0.
        let reference = match self.signatures.get(&0) {
            Some(reference) => *reference,
            None => {
                let reference = self.builder.import_signature(self.shared.signatures.state.clone());
                self.signatures.insert(0, reference);
                reference
            }
        };
        let call = self.builder.ins().call_indirect(reference, code, args);
        self.builder.inst_results(call)[0]
    }
}
