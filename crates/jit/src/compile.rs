//! From a control state to native code: one function for its steps, one for what it can accept.
//!
//! States are compiled in batches, whenever the runtime says that some are due.

use crate::alone::Alone;
use crate::context::{PassFn, StateFn};
use crate::cost;
use crate::emit::{Emitter, Shared};
use crate::helpers::Signatures;
use crate::monitor::Watch;
use crate::native::{is_answer_native, is_condition_native, is_model_native, is_state_native};
use crate::pass;
use crate::population::Population;
use crate::runtime::{Kind, Runtime, StateRef, TypeTable, Unit};
use crate::shapes::constants;
use crate::tables;
use cranelift_codegen::ir::{AbiParam, types::I32, types::I64};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};
use panoptes_exec::Condition;
use panoptes_model::{Model, Process};

/// A model's native code as far as it is written, the runtime that runs it, and what is needed to write more.
pub(crate) struct Native<'m> {
    pub runtime: Box<Runtime>,
    model: &'m Model,
    /// None until something is compiled.
    compiler: Option<Compiler<'m>>,
    pub native_states: usize,
    /// A send to a full channel loses its message.
    is_lossy: bool,
    /// What was compiled; see [`cost`].
    cost: usize,
}

/// Writes and keeps functions.
struct Compiler<'m> {
    module: JITModule,
    context: cranelift_codegen::Context,
    writer: FunctionBuilderContext,
    shared: Shared<'m>,
    /// Native code looks control-state numbers up here.
    _numbers: (Vec<Vec<u16>>, Box<[*const u16]>),
}

/// The functions of one control state, before their addresses are known.
struct Functions {
    /// Its steps, or whether there is one.
    steps: Option<FuncId>,
    accepts: Option<FuncId>,
}

