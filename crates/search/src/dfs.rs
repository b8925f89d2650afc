//! Depth-first search with an explicit stack.
//!
//! States are visited in the order of SPIN's verifier without reduction, and counts are equal; only the faults of a
//! state's own steps are seen when it is expanded, before its successors are. A successor that is in the store already when it is
//! computed is counted and done with; the others are looked up again in their turn.
//!
//! With a depth bound the search first assumes that the bound cuts nothing. When it does cut something, the search starts again
//! with [`Revisits`], which a bound makes necessary. (Bit arrays have no place for the depth of a state: there a state is expanded
//! once, and what the bound cut is missing.)

use crate::checkpoint::{self, Resumable};
use crate::closed::Order;
use crate::conclude::{Ended, conclude};
use crate::expander::Origin;
use crate::expansion::{Expansion, Reached, Task};
use crate::frontier::stack::{Frame, Item, Job, Stack};
use crate::guide::Guide;
use crate::heuristic::{FAR, Heuristic};
use crate::jobs::Jobs;
use crate::judge::{Judge, Position};
use crate::limits::Limits;
use crate::loop_states::LoopStates;
use crate::program::Program;
use crate::revisit::{Arrival, Revisits};
use crate::saved::Saved;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, SearchOptions};
use panoptes_exec::{Ending, Executor};
use panoptes_model::Model;
use panoptes_store::{ImageReader, ImageWriter, Prepared, StateRef, StateStore};
use std::io;
use std::sync::Arc;

/// How many frames get their successors back at once. (Few in tests, so that it happens often.)
const REFILL_FRAMES: usize = if cfg!(test) { 3 } else { 4096 };

/// Explores all that can be reached, depth first.
pub fn dfs<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    Dfs::<S>::search(model, executor, options, observer, Alone)
}

/// Who goes on with a search that turns out to be long.
pub(crate) trait HandOver<S> {
    /// How many states are stored before others may join.
    fn alone_until(&self, search: &Dfs<'_, S>) -> u64;

    /// Goes on. The search that comes back has what all found, and how many workers there were.
    fn go_on<'a>(&self, search: Dfs<'a, S>) -> (Dfs<'a, S>, Result<(), Stop>, usize);
}

/// Nobody: one worker is enough.
struct Alone;

impl<S> HandOver<S> for Alone {
    fn alone_until(&self, _: &Dfs<'_, S>) -> u64 {
        u64::MAX
    }

    fn go_on<'a>(&self, _: Dfs<'a, S>) -> (Dfs<'a, S>, Result<(), Stop>, usize) {
        unreachable!("that is never due")
    }
}

pub(crate) struct Dfs<'a, S> {
    pub program: &'a Program<'a>,
    pub visited: Visited<S>,
    pub judge: Judge<'a>,
    pub worker: Worker<'a>,
    pub stack: Stack,
    pub guide: Option<Guide>,
    /// Orders the successors of a state, and cuts what it takes to be beyond the bound.
    heuristic: Option<Box<dyn Heuristic + 'a>>,
    /// Room for what an expansion reached, with the estimates.
    estimates: Vec<(u32, Reached)>,
    /// Only while a depth bound cuts something.
    revisits: Option<Revisits>,
    /// The depth bound cut something, and nobody knows at which depth states were met.
    is_cut: bool,
    /// Only if not every state is to be stored.
    loop_states: Option<LoopStates>,
    /// The state just reached.
    vector: Vec<u8>,
    /// What can be reached from it. (In a box, since the two change places often.)
    expansion: Box<Expansion>,
    /// What can be reached from the state that comes next, if that is known already.
    ahead: Box<Expansion>,
    is_ahead: bool,
    /// The initial state was looked up.
    has_begun: bool,
    /// What the search was about to do with `vector` when it stopped.
    pending: Option<Pending>,
    /// When so many states are stored, others join.
    alone_until: u64,
    /// What others may follow, if there are any.
    jobs: Option<Arc<Jobs>>,
}

/// What is still to be done with the state at hand.
#[derive(Clone, Copy)]
enum Pending {
    LookUp(Arriving),
    Expand(Arriving, StateRef),
}

/// How the state at hand was reached: which successor of the topmost frame it is, and after how many steps in all.
#[derive(Clone, Copy)]
struct Arriving {
    label: u32,
    depth: u32,
}

/// Where the state stands that comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// It is this one of what the state at hand reaches.
    Successor(usize),
    OnStack,
}

