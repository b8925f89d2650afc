//! Parallel breadth-first search: several workers, level by level (level-synchronous).
//!
//! One worker begins; most models are so small that others would come too late. When the search turns out to be long, the visited set
//! becomes a shared one, and others join. Each has its own executor, buffers, tally and findings, and takes pieces of the level at hand
//! (`frontier/share.rs`); all end a level before any begins the next (`rounds.rs`).
//!
//! A state belongs to the level that is its distance from the initial state, whoever finds it. So the states, the transitions and the
//! errors are the same for any number of workers. Which of several paths to a state is remembered is not; where all of them are
//! equally long, that shows in a trace only. `Crew::can_take` lists the searches where it would show elsewhere.

use crate::bfs::{Bfs, HandOver, Place, Work};
use crate::closed::Order;
use crate::findings::Findings;
use crate::frontier::{self, Form, Levels, Parts, SharedLevel};
use crate::judge::Judge;
use crate::limits::Limits;
use crate::omitted::Omitted;
use crate::parents::Parents;
use crate::program::Program;
use crate::rounds::{Closing, Rounds};
use crate::stop::Stop;
use crate::tally::Tally;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Bitset, Observer, Outcome, SearchOptions};
use panoptes_exec::{Executor, Fault, Successors};
use panoptes_model::Model;
use panoptes_store::{Seat, Session, Shared, SharedVisited};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

/// Who else may take part in a search.
pub struct Crew<'c> {
    /// Workers in all.
    pub threads: usize,
    pub executors: &'c dyn Executors,
    /// One worker stores so many states before others join.
    pub alone_until: u64,
    /// A level with fewer states is not shared out.
    pub level_min: usize,
}

/// Where the other workers have their executors from.
pub trait Executors: Sync {
    /// Makes one that computes what the first worker's does, and works with it.
    fn with_one(&self, work: &mut dyn FnMut(&mut dyn Executor));
}

impl<'c> Crew<'c> {
    /// One worker stores so many states first: some ten milliseconds of work.
    pub const ALONE_UNTIL: u64 = 16_384;
    /// Levels with fewer states are not worth the wait for others.
    pub const LEVEL_MIN: usize = 256;

    pub fn new(threads: usize, executors: &'c dyn Executors) -> Crew<'c> {
        Crew { threads, executors, alone_until: Crew::ALONE_UNTIL, level_min: Crew::LEVEL_MIN }
    }

    /// Can several workers do such a search, so that what they find does not depend on who is first?
    fn can_take<S: SharedVisited, F>(&self, search: &Bfs<'_, S, F>) -> bool {
        // The proviso of a reduction asks for flags.
        self.is_sensible(search.program) && (S::HAS_FLAGS || !search.worker.expander.has_proviso())
    }

    /// The same, in whatever order they search.
    pub(crate) fn is_sensible(&self, program: &Program<'_>) -> bool {
        self.threads > 1
            // Which of the states that count as one is expanded?
            && program.hidden_bytes == 0
            && program.options.foldings.is_empty()
            // Visits are counted by one.
            && !program.options.recurrence
    }
}

/// [`crate::bfs`] with others, if it is worth it.
pub fn bfs_by_crew<S: SharedVisited + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
    crew: &Crew<'_>,
) -> Outcome {
    assert!(options.depth_max.is_none(), "a bound in steps needs a search by steps");
    Bfs::<S, Levels>::search(model, executor, options, observer, crew)
}

