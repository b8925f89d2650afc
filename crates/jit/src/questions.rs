//! Whether a process could make a step by itself now: what `enabled` asks, and what decides with priorities who may run.
//!
//! For each control state that is asked about there is a function that answers this without changing anything. With priorities, a
//! process may run if none of a higher priority could make a step. Of the vector that was loaded it is kept who could.

use crate::channel::{filled_by, taken_by};
use crate::context::{BAIL, Context, PRIORITY_MAX};
use crate::emit::Emitter;
use crate::runtime::{Kind, Runtime, StateRef};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types::I32};
use panoptes_model::{Action, ControlState, Expr, FrameLayout, Guard, Model, ProcessKind, ScalarType};

/// The answer of a function that was asked whether a process could make a step. The other answers are 0 and [`BAIL`].
const CAN: u32 = 2;

/// Added to the number of a process: its `provided` clause counts, too.
const IF_PROVIDED: u32 = 256;

/// What is known of the processes of a vector.
#[derive(Default)]
pub(crate) struct Questions {
    pub uses_priorities: bool,
    /// Of which processes of the vector that was loaded it is known whether they could make a step, and which could.
    known: [u64; 4],
    can: [u64; 4],
    /// How many questions are being answered, each inside the one before.
    depth: u32,
}

impl Questions {
    pub fn of(model: &Model) -> Questions {
        Questions { uses_priorities: model.uses_priorities, ..Questions::default() }
    }
}

/// Does a rule ask whether a process could make a step?
pub(crate) fn asks(model: &Model) -> bool {
    let mut asks = model.uses_priorities;
    model.walk_rules(&mut |expr| asks |= matches!(expr, Expr::Enabled(_)));
    asks
}

impl Runtime {
    /// Another vector was loaded, or timeouts are possible now.
    pub fn begin_questions(&mut self) {
        self.questions.known = [0; 4];
        let count = self.context.process_count as usize;
        // SAFETY: the frames lie in the vector that was loaded, with their fixed parts.
        let priorities = (0..count).map(|pid| unsafe { self.context.priority(self.source, pid) });
        self.context.priority_max = priorities.max().unwrap_or(0).into();
    }

    /// Lets the answers for all control states be compiled when they are asked for often.
    pub fn expect_questions(&mut self, model: &Model) {
        for (table, process) in self.types.iter_mut().zip(&model.processes) {
            for state in table.states.iter_mut().filter(|_| process.kind == ProcessKind::Process) {
                let misses = state.misses[Kind::Asks as usize];
                state.is_pending[Kind::Asks as usize] |= misses == 0;
            }
        }
    }
}

impl Context {
    /// # Safety
    /// There is such a process in the vector.
    unsafe fn priority(&self, vector: *const u8, pid: usize) -> u8 {
        // SAFETY: as promised.
        unsafe { *vector.add(*self.frames.add(pid) as usize + FrameLayout::PRIORITY) }
    }
}

/// Could the process make a step? Negative to give up.
///
/// # Safety
/// `context` and `vector` are those that native code was given, and there is such a process.
unsafe fn ask(context: *mut Context, vector: *const u8, pid: usize, flag: u32) -> i32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime; no reference to it is held while native code runs. The table is as
    // long as it is said.
    unsafe {
        let frame = *(*context).frames.add(pid);
        let ty = usize::from(*vector.add(frame as usize + FrameLayout::TYPE));
        let state = (*runtime).state_at(vector, frame) as usize;
        let Some(code) = (&(*runtime).types)[ty].answers.get(state).copied() else { return -1 };
        match code(context, vector, u64::from(frame), pid as u32 | flag) {
            0 => 0,
            CAN => 1,
            _ => -1,
        }
    }
}

/// Whether the process with that number is enabled, for another one. Negative to give up.
///
/// # Safety
/// `context` and `vector` are those that native code was given.
pub(crate) unsafe extern "C" fn enabled(context: *mut Context, vector: *const u8, pid: u32) -> i32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime, and no reference to it is held while native code runs.
    unsafe {
        let count = (*context).process_count;
        if pid >= count {
            return 0;
        }
        // The reference executor calls a longer chain of questions a circle.
        if (*runtime).questions.depth > count {
            return -1;
        }
        (*runtime).questions.depth += 1;
        let answer = ask(context, vector, pid as usize, 0);
        (*runtime).questions.depth -= 1;
        answer
    }
}

/// Is there no process of a higher priority that could make a step? Negative to give up. `is_loaded` says that the vector is
/// the one that was loaded.
///
/// # Safety
/// `context` and `vector` are those that native code was given.
pub(crate) unsafe extern "C" fn may_run(
    context: *mut Context,
    vector: *const u8,
    pid: u32,
    is_loaded: u32,
) -> i32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime, and no reference to it is held while native code runs.
    unsafe {
        let own = (*context).priority(vector, pid as usize);
        for other in 0..(*context).process_count as usize {
            if (*context).priority(vector, other) <= own {
                continue;
            }
            let (word, bit) = (other / 64, 1 << (other % 64));
            if is_loaded != 0 && (*runtime).questions.known[word] & bit != 0 {
                if (*runtime).questions.can[word] & bit != 0 {
                    return 0;
                }
                continue;
            }
            let answer = ask(context, vector, other, IF_PROVIDED);
            if answer >= 0 && is_loaded != 0 {
                let questions = &mut (*runtime).questions;
                questions.known[word] |= bit;
                questions.can[word] &= !bit;
                questions.can[word] |= if answer == 0 { 0 } else { bit };
            }
            match answer {
                0 => {}
                1 => return 0,
                _ => return -1,
            }
        }
        1
    }
}

