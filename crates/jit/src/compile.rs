//! From a model to native code: one function for the steps of each control state, one for what it can accept.

use crate::context::{ChannelEntry, Context, FIELDS_MAX, Record, StateFn};
use crate::emit::{Emitter, Shared};
use crate::helpers::Signatures;
use crate::machine::{Accepts, Machine, Rule, StateEntry, TypeTable};
use crate::native::{is_model_native, is_state_native, settings_behind_send};
use crate::shapes::{Shape, constants, shape_index, shapes};
use crate::state::may_accept;
use cranelift_codegen::ir::{AbiParam, types::I32, types::I64};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};
use panoptes_model::{Action, Channel, ControlState, Expr, Model, Process, ProcessKind, TransId};

/// A model's native code, and the machine that runs it.
pub(crate) struct Compiled {
    pub machine: Box<Machine>,
    /// Taken only when all is dropped.
    module: Option<JITModule>,
    /// Native code looks control-state numbers up here.
    _numbers: (Vec<Vec<u16>>, Box<[*const u16]>),
    pub native_states: usize,
}

/// The functions of one control state, before their addresses are known.
#[derive(Default)]
struct Functions {
    steps: Option<FuncId>,
    accepts: Option<FuncId>,
}

/// Compiles a model; none if nothing of it can be, or the machine has no code generator.
pub(crate) fn compile(model: &Model) -> Option<Compiled> {
    if !is_model_native(model) {
        return None;
    }
    let mut module = new_module()?;
    let numbers: Vec<Vec<u16>> = model
        .processes
        .iter()
        .map(|process| process.states.iter().map(|state| state.number).collect())
        .collect();
    let table: Box<[*const u16]> = numbers.iter().map(|numbers| numbers.as_ptr()).collect();
    let shared = Shared {
        model,
        shapes: shapes(model),
        constants: constants(model),
        numbers_table: table.as_ptr(),
        signatures: Signatures::new(module.target_config().default_call_conv),
    };
    let mut functions = Vec::new();
    let mut writer = FunctionBuilderContext::new();
    for process in &model.processes {
        let mut of_process = Vec::new();
        for state in &process.states {
            let native = process.kind == ProcessKind::Process && is_state_native(model, process, state);
            let mut written = Functions::default();
            if native {
                let unit = Unit { shared: &shared, process, state };
                written.steps = Some(unit.write(&mut module, &mut writer, Part::Steps)?);
                if may_accept(model, state) && shared.shapes.iter().any(|shape| shape.capacity == 0) {
                    written.accepts = Some(unit.write(&mut module, &mut writer, Part::Accepts)?);
                }
            }
            of_process.push(written);
        }
        functions.push(of_process);
    }
    module.finalize_definitions().ok()?;
    let types = types(model, &shared.shapes, &functions, &module);
    let native_states = functions.iter().flatten().filter(|functions| functions.steps.is_some()).count();
    let machine = Box::new(machine(model, shared.shapes, types));
    Some(Compiled { machine, module: Some(module), _numbers: (numbers, table), native_states })
}

fn new_module() -> Option<JITModule> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed").ok()?;
    flags.set("is_pic", "false").ok()?;
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
    // Offsets in the shared record and addresses are 64 bits wide, and vectors are little-endian.
    if isa.pointer_bits() != 64 || cfg!(target_endian = "big") {
        return None;
    }
    Some(JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names())))
}

/// Which of a control state's functions.
#[derive(Clone, Copy)]
enum Part {
    Steps,
    Accepts,
}

/// A control state to be compiled.
struct Unit<'a, 'm> {
    shared: &'a Shared<'m>,
    process: &'m Process,
    state: &'m ControlState,
}

