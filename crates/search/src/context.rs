//! What every search has: executor, store, limits, statistics and the errors met.

use crate::errors::ErrorLog;
use crate::governor::Governor;
use crate::por::Selection;
use crate::{Bitset, Limit, Observer, Options, Outcome, Reducer, Reduction, Statistics};
use panoptes_exec::{Ending, Executor, Fault, Step, Successors};
use panoptes_model::{Model, StateView};
use panoptes_store::{ExactStore, OutOfMemory, StateIndex, hash};

pub(crate) struct Context<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub store: ExactStore,
    pub statistics: Statistics,
    pub log: ErrorLog,
    pub executed: Bitset,
    executor: &'a mut dyn Executor,
    selection: Option<Selection<'a>>,
    reduction: Reduction,
    governor: Governor<'a>,
    hidden_bytes: usize,
}

/// What is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    State(StateIndex),
    /// This process has control.
    Transient(u8),
}

impl At {
    fn control(self) -> Option<u8> {
        match self {
            At::State(_) => None,
            At::Transient(pid) => Some(pid),
        }
    }
}

/// Why a search ends before everything is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The first error, and no more are asked for.
    Error,
    Limit(Limit),
    /// The depth bound cut a path where the search assumed that it would not.
    Cut,
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Stop {
        Stop::Limit(Limit::Memory)
    }
}

