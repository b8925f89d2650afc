//! Breadth-first search, in batches.
//!
//! A level is worked off in batches: the successors of many states are computed and their lookups prepared before the
//! first of them is looked up. The memory that the lookups need is on its way meanwhile.
//!
//! What a level is, its frontier says. Over states ([`Levels`]) chains of transient configurations are followed to their ends at
//! once, so a level holds what is reached by the same number of indivisible sequences. Where those are single steps the first
//! error found is one of the nearest. By steps ([`StepLevels`]) a chain of five leads five levels on, so that this holds in any
//! model, at some cost.
//!
//! A deadlock is found when its state is expanded, a fault one step earlier. So when a level shows a fault, the rest of
//! that level is still searched for a deadlock, which would be one step nearer. Over states, the rest is also searched when a level
//! shows a deadlock: of the errors that are equally near, which one is told must not depend on the order within the level, for
//! that is another one with several workers.
//!
//! The loop is that of one worker. Alone, it has the visited set and the frontier for itself. As one of several (`crew.rs`) it has a
//! session at a shared set and a share of the levels; the types tell, so a worker alone pays nothing for it.

use crate::chain::LinkId;
use crate::checkpoint::{self, Resumable};
use crate::closed::Order;
use crate::conclude::{Ended, conclude};
use crate::expansion::{Expansion, FaultyStep, Reached, Task};
use crate::frontier::{At, Chain, Entry, Frontier, Levels, StepLevels};
use crate::judge::{Judge, Position};
use crate::labels::Branch;
use crate::limits::Limits;
use crate::omitted::Fork;
use crate::parents::{NodeId, Parents};
use crate::program::Program;
use crate::saved::Saved;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Observer, Outcome, SearchOptions};
use panoptes_exec::{Ending, Executor};
use panoptes_model::Model;
use panoptes_store::{ImageReader, ImageWriter, OutOfMemory, Prepared, StateRef, StateStore};
use std::io;
use std::ops::ControlFlow;

/// Entries expanded before the first lookup. (Few in tests, so that there are many batches.)
const BATCH_LEN: usize = if cfg!(test) { 3 } else { 32 };

/// Explores all that can be reached, nearest first. The depth bound must not be set: levels do not count steps.
pub fn bfs<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(options.depth_max.is_none(), "a bound in steps needs a search by steps");
    Bfs::<S, Levels>::search(model, executor, options, observer, Alone)
}

/// The same, every step counted: the first error found is one of the nearest.
pub fn bfs_by_steps<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(!options.por, "a reduced search does not keep the nearest errors");
    Bfs::<S, StepLevels>::search(model, executor, options, observer, Alone)
}

pub(crate) struct Bfs<'a, S, F> {
    pub program: &'a Program<'a>,
    pub visited: Visited<S>,
    pub judge: Judge<'a>,
    pub worker: Worker<'a>,
    pub frontier: F,
    pub parents: Parents,
    pub place: Place,
}

/// Where a search is, beside what its frontier tells.
#[derive(Default)]
pub(crate) struct Place {
    /// The depth bound cut something.
    pub is_cut: bool,
    /// An error was found and ends the search; what remains of the level may hold one that is to be told instead.
    pub is_ending: bool,
    /// The initial state was stored.
    has_begun: bool,
    /// States of which some successors were followed when the search stopped.
    partial: Vec<Partial>,
    /// The successor that could not be followed, of the state at hand.
    left_at: Option<usize>,
    /// Something was lost when the search stopped: it cannot go on.
    is_broken: bool,
}

/// A state whose successors from this one on are still to be followed.
struct Partial {
    entry: Entry,
    vector: Vec<u8>,
    from: usize,
}

impl Place {
    /// Adds where another worker was that has ended.
    pub fn absorb(&mut self, other: Place) {
        self.is_cut |= other.is_cut;
        self.is_ending |= other.is_ending;
        self.is_broken |= other.is_broken;
        self.partial.extend(other.partial);
    }
}