impl<'a, S: StateStore + Default> Dfs<'a, S> {
    pub fn search(
        model: &Model,
        executor: &mut dyn Executor,
        options: &SearchOptions,
        observer: &mut dyn Observer,
        others: impl HandOver<S>,
    ) -> Outcome {
        let program = Program::new(model, options, executor.hidden_bytes());
        let limits = Limits::new(options, observer.stop_flag());
        let worker = Worker::new(&program, &limits, executor, observer);
        let guide = Guide::new(model, options.guidance);
        let mut search: Dfs<'_, S> = Dfs::new(&program, worker, guide, None);
        search.alone_until = others.alone_until(&search);
        let mut how = checkpoint::begin(&mut search, &program, &limits);
        let mut threads = 1;
        if how.is_ok() {
            how = search.walk();
            while how == Err(Stop::Pause) {
                limits.set_pause(false);
                checkpoint::save(&mut search, &program);
                how = search.walk();
            }
            if matches!(how, Err(Stop::Limit(_))) {
                checkpoint::save(&mut search, &program);
            }
        }
        if how == Err(Stop::Cut) {
            let (worker, guide) = search.into_restart();
            search = Dfs::new(&program, worker, guide, Some(Revisits::default()));
            how = search.walk();
        }
        if how == Err(Stop::Shared) {
            (search, how, threads) = others.go_on(search);
            if !options.all_errors {
                search.judge.findings.keep_shortest();
            }
            search.judge.findings.announce(search.worker.watch.observer);
            search.judge.findings.sort();
        }
        let is_plain = search.guide.is_none() && !options.loop_states && options.depth_max.is_none();
        let ended = Ended {
            how,
            is_cut: search.is_cut || search.revisits.as_ref().is_some_and(Revisits::is_cut),
            is_narrowed: search.guide.as_ref().is_some_and(Guide::is_narrowed),
            by_steps: false,
            may_look_behind: is_plain,
            own_bytes: search.own_bytes(),
        };
        // What is not needed any more makes room for the paths of errors.
        let Dfs { visited, judge, worker, .. } = search;
        Outcome { threads, ..conclude(&program, visited, judge, worker, ended) }
    }

    fn new(
        program: &'a Program<'a>,
        worker: Worker<'a>,
        guide: Option<Guide>,
        revisits: Option<Revisits>,
    ) -> Dfs<'a, S> {
        let closes = worker.expander.has_proviso().then_some(Order::DepthFirst);
        let visited = Visited::new(program, worker.watch.limits.store_budget(0), closes);
        let loop_states = program.options.loop_states.then(|| LoopStates::new(program.model));
        let keeps_path = visited.keeps_vectors() && loop_states.is_none();
        Dfs {
            guide,
            heuristic: program
                .options
                .heuristic
                .as_ref()
                .map(|choice| choice.build(program.model, program.options.checks)),
            revisits,
            loop_states,
            has_begun: false,
            ..Dfs::of(
                program,
                visited,
                Judge::new(program),
                worker,
                Stack::new(program.hidden_bytes, !keeps_path),
            )
        }
    }

    /// Forgets all that was found, and makes room for another attempt; the clock runs on.
    fn into_restart(self) -> (Worker<'a>, Option<Guide>) {
        let (mut worker, mut guide) = (self.worker, self.guide);
        worker.restart();
        guide.as_mut().into_iter().for_each(Guide::restart);
        (worker, guide)
    }
}

impl<'a, S> Dfs<'a, S> {
    /// A plain search that has begun.
    pub fn of(
        program: &'a Program<'a>,
        visited: Visited<S>,
        judge: Judge<'a>,
        worker: Worker<'a>,
        stack: Stack,
    ) -> Dfs<'a, S> {
        Dfs {
            program,
            visited,
            judge,
            worker,
            stack,
            guide: None,
            heuristic: None,
            estimates: Vec::new(),
            revisits: None,
            is_cut: false,
            loop_states: None,
            vector: Vec::new(),
            expansion: Box::default(),
            ahead: Box::default(),
            is_ahead: false,
            has_begun: true,
            pending: None,
            alone_until: u64::MAX,
            jobs: None,
        }
    }

    /// One of several, which gives away what others may follow.
    pub fn among(self, jobs: Arc<Jobs>) -> Dfs<'a, S> {
        Dfs { jobs: Some(jobs), ..self }
    }
}