/// Stands where there is no code that answers.
///
/// # Safety
/// As for the code of a control state.
pub(crate) unsafe extern "C" fn missing_answer(
    context: *mut Context,
    vector: *const u8,
    base: u64,
    _: u32,
) -> u32 {
    let runtime = context.cast::<Runtime>();
    // SAFETY: the context is the first field of the runtime, and nobody else holds a reference to it; there is a frame at `base`.
    unsafe {
        let ty = usize::from(*vector.add(base as usize + FrameLayout::TYPE));
        let state = (*runtime).state_at(vector, base as u32) as usize;
        if state < (&(*runtime).types)[ty].states.len() {
            (*runtime).count_miss(StateRef { ty, state }, Kind::Asks);
        }
    }
    BAIL
}

impl<'m> Emitter<'_, 'm> {
    /// Answers whether the process could make a step.
    pub fn answer(&mut self, state: &'m ControlState) {
        let model: &'m Model = self.shared.model;
        let (yes, no) = (self.block(), self.block());
        let asked = self.pid;
        let (flag, number) = (self.int(IF_PROVIDED as i32), self.int(IF_PROVIDED as i32 - 1));
        self.pid = self.builder.ins().band(asked, number);
        if let Some(condition) = &self.process.provided {
            let counts = self.builder.ins().band(asked, flag);
            let (test, go) = (self.block(), self.block());
            self.branch(counts, test, go);
            self.switch_to(test);
            let holds = self.eval(condition);
            self.branch(holds, go, no);
            self.switch_to(go);
        }
        for id in &state.transitions {
            let transition = model.transition(*id);
            let next = self.block();
            self.possible(&transition.guard, &transition.actions, next);
            self.jump(yes);
            self.switch_to(next);
        }
        self.jump(no);
        self.switch_to(yes);
        self.return_value(CAN);
        self.switch_to(no);
    }

    /// Goes on if the guard holds and the first action is possible; otherwise jumps to `fail`.
    fn possible(&mut self, guard: &Guard, actions: &'m [Action], fail: Block) {
        if let Guard::When(condition) = guard {
            let holds = self.eval(condition);
            self.go_on_if(holds, fail);
        }
        let done = self.block();
        match actions.first() {
            Some(Action::Send(send)) => self.with_channel(&send.channel, filled_by(send), |this, found| {
                if found.shape.capacity > 0 && !this.shared.is_lossy {
                    let room = this.has_room(found);
                    this.go_on_if(room, fail);
                }
                this.jump(done);
            }),
            Some(Action::Receive(receive)) => {
                self.with_channel(&receive.channel, taken_by(receive), |this, found| {
                    if found.shape.capacity == 0 {
                        return this.jump(fail);
                    }
                    this.matching_slot(receive, found, fail);
                    this.jump(done);
                })
            }
            Some(Action::Exit) => {
                let youngest = self.is_youngest();
                self.branch(youngest, done, fail);
            }
            Some(Action::Block(id)) => {
                let model: &'m Model = self.shared.model;
                let block = model.block(*id);
                for step in &block.nodes[block.entry as usize].steps {
                    let other = self.block();
                    self.possible(&step.guard, &step.actions, other);
                    self.jump(done);
                    self.switch_to(other);
                }
                self.jump(fail);
            }
            _ => self.jump(done),
        }
        self.switch_to(done);
    }

    /// Goes to `otherwise` if a process of a higher priority could make a step. `is_loaded` says that the vector at hand is the
    /// one that was loaded.
    pub fn outranked(&mut self, is_loaded: bool, otherwise: Block) {
        let go = self.block();
        if is_loaded {
            let frame = self.frame();
            let own = self.read(ScalarType::BYTE, frame, FrameLayout::PRIORITY as i32);
            let most = self.context_field(I32, PRIORITY_MAX);
            let is_top = self.compare(IntCC::UnsignedGreaterThanOrEqual, own, most);
            let ask = self.block();
            self.branch(is_top, go, ask);
            self.switch_to(ask);
        }
        let is_loaded = self.int(i32::from(is_loaded));
        let args = [self.context, self.vector, self.pid, is_loaded];
        let signature = &self.shared.signatures.may_run;
        let answer = self.call(may_run as *const () as usize, signature, &args);
        let zero = self.int(0);
        let unknown = self.compare(IntCC::SignedLessThan, answer, zero);
        self.bail_if(unknown);
        self.branch(answer, go, otherwise);
        self.switch_to(go);
    }
}
