//! Native code that creates processes: their frames are written behind the copy of the vector.
//!
//! Where everything is in that vector need not be known if nothing is done in the step behind it that would have to. Otherwise a helper
//! notes it, until the step is done.

use crate::context::{CHANNEL_COUNT, ChannelEntry, Context, PROCESS_COUNT, STRIDE, VECTOR_BYTES};
use crate::emit::Emitter;
use crate::native::{creations, is_created_last};
use crate::runtime::Runtime;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I8, types::I16, types::I32, types::I64};
use panoptes_model::{Action, FrameLayout, Model, ProcId, ProcessKind, ScalarType, Spawn};

/// What the reference executor allows; beyond, it is asked for the fault.
const PROCESSES_MAX: i32 = 255;
const CHANNELS_MAX: i32 = 255;
const VECTOR_BYTES_MAX: i32 = 1 << 20;

/// What the transition that is written creates.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spawning {
    creates: bool,
    /// What is done behind that must know where everything is; so in this transition, and in any of the function.
    grows: bool,
    any_grows: bool,
    /// Otherwise: what has been added.
    added_bytes: u32,
}

/// Where everything is in the vector of a step that has created processes and is not done.
#[derive(Default)]
pub(crate) struct Grown {
    is_used: bool,
    frames: Vec<u32>,
    channels: Vec<ChannelEntry>,
    first_channels: Vec<u32>,
}

/// Notes that a process of a type was created behind all others.
///
/// # Safety
/// `context` is the one that native code was given.
unsafe extern "C" fn grow(context: *mut Context, ty: u32) -> u32 {
    // SAFETY: the context is the first field of the runtime, which lives while native code runs; nobody else holds a reference.
    let Runtime { context, grown, populations, types, .. } = unsafe { &mut *context.cast::<Runtime>() };
    if !grown.is_used {
        let population = populations.current();
        grown.frames.clone_from(&population.frames);
        grown.channels.clone_from(&population.channels);
        grown.first_channels.clone_from(&population.first_channels);
        grown.is_used = true;
    }
    let (at, table) = (context.vector_bytes, &types[ty as usize]);
    grown.frames.push(at);
    grown.first_channels.push(grown.channels.len() as u32 + 1);
    let entry = |own: &ChannelEntry| ChannelEntry { at: at + own.at, shape: own.shape };
    grown.channels.extend(table.channels.iter().map(entry));
    context.frames = grown.frames.as_ptr();
    context.channels = grown.channels.as_ptr();
    context.first_channels = grown.first_channels.as_ptr();
    context.process_count = grown.frames.len() as u32;
    context.channel_count = grown.channels.len() as u32;
    context.vector_bytes += table.frame_bytes;
    0
}

/// The step is done, or given up: what was noted of new processes is forgotten.
///
/// # Safety
/// `context` is the one that native code was given.
unsafe extern "C" fn shrink(context: *mut Context) -> u32 {
    // SAFETY: as above.
    let runtime = unsafe { &mut *context.cast::<Runtime>() };
    if runtime.grown.is_used {
        runtime.grown.is_used = false;
        runtime.show_population();
    }
    0
}

impl<'m> Emitter<'_, 'm> {
    /// Begins a transition with these actions.
    pub fn begin_spawning(&mut self, actions: &[Action]) {
        let creates = actions.iter().any(|action| creations(action) > 0);
        let grows = creates && !is_created_last(actions);
        let any_grows = self.spawning.any_grows || grows;
        self.spawning = Spawning { creates, grows, any_grows, added_bytes: 0 };
    }

    /// Does the transition create processes?
    pub fn creates(&self) -> bool {
        self.spawning.creates
    }

    /// How long the vector is at the end of the step.
    pub fn bytes_with_newborn(&mut self) -> Value {
        let bytes = self.context_field(I32, VECTOR_BYTES);
        if self.spawning.grows {
            self.shrink();
            return bytes;
        }
        self.builder.ins().iadd_imm_s(bytes, i64::from(self.spawning.added_bytes))
    }

    /// Forgets new processes, where any step of the function is given up.
    pub fn end_spawning(&mut self) {
        if self.spawning.any_grows {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.call(shrink as *const () as usize, &self.shared.signatures.refill, &[self.context]);
    }

    /// Creates the process and gives its number.
    pub fn spawn(&mut self, spawn: &Spawn) -> Value {
        let model: &'m Model = self.shared.model;
        let process = model.process(spawn.process);
        let args: Vec<Value> = spawn.args.iter().map(|arg| self.eval(arg)).collect();
        let priority = match &spawn.priority {
            Some(priority) => {
                let priority = self.eval(priority);
                let most = self.int(i32::from(u8::MAX));
                let is_beyond = self.compare(IntCC::UnsignedGreaterThan, priority, most);
                self.bail_if(is_beyond);
                priority
            }
            None => self.int(1),
        };
        let pid = self.context_field(I32, PROCESS_COUNT);
        let bytes = self.context_field(I32, VECTOR_BYTES);
        self.bail_beyond(pid, PROCESSES_MAX - 1);
        self.bail_beyond(bytes, VECTOR_BYTES_MAX - process.frame.bytes as i32);
        if !process.channels.is_empty() {
            let channels = self.context_field(I32, CHANNEL_COUNT);
            self.bail_beyond(channels, CHANNELS_MAX - process.channels.len() as i32);
        }
        if self.spawning.grows {
            // There is room for as many as any step creates.
            let stride = self.context_field(I64, STRIDE);
            let stride = self.builder.ins().ireduce(I32, stride);
            let bytes = self.builder.ins().iadd_imm_s(bytes, i64::from(process.frame.bytes));
            let is_beyond = self.compare(IntCC::UnsignedGreaterThan, bytes, stride);
            self.bail_if(is_beyond);
        }
        self.copy();
        let count = self.builder.ins().iadd_imm_s(pid, 1);
        self.write(ScalarType::BYTE, count, self.slot, model.header.process_count() as i32);
        let creator = (self.process, self.base, self.pid);
        (self.process, self.base, self.pid) = (process, self.widen(bytes), pid);
        self.is_newborn = true;
        self.newborn(spawn.process, &args, priority);
        self.is_newborn = false;
        (self.process, self.base, self.pid) = creator;
        if self.spawning.grows {
            let ty = self.int(spawn.process.0 as i32);
            self.call(grow as *const () as usize, &self.shared.signatures.grow, &[self.context, ty]);
        } else {
            self.spawning.added_bytes = process.frame.bytes;
        }
        pid
    }

    /// Fills the frame of the process that is being created.
    fn newborn(&mut self, id: ProcId, args: &[Value], priority: Value) {
        let process = self.process;
        let (frame, layout) = (self.frame(), process.frame);
        for at in 0..layout.bytes {
            self.store_constant(I8, 0, frame, at as i32);
        }
        self.store_constant(I8, i64::from(id.0), frame, FrameLayout::TYPE as i32);
        if self.shared.model.uses_priorities && !layout.no_priority {
            self.write(ScalarType::BYTE, priority, frame, FrameLayout::PRIORITY as i32);
        }
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

/// The most that the frames of the processes take which one step may create.
pub(crate) fn newborn_bytes_max(model: &Model) -> usize {
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    let frame = processes.map(|process| process.frame.bytes as usize).max().unwrap_or(0);
    let transitions = model.transitions.iter();
    let count = transitions.map(|transition| transition.actions.iter().map(creations).sum()).max();
    frame * count.unwrap_or(1).max(1)
}
