//! What every search has: executor, store, limits, statistics and the errors met.

use crate::errors::{ErrorLog, Trail};
use crate::expansion::{Expansion, Rules};
use crate::fold::{Fold, Lookup};
use crate::governor::Governor;
use crate::guide::Guide;
use crate::labels::Branch;
use crate::loops::Loops;
use crate::lost::{Fork, Omitted};
use crate::options::Noted;
use crate::path::PathBuilder;
use crate::por::{Choice, Order, Selection};
use crate::recurrence::VisitCounter;
use crate::{Bitset, Limit, Observer, Options, Outcome, Path, Reducer, Reduction, Statistics};
use panoptes_exec::{Ending, Executor, Fault, FaultKind, Patience, Step, Successors};
use panoptes_model::{Model, StateView};
use panoptes_store::{OutOfMemory, Prepared, StateRef, StateStore, StoreAccount};
use std::time::Instant;

pub(crate) struct Context<'a, S> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub store: S,
    pub statistics: Statistics,
    pub log: ErrorLog,
    pub executed: Bitset,
    pub loops: Loops,
    executor: &'a mut dyn Executor,
    selection: Option<Selection<'a>>,
    reduction: Reduction,
    governor: Governor<'a>,
    hidden_bytes: usize,
    noted: Noted,
    /// Room for the invariants that a state breaks.
    broken: Vec<Fault>,
    fold: Option<Fold>,
    /// Some of the states that the store took for others.
    pub(crate) omitted: Omitted,
    /// Only a depth-first search asks it.
    pub guide: Option<Guide>,
    /// Steps that the executor gave up, each place once.
    given_up: Vec<Fault>,
    visits: Option<Box<VisitCounter>>,
}

/// Stands for a state that is on the path of a depth-first search and not in the store. No store gives this reference
/// to a state that it has (of fingerprints, one in `2^64` could be it).
pub(crate) const NOT_STORED: StateRef = StateRef::NONE;

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

