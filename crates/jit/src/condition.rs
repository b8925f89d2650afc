//! The conditions of a claim as native code: one function for each set of them that is asked for, which leaves in the context the
//! bits of those that hold.

use crate::context::{Context, HELD, StateFn};
use crate::emit::Emitter;
use crate::runtime::{ACCEPTING, Runtime};
use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types::I64};
use panoptes_exec::Condition;
use panoptes_model::Expr;

/// A set of conditions is compiled when it was asked for so often.
const CALLS_MIN: u32 = 256;

/// More sets than this are not compiled; a claim has few.
const SETS_MAX: usize = 64;

/// Who asks: no process.
const NOBODY: u32 = u8::MAX as u32;

/// The conditions of a claim, and the sets of them that were asked for.
#[derive(Default)]
pub(crate) struct Conditions {
    pub list: Vec<Condition>,
    sets: Vec<Asked>,
}

/// A set that was asked for.
struct Asked {
    wanted: u64,
    calls: u32,
    code: Option<StateFn>,
}

/// What is to be done about a set.
pub(crate) enum Answer {
    /// Its native code says which of them hold.
    Held(u64),
    /// The reference executor must say.
    Unknown,
    /// The same, since their native code gave up.
    GivenUp,
    /// The same, and it is worth compiling now: the set with that number.
    Due(usize),
}

impl Conditions {
    pub fn new(list: &[Condition]) -> Conditions {
        Conditions { list: list.to_vec(), sets: Vec::new() }
    }

    /// Which of the wanted conditions hold in a state.
    ///
    /// # Safety
    /// `runtime` is valid for the time of the call, and nobody else holds a reference to it.
    #[inline]
    pub unsafe fn ask(&mut self, runtime: *mut Runtime, state: &[u8], wanted: u64) -> Answer {
        let Some(index) = self.sets.iter().position(|set| set.wanted == wanted) else {
            if self.sets.len() < SETS_MAX {
                self.sets.push(Asked { wanted, calls: 0, code: None });
            }
            return Answer::Unknown;
        };
        let set = &mut self.sets[index];
        let Some(code) = set.code else {
            set.calls = set.calls.saturating_add(1);
            return if set.calls == CALLS_MIN { Answer::Due(index) } else { Answer::Unknown };
        };
        // SAFETY: as promised; the code is of a function with this signature, and lives as long as the runtime.
        unsafe {
            if !(*runtime).load(state) {
                return Answer::Unknown;
            }
            let context: *mut Context = &raw mut (*runtime).context;
            match code(context, (*runtime).source, 0, NOBODY) {
                0 => Answer::Held((*context).held),
                _ => Answer::GivenUp,
            }
        }
    }

    pub fn wanted(&self, index: usize) -> u64 {
        self.sets[index].wanted
    }

    pub fn set_code(&mut self, index: usize, code: StateFn) {
        self.sets[index].code = Some(code);
    }
}

/// Does it ask whether a process could make a step?
pub(crate) fn asks(condition: &Condition) -> bool {
    match condition {
        Condition::Holds(condition, _) => condition.any(&|part| matches!(part, Expr::Enabled(_))),
        Condition::Accepting => false,
    }
}

impl Emitter<'_, '_> {
    /// Computes the wanted conditions.
    pub fn conditions(&mut self, list: &[Condition], wanted: u64) {
        let mut held = self.long(0);
        for (bit, condition) in list.iter().enumerate().filter(|(bit, _)| wanted >> bit & 1 == 1) {
            let value = match condition {
                Condition::Holds(condition, _) => self.eval(condition),
                Condition::Accepting => self.labelled(ACCEPTING),
            };
            let zero = self.int(0);
            let holds = self.compare(IntCC::NotEqual, value, zero);
            let holds = self.widen(holds);
            let holds = self.builder.ins().ishl_imm_s(holds, bit as i64);
            held = self.builder.ins().bor(held, holds);
        }
        debug_assert_eq!(self.builder.func.dfg.value_type(held), I64);
        self.store(held, self.context, HELD);
    }
}