impl<S: StateStore> Dfs<'_, S> {
    /// To the end, or until it stops.
    pub fn walk(&mut self) -> Result<(), Stop> {
        if !self.has_begun {
            let initial = self.worker.expander.executor().initial();
            self.vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
            self.has_begun = true;
            self.pending = Some(Pending::LookUp(Arriving { label: 0, depth: 0 }));
        }
        if let Some(pending) = self.pending {
            self.catch_up(pending)?;
        }
        while let Some(frame) = self.stack.frames.last() {
            if frame.untried == 0 {
                self.pop();
                continue;
            }
            if self.worker.watch.limits.is_pause_due() {
                return Err(Stop::Pause);
            }
            let depth = frame.depth;
            if self.worker.tally.statistics.stored >= self.alone_until {
                self.is_ahead = false;
                return Err(Stop::Shared);
            }
            if self.jobs.is_some() {
                self.look_around()?;
            }
            if self.stack.is_spilled()
                && let Err(stop) = self.refill()
            {
                self.stack.abandon_refill();
                return Err(stop);
            }
            let (label, item) = self.stack.pop_item(&mut self.vector);
            self.reach(Arriving { label, depth: depth + item.steps }, item.prepared)?;
        }
        Ok(())
    }

    /// Looks whether others want something of this one.
    #[inline]
    fn look_around(&mut self) -> Result<(), Stop> {
        let Dfs { jobs: Some(jobs), visited, stack, .. } = self else { return Ok(()) };
        if jobs.is_halted() {
            return Err(Stop::Shared);
        }
        visited.let_others_in();
        if jobs.is_wanted() {
            jobs.give(stack.give_away());
        }
        Ok(())
    }

    /// Follows what another worker gave away; the stack is empty.
    pub fn follow(&mut self, job: Job) -> Result<(), Stop> {
        self.vector = job.vector;
        self.stack.begin_at(job.base);
        self.is_ahead = false;
        self.pending = Some(Pending::LookUp(Arriving { label: 0, depth: job.depth }));
        self.walk()
    }

    /// Does what the search was about to do when it stopped.
    fn catch_up(&mut self, pending: Pending) -> Result<(), Stop> {
        match pending {
            Pending::LookUp(by) => {
                let prepared = self.visited.prepare(&self.vector)?;
                self.pending = None;
                self.reach(by, prepared)
            }
            Pending::Expand(by, state) => {
                self.pending = None;
                self.go_on(by, Arrival::first(state), false)
            }
        }
    }

    /// Looks `self.vector` up and, if that is called for, goes on from it.
    fn reach(&mut self, by: Arriving, prepared: Prepared) -> Result<(), Stop> {
        let is_ahead = std::mem::take(&mut self.is_ahead);
        match self.arrive(by, prepared) {
            Ok(Some(arrival)) => self.go_on(by, arrival, is_ahead),
            Ok(None) => Ok(()),
            Err(stop) => {
                self.pending = Some(Pending::LookUp(by));
                Err(stop)
            }
        }
    }

    /// Goes on from `self.vector`, which was looked up; what can be reached from it may be known.
    #[inline]
    fn go_on(&mut self, by: Arriving, arrival: Arrival, is_ahead: bool) -> Result<(), Stop> {
        self.worker.tally.statistics.transitions -= arrival.forgotten;
        // If nothing new can be reached from here, this is what is looked up next.
        if let Some(next) = self.stack.next_item() {
            self.visited.prefetch(next.prepared);
        }
        if is_ahead {
            std::mem::swap(&mut self.expansion, &mut self.ahead);
            self.visited.close(arrival.state);
        } else if let Err(stop) = self.expand(by.depth, arrival.state) {
            self.pending = Some(Pending::Expand(by, arrival.state));
            return Err(stop);
        }
        self.note_expanded(by, arrival)?;
        if self.expansion.ending == Ending::Moves {
            return self.push(by, arrival);
        }
        if self.expansion.is_cut {
            self.note_cut_end(arrival)?;
        }
        self.visited.note_left(arrival.state);
        Ok(())
    }

    /// Looks `self.vector` up, unless it is not to be stored; none if there is no need to go on from it.
    fn arrive(&mut self, by: Arriving, prepared: Prepared) -> Result<Option<Arrival>, Stop> {
        if let Some(loop_states) = &mut self.loop_states {
            let (model, statistics) = (self.program.model, &mut self.worker.tally.statistics);
            if !loop_states.is_stored(model, &self.vector, self.stack.frames.len(), statistics) {
                statistics.passed += 1;
                return Ok(Some(Arrival::first(StateRef::NONE)));
            }
        }
        let (state, is_new) = self.visited.insert(prepared, &self.vector)?;
        self.count_lookup();
        let arrival = match &mut self.revisits {
            None => is_new.then_some(Arrival::first(state)),
            Some(revisits) => revisits.arrive(state, is_new, by.depth as usize),
        };
        self.worker.tally.note_visit(state, is_new, by.depth);
        if is_new {
            self.worker.tally.note_stored(&self.vector);
        } else {
            let Dfs { visited, stack, vector, .. } = self;
            visited.note_met(state, vector, by.depth, |room| stack.fork(stack.labels.branch(by.label), room));
        }
        if arrival.is_some() {
            self.visited.note_entered(state, by.depth);
        }
        Ok(arrival)
    }

    /// Computes what can be reached from the state at hand, and begins the lookups.
    fn expand(&mut self, depth: u32, state: StateRef) -> Result<(), Stop> {
        self.look_at_limits()?;
        let needs_list = self.needs_list();
        let Dfs { program, visited, worker, vector, expansion, .. } = self;
        visited.close(state);
        let from = Origin { vector, control: None };
        worker.expander.start(from, expansion);
        if needs_list {
            let task = Task { steps_max: program.steps_left(depth), ..Task::default() };
            worker.go_on(from, task, visited, expansion)?;
        } else {
            worker.go_on_plainly(from, visited, expansion)?;
        }
        visited.prepare_all(expansion)?;
        Ok(())
    }

    /// Does the same for the state that most likely comes next, while the lookups of the state at hand wait for memory.
    fn look_ahead(&mut self, next: Next) -> Result<(), Stop> {
        self.look_at_limits()?;
        let Dfs { visited, worker, stack, expansion, ahead, .. } = self;
        let vector = match next {
            Next::Successor(index) => expansion.vector(&expansion.get(index)),
            Next::OnStack => stack.next_vector(),
        };
        worker.expand_ahead(vector, visited, ahead)?;
        visited.prepare_all(ahead)?;
        Ok(())
    }

    #[inline]
    fn look_at_limits(&mut self) -> Result<(), Stop> {
        let Dfs { visited, judge, worker, stack, revisits, jobs, .. } = self;
        // The first worker counts what nobody has at hand.
        let jobs = jobs.as_deref().filter(|_| !worker.is_beside);
        let own_bytes = || {
            let jobs_bytes = jobs.map_or(0, Jobs::heap_bytes);
            stack.heap_bytes() + jobs_bytes + revisits.as_ref().map_or(0, Revisits::heap_bytes)
        };
        worker.look_at_limits(visited, &mut judge.findings, own_bytes)
    }

    /// Which state that is: the first of its successors that the store cannot hold, or if it holds them all, the next one
    /// on the stack.
    #[inline]
    fn likely_next(&self) -> Option<Next> {
        let mut next = None;
        // All of them: the memory to compare them with is wanted soon.
        for index in 0..self.expansion.count() {
            let prepared = self.expansion.get(index).prepared;
            if next.is_some() {
                self.visited.prefetch_further(prepared);
            } else if !self.visited.may_hold(prepared) {
                next = Some(Next::Successor(index));
            }
        }
        let on_stack = || self.stack.next_item().filter(|item| !self.visited.may_hold(item.prepared));
        let next = next.or_else(|| on_stack().map(|_| Next::OnStack));
        next.filter(|next| self.may_look_ahead(*next))
    }

    /// Can a state be expanded before it is its turn? Not if the order depends on what is known then; nor if a reduction
    /// depends on the path, and that is not yet the one to the state.
    #[inline]
    fn may_look_ahead(&self, next: Next) -> bool {
        let is_path_settled =
            || next != Next::OnStack && self.loop_states.is_none() && !self.visited.is_folded();
        let is_alone = self.jobs.is_none() || !self.worker.expander.has_proviso();
        (!self.worker.expander.is_reduced() || is_path_settled())
            // Others must find the state before this one asks for theirs.
            && is_alone
            && !self.needs_list()
            && self.revisits.is_none()
    }

    /// Must what is reached be listed in any case, since it is put into another order, or cut?
    #[inline]
    fn needs_list(&self) -> bool {
        self.guide.is_some() || self.heuristic.is_some() || self.program.options.depth_max.is_some()
    }

    /// Counts an expansion and judges it.
    fn note_expanded(&mut self, by: Arriving, arrival: Arrival) -> Result<(), Stop> {
        let Dfs { program, judge, worker, stack, vector, expansion, .. } = self;
        let depth = by.depth as usize;
        worker.tally.note_expanded(expansion);
        worker.tally.note_depth(depth + expansion.chain_steps_max);
        if expansion.is_unremarkable() {
            return Ok(());
        }
        let branches = || stack.branches_to(by.label);
        let has_shown = |steps| arrival.has_shown(steps, program.options.depth_max);
        let at = Position { vector, depth, branches: &branches, has_shown: &has_shown };
        judge.judge(&at, expansion)
    }

    /// Puts the state just expanded on the path, and its successors that need to be followed beside it.
    ///
    /// All their lookups are begun before the first is finished: they share the wait for memory.
    fn push(&mut self, by: Arriving, arrival: Arrival) -> Result<(), Stop> {
        let frame = Frame { state: arrival.state, label: by.label, depth: by.depth, untried: 0 };
        self.stack.push(frame, &self.vector);
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        let likely_next = self.likely_next();
        // A limit that is met while it looks ahead ends the search when the state is on the path.
        let looked = likely_next.map_or(Ok(()), |next| self.look_ahead(next));
        if self.needs_list() {
            self.arrange(by.depth);
            self.estimate();
        }
        let mut next = Next::OnStack;
        let steps_left = self.program.steps_left(by.depth);
        let mut is_cut = self.expansion.is_cut;
        for index in (0..self.expansion.count()).rev() {
            let reached = self.expansion.get(index);
            let depth = by.depth + reached.steps;
            let Dfs { visited, revisits, stack, expansion, .. } = self;
            let vector = expansion.vector(&reached);
            if let Some(state) = known(visited, revisits.as_ref(), reached.prepared, vector, depth) {
                visited.note_met(state, vector, depth, |room| stack.fork(reached.branch, room));
                self.count_lookup();
                self.worker.tally.note_visit(state, false, depth);
            } else if reached.steps as usize > steps_left || self.is_beyond(index, steps_left) {
                is_cut = true;
            } else {
                let Dfs { stack, expansion, .. } = self;
                let vector = expansion.vector(&reached);
                let item = Item::new(reached.prepared, reached.steps, vector);
                stack.push_item(reached.branch, item, vector);
                next = Next::Successor(index);
            }
        }
        self.is_ahead = likely_next == Some(next) && looked.is_ok();
        if is_cut {
            self.note_cut()?;
        }
        self.stack.spill_if_large();
        looked
    }

    /// The bound cut something behind the topmost state.
    fn note_cut(&mut self) -> Result<(), Stop> {
        match &mut self.revisits {
            Some(revisits) => revisits.cut(),
            None if S::IS_FRUGAL => self.is_cut = true,
            None => return Err(Stop::Cut),
        }
        Ok(())
    }

    /// The same for a state from which no step leads on, but one that went wrong, one step beyond the bound.
    fn note_cut_end(&mut self, arrival: Arrival) -> Result<(), Stop> {
        if let Some(revisits) = &mut self.revisits {
            revisits.push(arrival);
        }
        self.note_cut()?;
        if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
        Ok(())
    }

    /// Orders and limits the successors of the topmost state, if that is asked for.
    #[inline(never)]
    fn arrange(&mut self, depth: u32) {
        let Dfs { guide: Some(guide), expansion, visited, revisits, .. } = self else { return };
        guide.arrange(expansion, |expansion, reached| {
            let vector = expansion.vector(reached);
            known(visited, revisits.as_ref(), reached.prepared, vector, depth + reached.steps).is_some()
        });
    }

    /// Puts what was reached into the order of the estimates, the nearest first, if there are any.
    #[inline(never)]
    fn estimate(&mut self) {
        let Some(heuristic) = &mut self.heuristic else { return };
        let expansion = &mut self.expansion;
        self.estimates.clear();
        self.estimates.extend(
            expansion.reached.iter().map(|reached| (heuristic.estimate(expansion.vector(reached)), *reached)),
        );
        self.estimates.sort_by_key(|(estimate, _)| *estimate);
        expansion.reached.clear();
        expansion.reached.extend(self.estimates.iter().map(|(_, reached)| *reached));
    }

    /// Is what was reached estimated to be farther from an error than the bound allows? A way that is not known may still be there.
    fn is_beyond(&self, index: usize, steps_left: usize) -> bool {
        if self.heuristic.is_none() || !self.program.options.cuts_by_estimate {
            return false;
        }
        let (steps, estimate) = (self.expansion.reached[index].steps, self.estimates[index].0);
        estimate < FAR && (steps + estimate) as usize > steps_left
    }

    /// Computes again what was spilled of the upper end of the path.
    fn refill(&mut self) -> Result<(), Stop> {
        let vector_bytes = self.worker.tally.statistics.vector_bytes;
        let refill = self.stack.begin_refill(REFILL_FRAMES, vector_bytes);
        let mut at = refill.untried_at;
        // Along the path from a vector that the stack has, if the store has none.
        let walks =
            self.stack.checkpoint(refill.stretch).map(|vector| self.vector = vector.to_vec()).is_some();
        for depth in refill.stretch..self.stack.frames.len() {
            self.look_at_limits()?;
            let frame = &self.stack.frames[depth];
            let (steps_left, untried) = (self.program.steps_left(frame.depth), frame.untried);
            if !walks {
                self.vector.clear();
                self.vector.extend_from_slice(self.stack.hidden(depth));
                self.visited.read(frame.state, &mut self.vector);
            }
            self.worker.expand_again(&self.vector, steps_left, &mut self.expansion)?;
            let untried = if depth < refill.first { 0 } else { untried };
            for _ in 0..untried {
                let reached = self.expansion.find(self.stack.branch(at));
                at += 1;
                let vector = self.expansion.vector(reached);
                let prepared = self.visited.prepare(vector)?;
                self.stack.put_back(Item::new(prepared, reached.steps, vector), vector);
            }
            if walks && let Some(next) = self.stack.frames.get(depth + 1) {
                let reached = self.expansion.find(self.stack.labels.branch(next.label));
                self.vector.clear();
                self.vector.extend_from_slice(self.expansion.vector(reached));
            }
        }
        self.stack.end_refill();
        Ok(())
    }

    fn pop(&mut self) {
        let state = self.stack.pop();
        self.visited.note_left(state);
        if let Some(revisits) = &mut self.revisits {
            revisits.pop();
        }
    }

    #[inline]
    fn count_lookup(&mut self) {
        let counts = self.revisits.as_mut().is_none_or(Revisits::count_lookup);
        self.worker.tally.statistics.transitions += u64::from(counts);
    }
    /// What the search takes beside the visited set.
    fn own_bytes(&self) -> usize {
        self.stack.heap_bytes() + self.revisits.as_ref().map_or(0, Revisits::heap_bytes)
    }
}