/// An entry of a batch and what can be reached from it.
pub(crate) struct Work {
    entry: Entry,
    vector: Vec<u8>,
    expansion: Expansion,
}

impl Work {
    /// Room for the entries of a batch.
    pub fn batch() -> Vec<Work> {
        let entry = Entry { node: NodeId::ROOT, depth: 0, at: At::State(StateRef::NONE) };
        let work = || Work { entry, vector: Vec::new(), expansion: Expansion::default() };
        (0..BATCH_LEN).map(|_| work()).collect()
    }
}

/// Who goes on with a search that turns out to be long.
pub(crate) trait HandOver<S, F> {
    /// Will others need the flags of states, if they go on?
    fn needs_flags(&self) -> bool;

    /// Is the search to go on with others, from the level at hand?
    fn is_due(&self, search: &Bfs<'_, S, F>) -> bool;

    /// Goes on. The search that comes back has what all found, and how many workers there were.
    fn go_on<'a>(&self, search: Bfs<'a, S, F>) -> (Bfs<'a, S, F>, Result<(), Stop>, usize);
}

/// Nobody: one worker is enough.
struct Alone;

impl<S, F> HandOver<S, F> for Alone {
    fn needs_flags(&self) -> bool {
        false
    }

    fn is_due(&self, _: &Bfs<'_, S, F>) -> bool {
        false
    }

    fn go_on<'a>(&self, _: Bfs<'a, S, F>) -> (Bfs<'a, S, F>, Result<(), Stop>, usize) {
        unreachable!("that is never due")
    }
}

impl<S: StateStore + Default, F: Frontier> Bfs<'_, S, F> {
    pub fn search(
        model: &Model,
        executor: &mut dyn Executor,
        options: &SearchOptions,
        observer: &mut dyn Observer,
        others: impl HandOver<S, F>,
    ) -> Outcome {
        let program = Program::new(model, options, executor.hidden_bytes());
        let limits = Limits::new(options, observer.stop_flag());
        let worker = Worker::new(&program, &limits, executor, observer);
        let closes = worker.expander.has_proviso().then_some(Order::BreadthFirst);
        let mut visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), closes);
        if closes.is_some() && others.needs_flags() {
            visited.keep_flags();
        }
        let mut search = Bfs {
            program: &program,
            frontier: F::new(program.hidden_bytes, visited.keeps_vectors()),
            visited,
            judge: Judge::new(&program),
            worker,
            parents: Parents::new(),
            place: Place::default(),
        };
        let (mut how, mut threads) = (Ok(()), 1);
        if let Err(stop) = checkpoint::begin(&mut search, &program, &limits) {
            how = Err(stop);
            search.place.is_broken = true;
        }
        while how.is_ok() {
            how = match search.walk(&others) {
                Ok(ControlFlow::Continue(())) => break,
                Ok(ControlFlow::Break(())) => {
                    let (ended, how, count) = others.go_on(search);
                    search = ended;
                    threads = threads.max(count);
                    if how.is_ok() {
                        break;
                    }
                    how
                }
                Err(stop) => Err(stop),
            };
            if how == Err(Stop::Pause) {
                how = Ok(());
                limits.set_pause(false);
                if !search.place.is_ending {
                    checkpoint::save(&mut search, &program);
                }
            }
        }
        if search.place.is_ending {
            // Whatever else kept it from looking at the rest of the level.
            how = Err(Stop::Error);
        }
        if matches!(how, Err(Stop::Limit(_))) {
            checkpoint::save(&mut search, &program);
        }
        let own_bytes = search.parents.heap_bytes() + search.frontier.heap_bytes();
        let Bfs { visited, mut judge, worker, place: Place { is_cut, .. }, frontier, parents, .. } = search;
        if !options.all_errors {
            judge.findings.keep_shortest();
        }
        judge.findings.announce(worker.watch.observer);
        if !F::BY_STEPS {
            judge.findings.sort();
        }
        // What is not needed any more makes room for the paths of errors.
        drop((frontier, parents));
        let (is_narrowed, by_steps, may_look_behind) = (false, F::BY_STEPS, !F::BY_STEPS);
        let ended = Ended { how, is_cut, is_narrowed, by_steps, may_look_behind, own_bytes };
        Outcome { threads, ..conclude(&program, visited, judge, worker, ended) }
    }

    /// To the end, or until others should go on.
    fn walk(&mut self, others: &impl HandOver<S, F>) -> Result<ControlFlow<()>, Stop> {
        let mut batch = Work::batch();
        if !self.place.has_begun {
            self.begin()?;
        }
        self.finish_partial(&mut batch[0])?;
        loop {
            if others.is_due(self) {
                return Ok(ControlFlow::Break(()));
            }
            self.walk_level(&mut batch)?;
            if self.place.is_ending {
                return Err(Stop::Error);
            }
            if !self.frontier.next_level() {
                return Ok(ControlFlow::Continue(()));
            }
            self.visited.next_level();
        }
    }

    /// Stores the initial state: it is all of the first level.
    fn begin(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        let prepared = self.visited.prepare(&vector)?;
        self.worker.tally.statistics.transitions += 1;
        let (state, _) = self.visited.insert(prepared, &vector)?;
        self.worker.tally.note_stored(&vector);
        self.worker.tally.note_visit(state, true, 0);
        let first = Entry { node: NodeId::ROOT, depth: 0, at: At::State(state) };
        self.frontier.push(first, &vector);
        self.place.has_begun = true;
        self.frontier.next_level();
        Ok(())
    }
}

