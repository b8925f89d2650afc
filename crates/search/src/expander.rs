//! Computes what is to be followed from a state. Each worker has one; it knows no visited set.
//!
//! A reduction chooses some of the steps, and its proviso must know which states the search is done with. That is a
//! question to the search, which answers it as it can.

use crate::expansion::{Expansion, Task};
use crate::por::{Choice, IsOpen, Selection};
use crate::program::Program;
use crate::{Bitset, Reducer, Reduction};
use panoptes_exec::{Executor, Fault};
use panoptes_store::OutOfMemory;

pub(crate) struct Expander<'a> {
    program: &'a Program<'a>,
    executor: &'a mut dyn Executor,
    selection: Option<Selection<'a>>,
    pub reduction: Reduction,
    /// The transitions that were taken.
    pub executed: Bitset,
    /// Steps that the executor gave up, each place once.
    pub given_up: Vec<Fault>,
}

/// What is expanded.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'o> {
    pub vector: &'o [u8],
    /// Who has control: a transient configuration.
    pub control: Option<u8>,
}

impl<'a> Expander<'a> {
    pub fn new(program: &'a Program<'a>, executor: &'a mut dyn Executor) -> Expander<'a> {
        let Program { model, options, .. } = *program;
        let (selection, reduction) = match options.por.then(|| Reducer::new(model, options.lossy)) {
            Some(Ok(mut reducer)) => {
                reducer.limit_queues(options.queue_limit);
                if options.timeouts_last {
                    reducer.put_timeouts_off();
                }
                // A process that waits in vain is no deadlock of all: without the proviso, others could go on for ever
                // before it is reached.
                let waits = options.checks.deadlocks && !model.waiting.is_empty();
                let needs_proviso = options.checks.assertions || waits || !model.invariants.is_empty();
                let selection = match options.proviso_is_settled {
                    true => Selection::settled(reducer, needs_proviso),
                    false => Selection::new(reducer, needs_proviso),
                };
                (Some(selection), Reduction::Por)
            }
            None => (None, Reduction::NotWanted),
            Some(Err(why_not)) => (None, Reduction::NotPossible(why_not)),
        };
        let executed = Bitset::with_len(model.transitions.len());
        Expander { program, executor, selection, reduction, executed, given_up: Vec::new() }
    }

    /// Forgets what was found.
    pub fn restart(&mut self) {
        self.executed = Bitset::with_len(self.program.model.transitions.len());
        self.given_up.clear();
        self.selection.iter_mut().for_each(Selection::restart);
    }

    pub fn executor(&mut self) -> &mut dyn Executor {
        self.executor
    }

    /// Does what is to be followed from a state depend on those expanded before it?
    #[inline]
    pub fn is_reduced(&self) -> bool {
        self.selection.is_some()
    }

    /// May a reduction ask something about one of the next states, so many?
    #[inline]
    pub fn may_ask(&self, count: usize) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.may_ask(count))
    }

    /// Does that depend on which states the search is done with?
    pub fn has_proviso(&self) -> bool {
        self.selection.as_ref().is_some_and(Selection::has_proviso)
    }

    pub fn heap_bytes(&self) -> usize {
        self.selection.as_ref().map_or(0, Selection::heap_bytes)
    }

    /// Computes the successors of a configuration.
    #[inline]
    pub fn start(&mut self, from: Origin<'_>, out: &mut Expansion) {
        out.start(self.executor, from.vector, from.control);
        if !self.program.model.invariants.is_empty() && from.control.is_none() {
            self.executor.broken_invariants(from.vector, &mut out.broken);
        }
    }

    /// After [`Self::start`]: computes what is to be followed. A reduction may ask whether states are open: whether the search is
    /// not done with them before this one.
    #[inline]
    pub fn go_on(
        &mut self,
        from: Origin<'_>,
        mut task: Task<'_>,
        is_open: impl IsOpen,
        out: &mut Expansion,
    ) -> Result<(), OutOfMemory> {
        if let Some(selection) = &mut self.selection {
            let (successors, begun) = (out.successors(), &out.begun);
            if self.program.options.proviso_is_settled {
                task.choice = selection.select_by_state(from.vector, successors);
                out.run(self.program, self.executor, task, &mut self.executed);
                return Ok(());
            }
            task.choice = selection.select(from.vector, successors, begun, is_open, self.executor)?;
            if task.may_be_plain && task.choice == Choice::All && out.may_be_plain(self.program) {
                out.run_plainly(&mut self.executed);
                return Ok(());
            }
        }
        out.run(self.program, self.executor, task, &mut self.executed);
        Ok(())
    }

    /// [`Self::go_on`] where nothing is to be chosen and nothing is out of the ordinary: true if that is so, and then it is done.
    #[inline(always)]
    pub fn go_on_plainly(&mut self, out: &mut Expansion) -> bool {
        let is_plain = out.may_be_plain(self.program)
            && match &mut self.selection {
                None => true,
                Some(selection) => !self.program.options.proviso_is_settled && selection.rests(),
            };
        if is_plain {
            out.run_plainly(&mut self.executed);
        }
        is_plain
    }

    /// Computes again what was computed before, all of it; nothing is counted.
    pub fn expand_again(&mut self, vector: &[u8], steps_max: usize, out: &mut Expansion) {
        out.start(self.executor, vector, None);
        let task = Task { steps_max, choice: Choice::All, ..Task::default() };
        // What a reduction left out is not executed now either.
        out.run(self.program, self.executor, task, &mut Bitset::default());
    }
}