impl<'a, S: StateStore + Default> Context<'a, S> {
    pub fn new(
        model: &'a Model,
        executor: &'a mut dyn Executor,
        options: &'a Options,
        observer: &'a mut dyn Observer,
        order: Order,
    ) -> Context<'a, S> {
        let governor = Governor::new(options, observer);
        executor.set_patience(&governor.patience());
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
                let selection = Selection::new(reducer, needs_proviso, order, S::NUMBERING);
                (Some(selection), Reduction::Por)
            }
            None => (None, Reduction::NotWanted),
            Some(Err(why_not)) => (None, Reduction::NotPossible(why_not)),
        };
        let mut store = S::default();
        store.configure(&options.store);
        store.set_budget(governor.store_budget(0));
        Context {
            model,
            options,
            store,
            statistics: Statistics::default(),
            log: ErrorLog::new(options.errors_max),
            executed: Bitset::with_len(model.transitions.len()),
            loops: Loops::new(model),
            hidden_bytes: executor.hidden_bytes(),
            noted: Noted::of(model, options.checks),
            broken: Vec::new(),
            executor,
            selection,
            reduction,
            governor,
            fold: Fold::new(model, &options.foldings),
            omitted: Omitted::default(),
            guide: Guide::new(model, options.guidance),
            given_up: Vec::new(),
            visits: options.recurrence.then(Box::default),
        }
    }

    /// Forgets all that was found; the clock runs on.
    pub fn restart(&mut self) {
        self.store = S::default();
        self.store.configure(&self.options.store);
        self.store.set_budget(self.governor.store_budget(0));
        self.statistics = Statistics::default();
        self.log = ErrorLog::new(self.options.errors_max);
        self.executed = Bitset::with_len(self.model.transitions.len());
        self.omitted = Omitted::default();
        self.given_up.clear();
        self.visits = self.options.recurrence.then(Box::default);
        if let Some(selection) = &mut self.selection {
            selection.restart();
        }
        if let Some(guide) = &mut self.guide {
            guide.restart();
        }
    }

    /// The initial vector; a fault there is noted as an error.
    pub fn initial(&mut self) -> Result<Vec<u8>, Stop> {
        self.executor.initial().or_else(|fault| {
            // There is nothing to go on with, even if all errors are wanted.
            self.note_fault(&fault, 0, Trail::default)?;
            Err(Stop::Error)
        })
    }

    pub fn hidden_bytes(&self) -> usize {
        self.hidden_bytes
    }

    /// The first half of a lookup, and a request for the memory that the second half will read.
    #[inline]
    pub fn prepare(&mut self, vector: &[u8]) -> Result<Prepared, Stop> {
        let prepared = match &self.fold {
            None => self.store.prepare(&vector[self.hidden_bytes..])?,
            Some(fold) => fold.with_key(vector, |key| self.store.prepare(key))?,
        };
        self.store.prefetch(prepared);
        Ok(prepared)
    }

    /// Begins the lookups of all states that an expansion reached.
    #[inline]
    pub fn prepare_all(&mut self, expansion: &mut Expansion) -> Result<(), Stop> {
        for index in 0..expansion.reached.len() {
            let prepared = self.prepare(expansion.vector(&expansion.reached[index]))?;
            expansion.reached[index].prepared = prepared;
        }
        Ok(())
    }

    /// The same in three passes over many expansions, this being the first.
    pub fn draft_all(&mut self, expansion: &mut Expansion) -> Result<(), Stop> {
        for reached in &expansion.reached {
            let vector = expansion.vector(reached);
            let draft = match &self.fold {
                None => self.store.draft(&vector[self.hidden_bytes..])?,
                Some(fold) => fold.with_key(vector, |key| self.store.draft(key))?,
            };
            expansion.drafts.push(draft);
        }
        Ok(())
    }

    /// The third pass; between the two, the store is to be told to [`StateStore::advance`].
    pub fn conclude_all(&mut self, expansion: &mut Expansion) -> Result<(), Stop> {
        for (reached, draft) in expansion.reached.iter_mut().zip(expansion.drafts.drain(..)) {
            reached.prepared = self.store.conclude(&draft)?;
            self.store.prefetch(reached.prepared);
        }
        Ok(())
    }

    /// The second half, of a lookup only.
    #[inline]
    pub fn find(&self, prepared: Prepared, vector: &[u8]) -> Option<StateRef> {
        match &self.fold {
            None => self.store.find(prepared, &vector[self.hidden_bytes..]),
            Some(fold) => fold.with_key(vector, |key| self.store.find(prepared, key)),
        }
    }

    /// Puts a state into the store; true if it is new. The caller counts the lookup.
    #[inline]
    pub fn insert(&mut self, prepared: Prepared, vector: &[u8]) -> Result<(StateRef, bool), Stop> {
        let (state, is_new) = match &self.fold {
            None => self.store.insert(prepared, &vector[self.hidden_bytes..])?,
            Some(fold) => fold.with_key(vector, |key| self.store.insert(prepared, key))?,
        };
        if is_new {
            self.statistics.stored += 1;
            self.statistics.vector_bytes = self.statistics.vector_bytes.max(vector.len());
        }
        Ok((state, is_new))
    }

    /// Computes what is to be followed from a state within `steps_max` steps, after a look at the limits if that is due.
    #[inline]
    pub fn expand(
        &mut self,
        state: StateRef,
        vector: &[u8],
        steps_max: usize,
        out: &mut Expansion,
        search_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Stop> {
        self.look_at_limits(search_bytes)?;
        out.start(self.executor, vector);
        let mut choice = Choice::All;
        if let Some(selection) = &mut self.selection {
            let (store, fold, hidden_bytes) = (&mut self.store, self.fold.as_ref(), self.hidden_bytes);
            let lookup = Lookup { store, fold, hidden_bytes };
            choice = selection.select(vector, state, out.successors(), lookup, self.executor)?;
        }
        let noted = self.noted;
        let (governor, statistics) = (&mut self.governor, self.statistics);
        let mut watch = |chain_bytes: usize| {
            let search_bytes = statistics.search_bytes + chain_bytes;
            governor.look(&Statistics { search_bytes, ..statistics })
        };
        let (executor, loops, watch) = (&mut *self.executor, &self.loops, Some(&mut watch as _));
        out.run(Rules { executor, loops, noted, steps_max, choice, watch }, &mut self.executed);
        if let Some(limit) = out.limit {
            return Err(Stop::Limit(limit));
        }
        if out.given_up.is_empty() { Ok(()) } else { self.note_given_up(&out.given_up) }
    }

    /// Notes steps that the executor gave up; stops if it was told to.
    #[cold]
    fn note_given_up(&mut self, faults: &[Fault]) -> Result<(), Stop> {
        for fault in faults {
            if fault.kind == FaultKind::Interrupted {
                return Err(Stop::Limit(self.governor.why_interrupted()));
            }
            if fault.kind.is_limit() && !self.given_up.contains(fault) {
                self.given_up.push(fault.clone());
            }
        }
        Ok(())
    }

    /// Can a state be expanded before it is its turn? Not if what is to be followed depends on those before it, or the
    /// order on what is known of them.
    #[inline]
    pub fn may_look_ahead(&self) -> bool {
        self.selection.is_none() && self.guide.is_none() && self.options.depth_max.is_none()
    }

    /// [`Self::expand`] for a state that has not been reached yet, but will be.
    #[inline]
    pub fn expand_ahead(
        &mut self,
        vector: &[u8],
        out: &mut Expansion,
        search_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Stop> {
        debug_assert!(self.may_look_ahead());
        // Only a selection would want to know which state it is.
        self.expand(StateRef::NONE, vector, usize::MAX, out, search_bytes)
    }

    /// Breadth first, a state was put into the queue.
    #[inline]
    pub fn note_enqueued(&mut self, state: StateRef) {
        if let Some(selection) = &mut self.selection {
            selection.enqueue(state);
        }
    }

    /// A lookup that counts, of a state at the end of a path of so many steps.
    #[inline]
    pub fn note_visit(&mut self, state: StateRef, is_new: bool, depth: u32) {
        if let Some(visits) = &mut self.visits {
            visits.count(state, is_new, depth);
        }
    }

    /// A lookup that counts found a state to be known. `fork` tells the path there, see [`Omitted::note`].
    #[inline]
    pub fn note_met(
        &mut self,
        state: StateRef,
        vector: &[u8],
        depth: u32,
        fork: impl FnOnce(usize) -> Option<Fork>,
    ) {
        self.note_visit(state, false, depth);
        if self.store.met(state, depth) {
            self.omitted.note(state, vector, depth, fork);
        }
    }

    /// What is expanded from now on does not come from this state.
    #[inline]
    pub fn leave_selection(&mut self, state: StateRef) {
        if let Some(selection) = &mut self.selection {
            selection.leave(state);
        }
    }

    /// Depth first, the path leaves a state.
    #[inline]
    pub fn note_left(&mut self, state: StateRef) {
        self.leave_selection(state);
        if state != NOT_STORED {
            self.store.left(state);
        }
    }

    /// Counts an expansion.
    #[inline]
    pub fn note_expanded(&mut self, out: &Expansion) {
        self.statistics.expanded += 1;
        self.statistics.generated += out.generated;
        self.statistics.endless_chains += out.endless_chains;
    }

    /// Computes the successors of one configuration, chains not followed.
    pub fn expand_by_steps(
        &mut self,
        vector: &[u8],
        control: Option<u8>,
        out: &mut Successors,
        search_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Stop> {
        self.look_at_limits(search_bytes)?;
        self.executor.successors(vector, control, out);
        debug_assert!(out.ending == Ending::Moves || out.items.iter().all(|item| !item.has_state()));
        debug_assert!(control.is_none() || matches!(out.ending, Ending::Moves | Ending::LetGo));
        if out.faults.is_empty() { Ok(()) } else { self.note_given_up(&out.faults) }
    }

    #[inline]
    fn look_at_limits(&mut self, search_bytes: impl FnOnce() -> usize) -> Result<(), Stop> {
        if self.governor.is_due() {
            let search_bytes = search_bytes();
            self.refresh(search_bytes);
            self.store.set_budget(self.governor.store_budget(search_bytes));
            if let Some(limit) = self.governor.look(&self.statistics) {
                return Err(Stop::Limit(limit));
            }
        }
        Ok(())
    }

    /// Computes again what was computed before, all of it; nothing is counted.
    pub fn expand_again(&mut self, vector: &[u8], steps_max: usize, out: &mut Expansion) -> Result<(), Stop> {
        let noted = self.noted;
        out.start(self.executor, vector);
        let choice = Choice::All;
        let (executor, loops, watch) = (&mut *self.executor, &self.loops, None);
        let rules = Rules { executor, loops, noted, steps_max, choice, watch };
        // What a reduction left out is not executed now either.
        out.run(rules, &mut Bitset::default());
        if out.given_up.is_empty() { Ok(()) } else { self.note_given_up(&out.given_up) }
    }

    /// How many steps the depth bound allows from `depth` on.
    #[inline]
    pub fn steps_left(&self, depth: u32) -> usize {
        self.options.depth_max.map_or(usize::MAX, |bound| steps_left(bound, depth as usize))
    }

    #[inline]
    pub fn note_depth(&mut self, depth: usize) {
        self.statistics.max_depth = self.statistics.max_depth.max(depth as u64);
    }

    #[inline]
    pub fn note_executed(&mut self, step: Step) {
        self.executed.insert(step.transition.index());
        if let Some((_, transition)) = step.partner {
            self.executed.insert(transition.index());
        }
    }

    /// Is this fault one that is asked for?
    pub fn is_error(&self, fault: &Fault) -> bool {
        self.noted.includes(fault.kind)
    }

    /// Notes a fault that is an error; stops unless all errors are wanted.
    pub fn note_fault(
        &mut self,
        fault: &Fault,
        length: usize,
        trail: impl FnOnce() -> Trail,
    ) -> Result<(), Stop> {
        if let Some(error) = self.log.fault(fault, length, trail) {
            self.governor.observer.error(error);
        }
        self.after_error()
    }

    /// Notes the steps of a configuration that ends although some were tried: faults that count as not possible. An
    /// execution got to them.
    pub fn note_blocked(
        &mut self,
        out: &Successors,
        length: usize,
        trail: impl Fn(Step) -> Trail,
    ) -> Result<(), Stop> {
        for item in &out.items {
            if let Some(fault) = out.fault(item) {
                self.note_executed(item.step());
                self.note_fault(fault, length + 1, || trail(item.step()))?;
            }
        }
        Ok(())
    }

    /// Is something looked for that is seen only when a state is expanded, one level after it was reached?
    pub fn looks_at_states(&self) -> bool {
        self.options.checks.deadlocks || !self.model.invariants.is_empty()
    }

    /// Notes the invariants that a state breaks.
    #[inline]
    pub fn note_state(
        &mut self,
        vector: &[u8],
        length: usize,
        trail: impl Fn() -> Trail,
    ) -> Result<(), Stop> {
        if self.model.invariants.is_empty() {
            return Ok(());
        }
        let mut broken = std::mem::take(&mut self.broken);
        self.executor.broken_invariants(vector, &mut broken);
        let noted = broken.drain(..).try_for_each(|fault| self.note_fault(&fault, length, &trail));
        self.broken = broken;
        noted
    }

    /// Notes what is wrong with a state in which nothing can move, if it is asked for.
    pub fn note_end(
        &mut self,
        vector: &[u8],
        faults: &[Fault],
        length: usize,
        trail: impl Fn() -> Trail,
    ) -> Result<(), Stop> {
        for fault in faults {
            let is_asked_for = match fault.kind {
                FaultKind::Unfulfilled => self.options.checks.assertions,
                _ => self.options.checks.deadlocks,
            };
            if is_asked_for {
                self.note_fault(fault, length, &trail)?;
            }
        }
        if !faults.is_empty() || !self.options.checks.deadlocks {
            return Ok(());
        }
        let standing = match StateView::new(self.model, vector) {
            Ok(view) => view.processes().map(|process| (process.id, process.state_id())).collect(),
            Err(_) => Vec::new(),
        };
        if let Some(error) = self.log.deadlock(standing, length, trail) {
            self.governor.observer.error(error);
        }
        self.after_error()
    }

    /// Notes the processes that wait in vain in a state in which others can move, if that is asked for.
    #[inline]
    pub fn note_stuck(
        &mut self,
        out: &Successors,
        length: usize,
        trail: impl Fn() -> Trail,
    ) -> Result<(), Stop> {
        if out.stuck.is_empty() || !self.options.checks.deadlocks {
            return Ok(());
        }
        for stuck in &out.stuck {
            if let Some(error) = self.log.stuck(*stuck, || stuck.fault(self.model), length, &trail) {
                self.governor.observer.error(error);
            }
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
        let visits_bytes = self.visits.as_ref().map_or(0, |visits| visits.heap_bytes());
        // The path to an error must find room, too.
        let trail_bytes = self.log.heap_bytes() + statistics.max_depth as usize * TRAIL_BYTES;
        let search_bytes = search_bytes + self.omitted.heap_bytes() + trail_bytes + visits_bytes;
        statistics.search_bytes = search_bytes + self.selection.as_ref().map_or(0, Selection::heap_bytes);
    }

    /// The outcome of a search that ended as `end` says; `is_cut` if the depth bound left something unseen.
    pub fn finish(mut self, end: Result<(), Stop>, is_cut: bool, search_bytes: usize) -> Outcome {
        self.refresh(search_bytes);
        let mut limits = Vec::new();
        if is_cut {
            limits.push(Limit::Depth);
        }
        if self.guide.as_ref().is_some_and(Guide::is_narrowed) {
            limits.push(Limit::Branching);
        }
        if self.fold.is_some() {
            limits.push(Limit::Folding);
        }
        if !self.given_up.is_empty() {
            limits.push(Limit::DStep);
        }
        let is_complete = end.is_ok() && limits.is_empty();
        if let Err(Stop::Limit(limit)) = end {
            limits.push(limit);
        }
        let mut store = self.store.account();
        match &mut store {
            StoreAccount::Bitstate(account) => {
                if end.is_ok() {
                    self.look_for_lost(account);
                }
                limits.push(Limit::Bitstate);
            }
            StoreAccount::HashCompact(_) => limits.push(Limit::HashCompact),
            StoreAccount::Direct(account) if account.misfits > 0 => limits.push(Limit::Bitstate),
            StoreAccount::Exact | StoreAccount::Cache(_) | StoreAccount::Direct(_) => {}
        }
        // What is not needed any more makes room.
        self.store = S::default();
        let (executor, loops) = (self.executor, self.loops);
        let deadline = self.governor.grace();
        executor.set_patience(&Patience { deadline, ..Patience::default() });
        let retrace =
            Retrace { bound: self.options.depth_max, deadline, memory_bytes: self.options.memory_bytes };
        let (errors, error_counts) = self.log.into_parts(self.options.path_steps_max, |trail, length| {
            retrace.path(executor, &loops, trail, length)
        });
        Outcome {
            statistics: self.statistics,
            errors,
            error_counts,
            executed: self.executed,
            complete: is_complete && store.is_exact(),
            limits,
            reduction: self.reduction,
            stages: Vec::new(),
            recurrence: self.visits.map(|visits| visits.finish(!matches!(store, StoreAccount::Cache(_)))),
            store,
            given_up: self.given_up,
        }
    }
}

/// A step of a path takes so much while the path is found: its branch, and its number.
const TRAIL_BYTES: usize = size_of::<Branch>() + size_of::<u32>();

/// Branches between two looks at the clock while a path is found again.
const LOOK_EVERY: usize = 1024;

/// How a path is found again from its trail, and within which limits.
struct Retrace {
    bound: Option<u64>,
    deadline: Option<Instant>,
    memory_bytes: Option<u64>,
}

impl Retrace {
    /// The steps of a trail: its states are computed once more, from the initial one on.
    fn path(
        &self,
        executor: &mut dyn Executor,
        loops: &Loops,
        trail: Trail,
        length: usize,
    ) -> Result<Path, Limit> {
        if trail.branches.is_empty() {
            return Ok(trail.steps);
        }
        if self.memory_bytes.is_some_and(|allowed| (length * TRAIL_BYTES) as u64 > allowed) {
            return Err(Limit::Memory);
        }
        let mut path = PathBuilder::with_capacity(length);
        let mut vector = executor.initial().expect("a search went on from the initial state");
        let mut expansion = Expansion::default();
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        for (index, branch) in trail.branches.into_iter().enumerate() {
            if index.is_multiple_of(LOOK_EVERY) && is_late() {
                return Err(Limit::Time);
            }
            let steps_max = self.bound.map_or(usize::MAX, |bound| steps_left(bound, path.len()));
            let mut watch = |_: usize| is_late().then_some(Limit::Time);
            let watch = Some(&mut watch as _);
            let rules = Rules { executor, loops, noted: Noted::All, steps_max, choice: Choice::All, watch };
            let (steps, next) = expansion.path_to(branch, rules, &vector).ok_or(Limit::Time)?;
            steps.into_iter().for_each(|step| path.push(step));
            vector = next;
        }
        trail.steps.iter().for_each(|step| path.push(step));
        Ok(path.finish())
    }
}

fn steps_left(bound: u64, depth: usize) -> usize {
    usize::try_from(bound).unwrap_or(usize::MAX).saturating_sub(depth)
}