impl<S: SharedVisited> HandOver<S, Levels> for &Crew<'_> {
    fn needs_flags(&self) -> bool {
        S::HAS_FLAGS && self.threads > 1
    }

    fn is_due(&self, search: &Bfs<'_, S, Levels>) -> bool {
        let stored = search.worker.tally.statistics.stored;
        stored >= self.alone_until
            && search.frontier.len() >= self.level_min
            && (search.frontier.is_at_start() || search.visited.is_by_levels())
            && self.can_take(search)
    }

    fn go_on<'a>(&self, search: Bfs<'a, S, Levels>) -> (Bfs<'a, S, Levels>, Result<(), Stop>, usize) {
        let Bfs { program, mut visited, judge, mut worker, frontier, parents, place } = search;
        let mut omitted = std::mem::take(&mut visited.omitted);
        let number = visited.level_number().unwrap_or(0);
        let shared = Shared::new(visited.into_store(), self.threads);
        let rounds = Rounds::default();
        let (form, parts) = frontier.into_parts();
        let limits = worker.watch.limits;
        limits.totals.reset();
        worker.told = Some(limits.totals.part());
        let team = Team { program, limits, shared: &shared, rounds: &rounds, form, parents: parents.share() };
        let mut seat = shared.seat().expect("nobody has taken one so far");
        let mut first = team.search(program, &mut seat, (judge, worker, parents), true);
        first.place = place;
        let (how, parts) = std::thread::scope(|scope| {
            let closing = Closing(&rounds);
            let work = || {
                let mut part = None;
                self.executors.with_one(&mut |executor| part = team.work(executor));
                part
            };
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            // The system may not allow as many as are wanted.
            let others: Vec<_> = (1..self.threads).map_while(start).collect();
            let how = team.lead(&mut first, (number, parts), self.level_min, others.len());
            drop(closing);
            let join = |other: ScopedJoinHandle<'_, Option<Part>>| match other.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            (how, others.into_iter().map(join).collect::<Vec<_>>())
        });
        let (how, number, left) = how;
        let (mut judge, mut worker, mut parents, mut place, of_first) = ended(first);
        omitted.absorb(of_first);
        drop(seat);
        let threads = 1 + parts.len();
        for part in parts.into_iter().flatten() {
            judge.findings.absorb(part.findings);
            worker.absorb(&part.tally, &part.executed, &part.given_up);
            parents.absorb(part.parents);
            place.absorb(part.place);
            omitted.absorb(part.omitted);
        }
        worker.told = None;
        let mut visited = Visited::of_session(program, shared.into_inner(), order(&worker));
        visited.omitted = omitted;
        visited.begin_level(number);
        let frontier = Levels::of_parts(form, left);
        place.is_ending |= how == Err(Stop::Error) || rounds.is_ending();
        (Bfs { program, visited, judge, worker, frontier, parents, place }, how, threads)
    }
}

/// What a worker leaves, without its session.
fn ended<'a, S: SharedVisited>(
    search: Share<'a, '_, '_, S>,
) -> (Judge<'a>, Worker<'a>, Parents, Place, Omitted) {
    let Bfs { judge, worker, parents, place, visited, .. } = search;
    (judge, worker, parents, place, visited.omitted)
}

/// The order of the search, if its visited set is to tell which states are closed.
fn order(worker: &Worker<'_>) -> Option<Order> {
    worker.expander.has_proviso().then_some(Order::BreadthFirst)
}

/// What all workers have in common.
struct Team<'a, 't, S> {
    program: &'a Program<'a>,
    limits: &'a Limits,
    shared: &'t Shared<S>,
    rounds: &'t Rounds,
    form: Form,
    parents: Parents,
}

/// What one of the others did.
struct Part {
    findings: Findings,
    tally: Tally,
    executed: Bitset,
    given_up: Vec<Fault>,
    parents: Parents,
    place: Place,
    omitted: Omitted,
}

/// One worker's share of the search.
type Share<'a, 's, 't, S> = Bfs<'a, Session<'s, 't, S>, frontier::Share>;