impl<S: StateStore, F: Frontier> Bfs<'_, S, F> {
    /// Works off the level at hand, or this worker's share of it.
    pub fn walk_level(&mut self, batch: &mut [Work]) -> Result<(), Stop> {
        while !self.frontier.is_halted() {
            if self.worker.watch.limits.is_pause_due() && !self.place.is_ending {
                return Err(Stop::Pause);
            }
            let (mut taken, mut finished) = (0, 0);
            let walked = self.walk_batch(batch, &mut taken, &mut finished);
            if walked.is_err() {
                self.put_back(&batch[finished..taken]);
                return walked;
            }
            if taken == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What was taken from the frontier and not finished is there again.
    fn put_back(&mut self, mut unfinished: &[Work]) {
        if let Some(from) = self.place.left_at.take()
            && let [Work { entry, vector, .. }, rest @ ..] = unfinished
        {
            self.place.partial.push(Partial { entry: *entry, vector: vector.clone(), from });
            unfinished = rest;
        }
        for work in unfinished.iter().rev() {
            if let At::State(state) = work.entry.at {
                self.visited.reopen(state);
            }
            self.frontier.give_back(work.entry, &work.vector);
        }
    }

    /// Follows the successors that were left when the search stopped.
    fn finish_partial(&mut self, work: &mut Work) -> Result<(), Stop> {
        while let Some(Partial { entry, vector, from }) = self.place.partial.pop() {
            work.entry = entry;
            work.vector.clone_from(&vector);
            if let At::State(state) = entry.at {
                self.visited.reopen(state);
            }
            let expanded = self.compute(work).and_then(|()| self.go_on(work, false));
            let followed = expanded.and_then(|()| self.follow_from(work, from));
            if followed.is_err() {
                let from = self.place.left_at.take().unwrap_or(from);
                self.place.partial.push(Partial { entry, vector, from });
                return followed;
            }
        }
        Ok(())
    }

    /// Takes a batch of the level and works it off: how many entries were taken, and how many are finished.
    #[inline]
    fn walk_batch(
        &mut self,
        batch: &mut [Work],
        taken: &mut usize,
        finished: &mut usize,
    ) -> Result<(), Stop> {
        self.visited.let_others_in();
        let is_drafting = self.visited.is_slow_to_prepare();
        let begins_early = self.visited.begins_early() && self.worker.expander.may_ask(batch.len());
        let mut bytes = 0;
        let bytes_max = self.worker.watch.limits.batch_bytes();
        while *taken < batch.len()
            && bytes <= bytes_max
            && let Some(entry) = self.frontier.pop(&mut batch[*taken].vector)
        {
            let work = &mut batch[*taken];
            *taken += 1;
            work.entry = entry;
            self.start(work)?;
            if begins_early {
                self.visited.begin_all(&mut work.expansion)?;
            } else {
                self.go_on(work, is_drafting)?;
            }
            bytes += work.expansion.heap_bytes();
        }
        let batch = &mut batch[..*taken];
        if begins_early {
            for work in &*batch {
                for prepared in &work.expansion.begun {
                    self.visited.prefetch_further(*prepared);
                }
            }
            for work in &mut *batch {
                self.go_on(work, is_drafting)?;
            }
        }
        if is_drafting {
            batch.iter().for_each(|work| self.visited.advance_all(&work.expansion));
            for work in &mut *batch {
                self.visited.conclude_all(&mut work.expansion)?;
            }
        }
        for Work { expansion, .. } in &*batch {
            if expansion.is_plain && !begins_early {
                expansion.begun.iter().for_each(|prepared| self.visited.prefetch_further(*prepared));
            } else if !begins_early || self.program.loops.has_chains {
                for reached in expansion.reached.iter().filter(|reached| !reached.is_begun) {
                    self.visited.prefetch_further(reached.prepared);
                }
            }
        }
        for work in batch {
            self.finish(work)?;
            *finished += 1;
        }
        Ok(())
    }

    /// Computes the successors of an entry.
    #[inline]
    fn start(&mut self, work: &mut Work) -> Result<(), Stop> {
        if let At::State(state) = work.entry.at
            && self.visited.keeps_vectors()
        {
            self.visited.read_origin(state, &mut work.vector);
        }
        self.compute(work)
    }

    #[inline]
    fn compute(&mut self, work: &mut Work) -> Result<(), Stop> {
        let Bfs { visited, judge, worker, frontier, parents, .. } = self;
        let own_bytes = || parents.heap_bytes() + frontier.heap_bytes();
        worker.look_at_limits(visited, &mut judge.findings, own_bytes)?;
        let Work { entry, vector, expansion } = work;
        worker.expander.start(entry.origin(vector), expansion);
        Ok(())
    }

    /// Finds what is to be followed, and prepares the lookups.
    #[inline]
    fn go_on(&mut self, work: &mut Work, is_drafting: bool) -> Result<(), Stop> {
        self.expand(work)?;
        if is_drafting {
            self.visited.draft_all(&mut work.expansion)?;
        } else {
            self.visited.prepare_all(&mut work.expansion)?;
        }
        Ok(())
    }

    #[inline]
    fn expand(&mut self, work: &mut Work) -> Result<(), Stop> {
        let Bfs { program, visited, worker, .. } = self;
        if let At::State(state) = work.entry.at {
            visited.close(state);
        }
        let Work { entry, vector, expansion } = work;
        if !F::BY_STEPS {
            debug_assert!(program.options.depth_max.is_none());
            return worker.go_on_plainly(entry.origin(vector), visited, expansion);
        }
        let steps_max = program.steps_left(entry.depth);
        let task = Task { steps_max, by_steps: true, ..Task::default() };
        worker.go_on(entry.origin(vector), task, visited, expansion)
    }

    /// Looks at what an expansion gave.
    #[inline]
    fn finish(&mut self, work: &mut Work) -> Result<(), Stop> {
        match work.entry.at {
            At::Transient(chain) if F::BY_STEPS => self.finish_transient(work, chain),
            _ => self.finish_state(work),
        }
    }

    #[inline]
    fn finish_state(&mut self, work: &Work) -> Result<(), Stop> {
        let Bfs { judge, worker, parents, .. } = self;
        let Work { entry, vector, expansion } = work;
        let depth = entry.depth as usize;
        worker.tally.note_depth(depth + expansion.chain_steps_max);
        worker.tally.note_expanded(expansion);
        if !F::BY_STEPS && !self.place.is_ending && expansion.is_unremarkable() {
            return self.follow_from(work, 0);
        }
        let branches = || parents.branches(entry.node);
        let at = Position { vector, depth, branches: &branches, has_shown: &|_| false };
        let mut judged = judge.invariants(&at, expansion);
        if expansion.ending == Ending::Moves {
            judged = judged.and_then(|()| judge.standstill(&at, expansion));
        } else {
            // Steps that were tried here and cannot be taken tell more than that there is none.
            self.place.is_cut |= expansion.is_cut;
            let steps = judged.and_then(|()| judge.steps(&at, expansion));
            if F::BY_STEPS && judged.is_ok() && steps.is_err() && self.program.looks_at_states() {
                // Another state of the level may be wrong by itself, and that is a step nearer.
                self.place.is_ending = true;
                return Ok(());
            }
            judged = steps.and_then(|()| judge.standstill(&at, expansion));
        }
        if let Err(stop) = judged {
            if F::BY_STEPS {
                return Err(stop);
            }
            self.place.is_ending = true;
        }
        if expansion.ending == Ending::Moves { self.follow(work, LinkId::NONE, 0) } else { Ok(()) }
    }

    fn finish_transient(&mut self, work: &mut Work, chain: Chain) -> Result<(), Stop> {
        let Bfs { judge, worker, parents, .. } = self;
        worker.tally.note_depth(work.entry.depth as usize);
        worker.tally.note_generated(&work.expansion);
        if work.expansion.ending == Ending::Moves {
            return self.follow(work, chain.link, chain.length);
        }
        let branches = || parents.branches(work.entry.node);
        let depth = work.entry.depth as usize;
        let at = Position { vector: &work.vector, depth, branches: &branches, has_shown: &|_| false };
        if let Err(stop) = judge.steps(&at, &work.expansion) {
            if !self.program.looks_at_states() {
                return Err(stop);
            }
            self.place.is_ending = true;
        }
        self.place.is_cut |= work.expansion.is_cut;
        // The process lets go, which makes a state of this level. It may be wrong by itself, and that is a step nearer than
        // a step from it that goes wrong.
        let prepared = self.visited.prepare(&work.vector)?;
        let (state, is_new) = self.insert(prepared, &work.vector, work.entry.depth)?;
        if is_new {
            self.worker.tally.note_stored(&work.vector);
        }
        if self.frontier.claim(state, is_new) {
            work.entry.at = At::State(state);
            self.compute(work)?;
            self.go_on(work, false)?;
            self.finish_state(work)?;
        }
        Ok(())
    }

    /// Takes each of the steps from an entry, at the end of a chain if it is a transient one.
    #[inline]
    fn follow(&mut self, work: &Work, link: LinkId, length: u32) -> Result<(), Stop> {
        let Work { entry, expansion, .. } = work;
        if self.place.is_ending && F::BY_STEPS {
            return Ok(());
        }
        let mut faults = &expansion.faults[..];
        if !F::BY_STEPS {
            self.note_faults(work, faults)?;
            // Several workers finish the level, so that what they have seen does not depend on who was first.
            if self.place.is_ending && !F::IS_SHARED {
                return Ok(());
            }
            return self.follow_from(work, 0);
        }
        self.place.is_cut |= expansion.is_cut;
        let steps_left = self.program.steps_left(entry.depth);
        for (index, reached) in expansion.reached.iter().enumerate() {
            if !faults.is_empty() {
                let (before, rest) = faults.split_at(faults.partition_point(|faulty| faulty.after <= index));
                self.note_faults(work, before)?;
                faults = rest;
            }
            match reached.control {
                Some(control) => {
                    self.reach_transient(work, reached, Chain { control, link, length })?;
                }
                _ if reached.steps as usize > steps_left => self.look_beyond(work, reached),
                _ => self.reach(work, reached)?,
            }
        }
        self.note_faults(work, faults)
    }

    /// Over states: takes the steps that lead to states, from that one on.
    #[inline]
    fn follow_from(&mut self, work: &Work, from: usize) -> Result<(), Stop> {
        let Work { entry, expansion, .. } = work;
        self.place.is_cut |= expansion.is_cut;
        if expansion.is_plain {
            let (node, depth) = (entry.node, entry.depth + 1);
            if self.worker.tally.visits.is_none() && !self.visited.hears_met() {
                return self.follow_plainly(node, depth, expansion, from);
            }
            for (step, (prepared, vector)) in (from as u32..).zip(expansion.plain(from)) {
                if let Err(stop) = self.reach_state(node, depth, prepared, vector, Branch { step, end: 0 }) {
                    self.place.left_at = Some(step as usize);
                    return Err(stop);
                }
            }
            return Ok(());
        }
        let steps_left = self.program.steps_left(entry.depth);
        for (index, reached) in expansion.reached.iter().enumerate().skip(from) {
            if reached.steps as usize > steps_left {
                self.look_beyond(work, reached);
            } else if let Err(stop) = self.reach(work, reached) {
                self.place.left_at = Some(index);
                return Err(stop);
            }
        }
        Ok(())
    }

    /// The same for a plain expansion, where nobody asks which states are met again: only what is new is looked at one by one.
    #[inline(always)]
    fn follow_plainly(
        &mut self,
        node: NodeId,
        depth: u32,
        expansion: &Expansion,
        from: usize,
    ) -> Result<(), Stop> {
        let mut at = from;
        let followed = loop {
            match self.visited.insert_until_new(expansion, &mut at) {
                Ok(None) => break Ok(()),
                Ok(Some(state)) => {
                    let step = at as u32 - 1;
                    let vector = expansion.plain_vector(at - 1);
                    if let Err(stop) = self.enqueue(node, depth, state, vector, Branch { step, end: 0 }) {
                        self.place.left_at = Some(at - 1);
                        break Err(stop);
                    }
                }
                Err(full) => {
                    // It is looked up once more if the search goes on.
                    self.place.left_at = Some(at);
                    break Err(full.into());
                }
            }
        };
        self.worker.tally.statistics.transitions += (at - from) as u64;
        followed
    }

    #[inline]
    fn reach(&mut self, work: &Work, reached: &Reached) -> Result<(), Stop> {
        let Work { entry, expansion, .. } = work;
        let (depth, vector) = (entry.depth + reached.steps, expansion.vector(reached));
        self.reach_state(entry.node, depth, reached.prepared, vector, reached.branch)
    }

    /// Steps that went wrong. If one ends the search, what remains of the level is still looked at.
    #[inline]
    fn note_faults(&mut self, work: &Work, faults: &[FaultyStep]) -> Result<(), Stop> {
        if faults.is_empty() {
            return Ok(());
        }
        let Bfs { program, judge, parents, place, .. } = self;
        let Work { entry, vector, .. } = work;
        let (depth, branches) = (entry.depth as usize, || parents.branches(entry.node));
        let at = Position { vector, depth, branches: &branches, has_shown: &|_| false };
        for faulty in faults {
            if let Err(stop) = judge.step(&at, faulty) {
                if F::BY_STEPS && !program.looks_at_states() {
                    return Err(stop);
                }
                place.is_ending = true;
            }
        }
        Ok(())
    }

    /// Looks a state up that is reached by a branch from a node, and puts it into the next level if it is new.
    #[inline(always)]
    fn reach_state(
        &mut self,
        node: NodeId,
        depth: u32,
        prepared: Prepared,
        vector: &[u8],
        branch: Branch,
    ) -> Result<(), Stop> {
        let (state, is_new) = self.insert(prepared, vector, depth)?;
        if is_new {
            return self.enqueue(node, depth, state, vector, branch);
        }
        let Bfs { visited, parents, .. } = self;
        visited.note_met(state, vector, depth, |room| {
            let mut branches = parents.branches(node);
            branches.push(branch);
            (branches.len() <= room).then_some(Fork { shared: 0, branches })
        });
        Ok(())
    }

    /// Puts a state that was stored into the next level.
    #[inline(never)]
    fn enqueue(
        &mut self,
        node: NodeId,
        depth: u32,
        state: StateRef,
        vector: &[u8],
        branch: Branch,
    ) -> Result<(), Stop> {
        self.worker.tally.note_stored(vector);
        let Ok(node) = self.parents.push(node, branch) else {
            // The state is stored, and nobody would expand it.
            self.place.is_broken = true;
            return Err(OutOfMemory.into());
        };
        self.visited.note_enqueued(state);
        self.frontier.push(Entry { node, depth, at: At::State(state) }, vector);
        Ok(())
    }

    #[inline(always)]
    fn insert(&mut self, prepared: Prepared, vector: &[u8], depth: u32) -> Result<(StateRef, bool), Stop> {
        let tally = &mut self.worker.tally;
        tally.statistics.transitions += 1;
        let (state, is_new) = match self.visited.insert(prepared, vector) {
            Ok(inserted) => inserted,
            Err(full) => {
                // It is looked up once more if the search goes on.
                tally.statistics.transitions -= 1;
                return Err(full.into());
            }
        };
        tally.note_visit(state, is_new, depth);
        Ok((state, is_new))
    }

    fn reach_transient(&mut self, work: &Work, reached: &Reached, chain: Chain) -> Result<(), Stop> {
        let vector = work.expansion.vector(reached);
        let mut chain = chain;
        if self.program.loops.closes(work.expansion.first_step(reached)) {
            let Some(longer) = self.frontier.extend(chain, vector) else {
                self.worker.tally.statistics.endless_chains += 1;
                return Ok(());
            };
            chain = longer;
        }
        let node = self.parents.push(work.entry.node, reached.branch)?;
        let entry = Entry { node, depth: work.entry.depth + 1, at: At::Transient(chain) };
        self.frontier.push(entry, vector);
        Ok(())
    }

    /// A step to a state beyond the depth bound is counted if the state is known, and cut otherwise.
    fn look_beyond(&mut self, work: &Work, reached: &Reached) {
        if self.visited.find(reached.prepared, work.expansion.vector(reached)).is_some() {
            self.worker.tally.statistics.transitions += 1;
        } else {
            self.place.is_cut = true;
        }
    }
}

impl<S: StateStore, F: Frontier> Resumable for Bfs<'_, S, F> {
    fn kind(&self) -> String {
        format!("bfs {}", std::any::type_name::<S>())
    }

    fn is_whole(&self) -> bool {
        F::HAS_IMAGE
            && self.visited.has_image()
            && self.worker.tally.visits.is_none()
            && !self.place.is_broken
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.worker.watch.observer
    }

    fn bytes(&self) -> usize {
        self.visited.store_bytes() + self.parents.heap_bytes() + self.frontier.heap_bytes()
    }

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        checkpoint::save_worker(&mut self.worker, image)?;
        self.judge.findings.save(image)?;
        let Place { is_cut, has_begun, partial, .. } = &self.place;
        (*is_cut, *has_begun).save(image)?;
        image.list(partial.iter(), |image, Partial { entry, vector, from }| {
            let At::State(state) = entry.at else { unreachable!("only states are saved") };
            ((state, entry.node), (entry.depth, *from)).save(image)?;
            image.bytes(vector)
        })?;
        self.parents.save(image)?;
        self.frontier.save(image)?;
        self.visited.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        checkpoint::load_worker(&mut self.worker, image)?;
        self.judge.findings.load(image)?;
        (self.place.is_cut, self.place.has_begun) = Saved::load(image)?;
        self.place.partial = image.list(|image| {
            let ((state, node), (depth, from)) = Saved::load(image)?;
            let entry = Entry { node, depth, at: At::State(state) };
            Ok(Partial { entry, vector: image.bytes()?, from })
        })?;
        self.parents.load(image)?;
        self.frontier.load(image)?;
        self.visited.load(image)?;
        let Bfs { frontier, visited, .. } = self;
        frontier.for_each(&mut |state| visited.note_waiting(state));
        Ok(())
    }
}
