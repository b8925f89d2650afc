//! Native code that creates a process: its frame is written behind the copy of the vector.

use crate::context::{CHANNEL_COUNT, PROCESS_COUNT, VECTOR_BYTES};
use crate::emit::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I8, types::I16, types::I32};
use panoptes_model::{FrameLayout, Model, ProcId, ProcessKind, ScalarType, Spawn};

/// What the reference executor allows; beyond, it is asked for the fault.
const PROCESSES_MAX: i32 = 255;
const CHANNELS_MAX: i32 = 255;
const VECTOR_BYTES_MAX: i32 = 1 << 20;

impl<'m> Emitter<'_, 'm> {
    /// Creates the process and gives its number.
    pub fn spawn(&mut self, spawn: &Spawn) -> Value {
        let model: &'m Model = self.shared.model;
        let process = model.process(spawn.process);
        let args: Vec<Value> = spawn.args.iter().map(|arg| self.eval(arg)).collect();
        let pid = self.context_field(I32, PROCESS_COUNT);
        let bytes = self.context_field(I32, VECTOR_BYTES);
        self.bail_beyond(pid, PROCESSES_MAX - 1);
        self.bail_beyond(bytes, VECTOR_BYTES_MAX - process.frame.bytes as i32);
        if !process.channels.is_empty() {
            let channels = self.context_field(I32, CHANNEL_COUNT);
            self.bail_beyond(channels, CHANNELS_MAX - process.channels.len() as i32);
        }
        self.copy();
        let count = self.builder.ins().iadd_imm_s(pid, 1);
        self.write(ScalarType::BYTE, count, self.slot, model.header.process_count() as i32);
        let creator = (self.process, self.base, self.pid);
        (self.process, self.base, self.pid) = (process, self.widen(bytes), pid);
        self.is_newborn = true;
        self.newborn(spawn.process, &args);
        self.is_newborn = false;
        (self.process, self.base, self.pid) = creator;
        self.added_bytes = process.frame.bytes;
        pid
    }

    /// Fills the frame of the process that is being created.
    fn newborn(&mut self, id: ProcId, args: &[Value]) {
        let process = self.process;
        let (frame, layout) = (self.frame(), process.frame);
        for at in 0..layout.bytes {
            self.store_constant(I8, 0, frame, at as i32);
        }
        self.store_constant(I8, i64::from(id.0), frame, FrameLayout::TYPE as i32);
        let ty = if layout.short_state { I8 } else { I16 };
        self.store_constant(ty, i64::from(process.initial.0), frame, layout.state_at() as i32);
        let params = process.variables.iter().take(process.param_count);
        let cells = params.flat_map(|variable| (0..variable.count).map(move |element| (variable, element)));
        for ((variable, element), value) in cells.zip(args) {
            let at = variable.offset + element * variable.ty.bytes() as u32;
            self.write(variable.ty, *value, frame, at as i32);
        }
        for action in &process.init {
            // An initial value has no predicate.
            let unreached = self.block();
            self.perform(action, unreached);
            let next = self.block();
            self.jump(next);
            self.switch_to(unreached);
            self.bail();
            self.jump(next);
            self.switch_to(next);
        }
    }

    fn bail_beyond(&mut self, value: Value, limit: i32) {
        let limit = self.int(limit);
        let is_beyond = self.compare(IntCC::SignedGreaterThan, value, limit);
        self.bail_if(is_beyond);
    }
}

/// The most that the frame of a process which may be created takes.
pub(crate) fn newborn_bytes_max(model: &Model) -> usize {
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    processes.map(|process| process.frame.bytes as usize).max().unwrap_or(0)
}