impl<'m> Native<'m> {
    /// A runtime without any code yet; none if nothing of the model can be compiled.
    pub fn new(model: &'m Model, is_lossy: bool) -> Option<Native<'m>> {
        is_model_native(model).then(|| Native {
            runtime: Box::new(tables::runtime(model)),
            model,
            compiler: None,
            native_states: 0,
            is_lossy,
            cost: 0,
        })
    }

    /// Makes every control state due.
    pub fn expect_all(&mut self) {
        self.runtime.due.clear();
        for (ty, table) in self.runtime.types.iter().enumerate() {
            for kind in Kind::ALL {
                let is_pending = |state: &usize| table.states[*state].is_pending[kind as usize];
                let pending = (0..table.states.len()).filter(is_pending);
                self.runtime.due.extend(pending.map(|state| Unit { at: StateRef { ty, state }, kind }));
            }
        }
    }

    /// A claim asks which processes are enabled.
    pub fn expect_questions(&mut self) {
        self.runtime.expect_questions(self.model);
    }

    pub fn is_due(&self) -> bool {
        !self.runtime.due.is_empty() || !self.runtime.populations.due.is_empty()
    }

    /// What it costs to compile all that is due, in calls of the reference executor.
    pub fn price_of_due(&self) -> u64 {
        let states =
            self.runtime.due.iter().map(|unit| &self.model.processes[unit.at.ty].states[unit.at.state]);
        cost::in_calls(states.map(|state| cost::of_state(self.model, state)).sum())
    }

    /// Takes those of the control states that are due which are to be compiled now; the others stay due.
    fn take_round(&mut self) -> Vec<Unit> {
        let bytes_max = self.runtime.patience.compiler_bytes_max;
        let (round_max, total_max) = (cost::round_max(bytes_max), cost::total_max(bytes_max));
        let mut round_left = round_max;
        // Where a population has no function of its own, its processes are tried one by one.
        let Native { runtime, cost, .. } = self;
        let populations = &mut runtime.populations;
        let mut due = std::mem::take(&mut populations.due);
        due.retain(|index| {
            let price = cost::of_pass(populations.get_mut(*index).frames.len());
            let fits = price <= round_left && *cost + price <= total_max;
            if fits {
                round_left -= price;
                *cost += price;
            }
            fits
        });
        populations.due = due;
        let mut round = Vec::new();
        while let Some(unit) = self.runtime.due.pop() {
            let Unit { at, kind } = unit;
            let state = &self.model.processes[at.ty].states[at.state];
            let cost = cost::of_state(self.model, state);
            if cost > round_max || self.cost + cost > total_max {
                self.runtime.entry_mut(at).is_pending[kind as usize] = false;
                continue;
            }
            if cost > round_left && !round.is_empty() {
                self.runtime.due.push(unit);
                break;
            }
            round_left = round_left.saturating_sub(cost);
            self.cost += cost;
            round.push(unit);
        }
        round
    }

    /// Compiles some of the control states that are due. Those that cannot be are left to the reference executor for good.
    pub fn compile_due(&mut self) {
        let due = self.take_round();
        if self.compiler.is_none() {
            self.compiler = Compiler::new(self.model, &self.runtime, self.is_lossy);
        }
        let populations = std::mem::take(&mut self.runtime.populations.due);
        let mut passes = Vec::new();
        for index in populations {
            let runtime = &mut *self.runtime;
            let population = runtime.populations.get_mut(index);
            let id =
                self.compiler.as_mut().and_then(|compiler| compiler.write_pass(population, &runtime.types));
            passes.extend(id.map(|id| (index, id)));
        }
        let mut written = Vec::new();
        for unit in due {
            let Unit { at, kind } = unit;
            self.runtime.entry_mut(at).is_pending[kind as usize] = false;
            let accepts = self.runtime.types[at.ty].acceptors[at.state].channels != 0;
            let functions = self.compiler.as_mut().and_then(|compiler| compiler.write_state(unit, accepts));
            written.extend(functions.map(|functions| (unit, functions)));
        }
        let Some(address) = self.compiler.as_mut().and_then(Compiler::finalize) else { return };
        for (Unit { at, kind }, functions) in written {
            let table = &mut self.runtime.types[at.ty];
            let acceptor = &mut table.acceptors[at.state];
            // SAFETY: `write` gave all functions this signature.
            let code = |id| unsafe { as_state_fn(address(id)) };
            match kind {
                Kind::Steps => {
                    self.native_states += 1;
                    functions.accepts.into_iter().for_each(|id| acceptor.code = code(id));
                    functions.steps.into_iter().for_each(|id| table.codes[at.state] = code(id));
                }
                Kind::Alone => functions.steps.into_iter().for_each(|id| table.alones[at.state] = code(id)),
                Kind::Accepts => functions.accepts.into_iter().for_each(|id| acceptor.alone = code(id)),
                Kind::Asks => functions.steps.into_iter().for_each(|id| table.answers[at.state] = code(id)),
            }
        }
        for (index, id) in passes {
            // SAFETY: `write_pass` gave the function this signature, by the platform's convention for `extern "C"`.
            let code = unsafe { std::mem::transmute::<*const u8, PassFn>(address(id)) };
            self.runtime.populations.get_mut(index).code = Some(code);
        }
    }
}

impl Native<'_> {
    /// Compiles the function of some conditions, if they can be.
    pub fn compile_conditions(&mut self, list: &[Condition], wanted: u64) -> Option<StateFn> {
        let mut asked = list.iter().enumerate().filter(|(bit, _)| wanted >> bit & 1 == 1);
        if !asked.all(|(_, condition)| is_condition_native(condition)) {
            return None;
        }
        if self.compiler.is_none() {
            self.compiler = Compiler::new(self.model, &self.runtime, self.is_lossy);
        }
        let process = self.model.processes.first()?;
        let compiler = self.compiler.as_mut()?;
        let id = compiler.write(process, |emitter| emitter.conditions(list, wanted))?;
        let address = compiler.finalize()?;
        // SAFETY: `write` gave the function this signature.
        Some(unsafe { as_state_fn(address(id)) })
    }
}