impl<'t, S: SharedVisited> Team<'_, 't, S> {
    /// One of the others: round after round.
    fn work(&self, executor: &mut dyn Executor) -> Option<Part> {
        let mut seat = self.shared.seat()?;
        let mut observer = ();
        let mut worker = Worker::beside(self.program, self.limits, executor, &mut observer);
        // What an executor makes when it is asked for the first time is made before others wait for this worker.
        let executor = worker.expander.executor();
        if let Ok(vector) = executor.initial() {
            executor.successors(&vector, None, &mut Successors::default());
        }
        let parts = (Judge::new(self.program), worker, self.parents.share());
        let mut search = self.search(self.program, &mut seat, parts, false);
        let mut batch = Work::batch();
        let mut member = self.rounds.join();
        while let Some(level) = search.visited.store_mut().outside(|| member.wait_for_begin()) {
            let mut ending = member.share();
            self.take_part(&mut search, level, &mut batch);
            (ending.reached, ending.unfinished) = search.frontier.end();
        }
        let (judge, worker, parents, place, omitted) = ended(search);
        let Worker { expander, tally, .. } = worker;
        let (executed, given_up) = (expander.executed, expander.given_up);
        Some(Part { findings: judge.findings, tally, executed, given_up, parents, place, omitted })
    }

    fn search<'w, 's>(
        &self,
        program: &'w Program<'w>,
        seat: &'s mut Seat<'t, S>,
        (judge, worker, parents): (Judge<'w>, Worker<'w>, Parents),
        is_first: bool,
    ) -> Share<'w, 's, 't, S> {
        let visited = Visited::of_session(program, seat.enter(), order(&worker));
        let frontier = frontier::Share::of(self.form, self.rounds.halt_flag(), is_first);
        Bfs { program, visited, judge, worker, frontier, parents, place: Place::default() }
    }

    /// The first worker, which has the observer: level after level, from one that is there, with so many others. How that ended, in
    /// which level, and what is left.
    fn lead(
        &self,
        search: &mut Share<'_, '_, 't, S>,
        (mut number, parts): (u64, Parts),
        level_min: usize,
        others: usize,
    ) -> (Result<(), Stop>, u64, Parts) {
        let rounds = self.rounds;
        let Parts { level, taken, mut next } = parts;
        let (mut parts, mut spares, mut batch) = ((level, taken), Vec::new(), Work::batch());
        loop {
            let level = Arc::new(SharedLevel::new(number, parts, others + 1, spares));
            if level.len() == 0 && next.is_empty() {
                return (Ok(()), number, Parts::default());
            }
            let is_shared = level.len() >= level_min;
            if is_shared {
                rounds.begin(level.clone());
            }
            self.take_part(search, level.clone(), &mut batch);
            if is_shared {
                let Bfs { visited, worker, .. } = search;
                let look = || {
                    if let Some(limit) = worker.look_while_waiting() {
                        rounds.halt(Stop::Limit(limit));
                    }
                };
                visited.store_mut().outside(|| rounds.wait_for_end(look));
            }
            let (reached, mut unfinished, how) = rounds.collect();
            next.extend(reached);
            let (own_reached, own_unfinished) = search.frontier.end();
            next.push(own_reached);
            unfinished.push(own_unfinished);
            // The others have ended with it, too.
            let level = Arc::into_inner(level);
            if how.is_err() {
                let (mut parts, taken) = level.map_or_else(Default::default, SharedLevel::into_rest);
                parts.extend(unfinished.into_iter().filter(|part| part.len() > 0));
                next.retain(|part| part.len() > 0);
                let taken = if parts.is_empty() { 0 } else { taken };
                return (how, number, Parts { level: parts, taken, next });
            }
            spares = level.map_or_else(Vec::new, SharedLevel::into_spares);
            parts = (std::mem::take(&mut next), 0);
            number += 1;
        }
    }

    /// A worker's share of a level.
    fn take_part(&self, search: &mut Share<'_, '_, 't, S>, level: Arc<SharedLevel>, batch: &mut [Work]) {
        search.visited.begin_level(level.number);
        search.frontier.begin(level);
        if let Err(stop) = search.walk_level(batch) {
            self.rounds.halt(stop);
        }
        if search.place.is_ending {
            self.rounds.note_error();
        }
    }
}