impl Unit<'_, '_> {
    /// Writes and compiles one function.
    fn write(
        &self,
        module: &mut JITModule,
        writer: &mut FunctionBuilderContext,
        part: Part,
    ) -> Option<FuncId> {
        let config = module.target_config();
        let mut context = module.make_context();
        let signature = &mut context.func.signature;
        signature.params.extend([I64, I64, I64, I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(I32));
        let id = module.declare_anonymous_function(&context.func.signature).ok()?;
        let builder = FunctionBuilder::new(&mut context.func, writer);
        let mut emitter = Emitter::new(builder, self.shared, self.process);
        match part {
            Part::Steps => emitter.steps(self.state),
            Part::Accepts => emitter.accepts(self.state),
        }
        emitter.finish(config);
        match module.define_function(id, &mut context) {
            Ok(()) => Some(id),
            Err(error) if cfg!(debug_assertions) => panic!("{error:?}\n{}", context.func),
            Err(_) => None,
        }
    }
}

fn types(
    model: &Model,
    shapes: &[Shape],
    functions: &[Vec<Functions>],
    module: &JITModule,
) -> Vec<TypeTable> {
    let address = |id: FuncId| {
        let code = module.get_finalized_function(id);
        // SAFETY: `Unit::write` gave every function this signature, with the platform's convention for `extern "C"`.
        unsafe { std::mem::transmute::<*const u8, StateFn>(code) }
    };
    let entry = |(state, functions): (&ControlState, &Functions)| StateEntry {
        steps: functions.steps.map(address),
        accepts: match functions.accepts {
            Some(id) => Accepts::Native(address(id)),
            None if functions.steps.is_none() && may_accept(model, state) => Accepts::Unknown,
            None => Accepts::Nothing,
        },
        end: state.end,
    };
    let table = |(process, functions): (&Process, &Vec<Functions>)| TypeTable {
        frame_bytes: process.frame.bytes,
        channels: entries(shapes, &process.channels),
        states: process.states.iter().zip(functions).map(entry).collect(),
    };
    model.processes.iter().zip(functions).map(table).collect()
}

fn entries(shapes: &[Shape], channels: &[Channel]) -> Vec<ChannelEntry> {
    let entry =
        |channel: &Channel| ChannelEntry { at: channel.offset, shape: shape_index(shapes, channel) as u32 };
    channels.iter().map(entry).collect()
}

fn machine(model: &Model, shapes: Vec<Shape>, types: Vec<TypeTable>) -> Machine {
    let mut uses_timeout = false;
    model.walk_rules(&mut |expr| uses_timeout |= matches!(expr, Expr::Timeout));
    let states = model.processes.iter().flat_map(|process| &process.states);
    // A block that begins with receives can take a message on offer in several ways.
    let ways = |id: &TransId| match &model.transition(*id).actions[..] {
        [Action::Block(id)] => {
            let block = model.block(*id);
            block.nodes[block.entry as usize].steps.len().max(1)
        }
        _ => 1,
    };
    let steps_max = states.map(|state| state.transitions.iter().map(ways).sum()).max().unwrap_or(0).max(1);
    let rule = |transition: &panoptes_model::Transition| Rule {
        keeps_control: transition.keeps_control,
        to: transition.to.map_or(0, |to| to.0 as u16),
        sets: settings_behind_send(&transition.actions),
    };
    Machine {
        context: Context {
            out: std::ptr::null_mut(),
            records: std::ptr::null_mut(),
            frames: std::ptr::null(),
            channels: std::ptr::null(),
            first_channels: std::ptr::null(),
            stride: 0,
            message: std::ptr::null_mut(),
            process_count: 0,
            channel_count: 0,
            timeout: 0,
            offer_channel: 0,
            offer_count: 0,
            vector_bytes: 0,
        },
        global_channels: entries(&shapes, &model.channels),
        types,
        rules: model.transitions.iter().map(rule).collect(),
        shapes,
        uses_timeout,
        layout: model.processes.first().map(|process| process.frame).unwrap_or_default(),
        count_at: model.header.process_count(),
        last_at: model.header.last.map(|at| at as usize),
        frames_at: model.header.frames,
        steps_max,
        source: Vec::new(),
        half: Vec::new(),
        frames: Vec::new(),
        alive: Vec::new(),
        states: Vec::new(),
        channels: Vec::new(),
        first_channels: Vec::new(),
        records: vec![Record::default(); 2 * steps_max],
        message: vec![0; 2 * FIELDS_MAX],
        slots_bytes: 0,
        out: std::ptr::null_mut(),
    }
}

impl Compiled {
    /// Gives the pages of native code back.
    fn free(module: JITModule) {
        // SAFETY: called only when the machine that has the addresses is gone.
        unsafe { module.free_memory() }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            self.machine.types.clear();
            Compiled::free(module);
        }
    }
}