impl<S: StateStore> Resumable for Dfs<'_, S> {
    fn kind(&self) -> String {
        format!("dfs {}", std::any::type_name::<S>())
    }

    fn is_whole(&self) -> bool {
        let options = self.program.options;
        self.visited.has_image()
            && self.worker.tally.visits.is_none()
            && self.guide.is_none()
            && self.heuristic.is_none()
            && self.loop_states.is_none()
            && options.depth_max.is_none()
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.worker.watch.observer
    }

    fn bytes(&self) -> usize {
        self.visited.store_bytes() + self.stack.heap_bytes()
    }

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        checkpoint::save_worker(&mut self.worker, image)?;
        self.judge.findings.save(image)?;
        self.has_begun.save(image)?;
        let pending = self.pending.map(|pending| match pending {
            Pending::LookUp(by) => (by, None),
            Pending::Expand(by, state) => (by, Some(state)),
        });
        pending.map(|(by, state)| ((by.label, by.depth), state)).save(image)?;
        image.bytes(if pending.is_some() { &self.vector } else { &[] })?;
        self.stack.save(image)?;
        self.visited.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        checkpoint::load_worker(&mut self.worker, image)?;
        self.judge.findings.load(image)?;
        self.has_begun = Saved::load(image)?;
        let pending: Option<((u32, u32), Option<StateRef>)> = Saved::load(image)?;
        self.pending = pending.map(|((label, depth), state)| {
            let by = Arriving { label, depth };
            state.map_or(Pending::LookUp(by), |state| Pending::Expand(by, state))
        });
        self.vector = image.bytes()?;
        self.stack.load(image)?;
        self.visited.load(image)?;
        let Dfs { stack, visited, .. } = self;
        stack.frames.iter().for_each(|frame| visited.close(frame.state));
        Ok(())
    }
}

/// A state in the store that needs no more to be followed when it is reached at `depth`.
#[inline]
fn known<S: StateStore>(
    visited: &mut Visited<S>,
    revisits: Option<&Revisits>,
    prepared: Prepared,
    vector: &[u8],
    depth: u32,
) -> Option<StateRef> {
    let is_settled =
        |state: &StateRef| revisits.is_none_or(|revisits| revisits.is_settled(*state, depth as usize));
    visited.find(prepared, vector).filter(is_settled)
}