impl<'m> Compiler<'m> {
    /// None if the platform has no code generator.
    fn new(model: &'m Model, runtime: &Runtime, is_lossy: bool) -> Option<Compiler<'m>> {
        let module = new_module()?;
        let numbers: Vec<Vec<u16>> = model
            .processes
            .iter()
            .map(|process| process.states.iter().map(|state| state.number).collect())
            .collect();
        let table: Box<[*const u16]> = numbers.iter().map(|numbers| numbers.as_ptr()).collect();
        let shared = Shared {
            model,
            shapes: runtime.shapes.clone(),
            is_lossy,
            watch: Watch::of(model).ok()?,
            constants: constants(model),
            numbers_table: table.as_ptr(),
            signatures: Signatures::new(module.target_config().default_call_conv),
            alones: runtime.types.iter().map(|table| table.alones.as_ptr()).collect(),
        };
        Some(Compiler {
            context: module.make_context(),
            module,
            writer: FunctionBuilderContext::new(),
            shared,
            _numbers: (numbers, table),
        })
    }

    /// Writes the functions of a control state, if it can be compiled.
    fn write_state(&mut self, Unit { at, kind }: Unit, accepts: bool) -> Option<Functions> {
        let model = self.shared.model;
        let process = &model.processes[at.ty];
        let state = &process.states[at.state];
        if kind == Kind::Asks {
            let answer = is_answer_native(model, process, state)
                .then(|| self.write(process, |emitter| emitter.answer(state)))??;
            return Some(Functions { steps: Some(answer), accepts: None });
        }
        if !is_state_native(model, process, state) {
            return None;
        }
        let alone = |accepts: bool| (kind != Kind::Steps).then_some(Alone { in_place: false, accepts });
        let steps = match kind {
            Kind::Accepts | Kind::Asks => None,
            _ => Some(self.write(process, |emitter| {
                emitter.alone = alone(false);
                emitter.steps(state);
            })?),
        };
        let accepts = match kind {
            Kind::Alone | Kind::Asks => None,
            _ if !accepts => None,
            _ => Some(self.write(process, |emitter| {
                emitter.alone = alone(true);
                emitter.accepts(state);
            })?),
        };
        Some(Functions { steps, accepts })
    }

    /// Writes and compiles one function. Where no process is at hand, any will do.
    fn write(&mut self, process: &'m Process, body: impl FnOnce(&mut Emitter<'_, 'm>)) -> Option<FuncId> {
        let module = &mut self.module;
        module.clear_context(&mut self.context);
        let signature = &mut self.context.func.signature;
        signature.params.extend([I64, I64, I64, I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(I32));
        let id = module.declare_anonymous_function(signature).ok()?;
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.writer);
        let mut emitter = Emitter::new(builder, &self.shared, process);
        body(&mut emitter);
        emitter.finish(module.target_config());
        match module.define_function(id, &mut self.context) {
            Ok(()) => Some(id),
            Err(error) if cfg!(debug_assertions) => panic!("{error:?}\n{}", self.context.func),
            Err(_) => None,
        }
    }

    /// Writes and compiles the function that tries all processes of a population.
    fn write_pass(&mut self, population: &Population, types: &[TypeTable]) -> Option<FuncId> {
        let module = &mut self.module;
        module.clear_context(&mut self.context);
        let signature = &mut self.context.func.signature;
        signature.params.extend([I64, I64].map(AbiParam::new));
        signature.returns.push(AbiParam::new(I32));
        let id = module.declare_anonymous_function(signature).ok()?;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.writer);
        let layout = self.shared.model.processes.first()?.frame;
        pass::write(&mut builder, population, types, layout, &self.shared.signatures.state);
        builder.seal_all_blocks();
        builder.finalize(module.target_config());
        module.define_function(id, &mut self.context).ok()?;
        Some(id)
    }

    /// Makes what was written runnable, and tells where it is.
    fn finalize(&mut self) -> Option<impl Fn(FuncId) -> *const u8> {
        self.module.finalize_definitions().ok()?;
        Some(|id| self.module.get_finalized_function(id))
    }
}

/// # Safety
/// There is a function with this signature, by the platform's convention for `extern "C"`.
unsafe fn as_state_fn(address: *const u8) -> StateFn {
    // SAFETY: as promised.
    unsafe { std::mem::transmute::<*const u8, StateFn>(address) }
}

fn new_module() -> Option<JITModule> {
    let mut flags = settings::builder();
    flags.set("opt_level", "none").ok()?;
    flags.set("is_pic", "false").ok()?;
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
    // Offsets in the shared record and addresses are 64 bits wide, and vectors are little-endian.
    if isa.pointer_bits() != 64 || cfg!(target_endian = "big") {
        return None;
    }
    Some(JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names())))
}

impl Drop for Native<'_> {
    fn drop(&mut self) {
        self.runtime.types.clear();
        if let Some(compiler) = self.compiler.take() {
            // SAFETY: nobody runs the code, and the table that had the addresses is gone.
            unsafe { compiler.module.free_memory() }
        }
    }
}