impl<'a> Context<'a> {
    /// `has_path` if the search calls [`Self::leave`].
    pub fn new(
        model: &'a Model,
        executor: &'a mut dyn Executor,
        options: &'a Options,
        observer: &'a mut dyn Observer,
        has_path: bool,
    ) -> Context<'a> {
        let governor = Governor::new(options, observer);
        let (selection, reduction) = match options.por.then(|| Reducer::new(model, options.lossy)) {
            None => (None, Reduction::NotWanted),
            Some(Ok(reducer)) => {
                (Some(Selection::new(reducer, options.checks.assertions, has_path)), Reduction::Por)
            }
            Some(Err(why_not)) => (None, Reduction::NotPossible(why_not)),
        };
        Context {
            model,
            options,
            store: ExactStore::with_budget(governor.store_budget(0)),
            statistics: Statistics::default(),
            log: ErrorLog::new(options.errors_max),
            executed: Bitset::with_len(model.transitions.len()),
            hidden_bytes: executor.hidden_bytes(),
            executor,
            selection,
            reduction,
            governor,
        }
    }

    /// Forgets all that was found; the clock runs on.
    pub fn restart(&mut self) {
        self.store = ExactStore::with_budget(self.governor.store_budget(0));
        self.statistics = Statistics::default();
        self.log = ErrorLog::new(self.options.errors_max);
        self.executed = Bitset::with_len(self.model.transitions.len());
        if let Some(selection) = &mut self.selection {
            selection.restart();
        }
    }

    /// The initial vector; a fault there is noted as an error.
    pub fn initial(&mut self) -> Result<Vec<u8>, Stop> {
        self.executor.initial().or_else(|fault| {
            // There is nothing to go on with, even if all errors are wanted.
            self.note_fault(&fault, 0, Vec::new)?;
            Err(Stop::Error)
        })
    }

    pub fn hidden_bytes(&self) -> usize {
        self.hidden_bytes
    }

    /// The part of a vector that tells states apart, and its hash.
    #[inline]
    pub fn key<'v>(&self, vector: &'v [u8]) -> (u64, &'v [u8]) {
        let key = &vector[self.hidden_bytes..];
        (hash(key), key)
    }

    pub fn find(&self, vector: &[u8]) -> Option<StateIndex> {
        let (hash, key) = self.key(vector);
        self.store.find_hashed(hash, key)
    }

    /// Puts a state into the store; true if it is new. The caller counts the lookup.
    #[inline]
    pub fn insert(&mut self, hash: u64, vector: &[u8]) -> Result<(StateIndex, bool), Stop> {
        let (index, is_new) = self.store.insert_hashed(hash, &vector[self.hidden_bytes..])?;
        if is_new {
            self.statistics.stored += 1;
            self.statistics.vector_bytes = self.statistics.vector_bytes.max(vector.len());
        }
        Ok((index, is_new))
    }

    /// Computes the successors of a configuration that are to be followed, after a look at the limits if that is due.
    #[inline]
    pub fn expand(
        &mut self,
        vector: &[u8],
        at: At,
        out: &mut Successors,
        search_bytes: impl FnOnce() -> usize,
    ) -> Result<Ending, Stop> {
        if self.governor.is_due() {
            let search_bytes = search_bytes();
            self.refresh(search_bytes);
            self.store.set_budget(self.governor.store_budget(search_bytes));
            if let Some(limit) = self.governor.look(&self.statistics) {
                return Err(Stop::Limit(limit));
            }
        }
        self.executor.successors(vector, at.control(), out);
        if let At::State(state) = at {
            self.statistics.expanded += 1;
            if let Some(selection) = &mut self.selection {
                selection.select(vector, state, out, &self.store, self.executor);
            }
        }
        self.statistics.generated += out.items.len() as u64;
        debug_assert!(!out.items.is_empty() || out.ending != Ending::Moves, "no successors, so it ends");
        debug_assert!(out.ending == Ending::Moves || out.items.iter().all(|item| !item.has_state));
        debug_assert!(matches!(at, At::State(_)) || matches!(out.ending, Ending::Moves | Ending::LetGo));
        Ok(out.ending)
    }

    /// Computes successors of a configuration on the current path that were computed before; they are not counted again.
    pub fn expand_again(&mut self, vector: &[u8], at: At, out: &mut Successors) {
        self.executor.successors(vector, at.control(), out);
        if let (At::State(state), Some(selection)) = (at, &mut self.selection) {
            selection.select_again(vector, state, out);
        }
    }

    /// Depth first, the path leaves a state.
    #[inline]
    pub fn leave(&mut self, state: StateIndex) {
        if let Some(selection) = &mut self.selection {
            selection.leave(state);
        }
    }

    pub fn note_depth(&mut self, depth: usize) {
        self.statistics.max_depth = self.statistics.max_depth.max(depth as u64);
    }

    pub fn note_executed(&mut self, step: Step) {
        self.executed.insert(step.transition.index());
        if let Some((_, transition)) = step.partner {
            self.executed.insert(transition.index());
        }
    }

    /// Is this fault one that is asked for?
    pub fn is_error(&self, fault: &Fault) -> bool {
        self.options.checks.assertions || !fault.kind.continues()
    }

    /// Notes a fault that is an error; stops unless all errors are wanted.
    pub fn note_fault(
        &mut self,
        fault: &Fault,
        length: usize,
        path: impl FnOnce() -> Vec<Step>,
    ) -> Result<(), Stop> {
        if let Some(error) = self.log.fault(fault, length, path) {
            self.governor.observer.error(error);
        }
        self.after_error()
    }

    /// Notes the steps of a configuration that ends although some were tried: faults that count as not possible.
    pub fn note_blocked(
        &mut self,
        out: &Successors,
        length: usize,
        path: impl Fn(Step) -> Vec<Step>,
    ) -> Result<(), Stop> {
        for item in &out.items {
            if let Some(fault) = out.fault(item) {
                self.note_fault(fault, length + 1, || path(item.step))?;
            }
        }
        Ok(())
    }

    /// Notes that nothing can move in this state, if deadlocks are asked for.
    pub fn note_deadlock(
        &mut self,
        vector: &[u8],
        length: usize,
        path: impl FnOnce() -> Vec<Step>,
    ) -> Result<(), Stop> {
        if !self.options.checks.deadlocks {
            return Ok(());
        }
        let standing = match StateView::new(self.model, vector) {
            Ok(view) => view.processes().map(|process| (process.id, process.state_id())).collect(),
            Err(_) => Vec::new(),
        };
        if let Some(error) = self.log.deadlock(standing, length, path) {
            self.governor.observer.error(error);
        }
        self.after_error()
    }

    fn after_error(&self) -> Result<(), Stop> {
        if self.options.all_errors { Ok(()) } else { Err(Stop::Error) }
    }

    /// Brings the derived statistics up to date.
    fn refresh(&mut self, search_bytes: usize) {
        let statistics = &mut self.statistics;
        statistics.matched = statistics.transitions.saturating_sub(statistics.stored);
        statistics.store_bytes = self.store.bytes_in_use();
        statistics.bytes_per_state = self.store.bytes_per_state();
        statistics.search_bytes = search_bytes + self.selection.as_ref().map_or(0, Selection::heap_bytes);
    }

    /// The outcome of a search that ended as `end` says; `is_cut` if the depth bound left something unseen.
    pub fn finish(mut self, end: Result<(), Stop>, is_cut: bool, search_bytes: usize) -> Outcome {
        self.refresh(search_bytes);
        let mut limits = Vec::new();
        if is_cut {
            limits.push(Limit::Depth);
        }
        if let Err(Stop::Limit(limit)) = end {
            limits.push(limit);
        }
        let (errors, error_counts) = self.log.into_parts();
        Outcome {
            statistics: self.statistics,
            errors,
            error_counts,
            executed: self.executed,
            complete: end.is_ok() && !is_cut,
            limits,
            reduction: self.reduction,
        }
    }
}
