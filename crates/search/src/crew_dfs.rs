//! Parallel depth-first search: several workers over one visited set.
//!
//! One worker begins. When the search turns out to be long, the visited set becomes a shared one, and others join. Each has a stack of its
//! own. Who has nothing left to do is given successors that another one would have tried last (`jobs.rs`), with the path to them, and goes on from there.
//! A state is expanded by the worker that stores it, so without reduction states and transitions are the same for any number of workers. The
//! paths are not, and neither is which error is found first.
//!
//! A reduction needs another proviso: a state is closed if the visited set has it (`closed.rs`).

use crate::closed::Order;
use crate::crew::Crew;
use crate::dfs::{Dfs, HandOver};
use crate::findings::Findings;
use crate::frontier::stack::Stack;
use crate::jobs::{Jobs, Member};
use crate::judge::Judge;
use crate::limits::Limits;
use crate::omitted::Omitted;
use crate::program::Program;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Bitset, Observer, Outcome, SearchOptions};
use panoptes_exec::{Executor, Fault, Successors};
use panoptes_model::Model;
use panoptes_store::{Session, Shared, SharedVisited};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

/// [`crate::dfs`] with others, if it is worth it.
pub fn dfs_by_crew<S: SharedVisited + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
    crew: &Crew<'_>,
) -> Outcome {
    Dfs::<S>::search(model, executor, options, observer, crew)
}

impl<S: SharedVisited> HandOver<S> for &Crew<'_> {
    fn alone_until(&self, search: &Dfs<'_, S>) -> u64 {
        let options = search.program.options;
        let can_be_shared = self.is_sensible(search.program)
            // A bound asks at which depth a state was met; estimates and orders are of one path.
            && options.depth_max.is_none()
            && options.heuristic.is_none()
            && search.guide.is_none()
            && !options.loop_states
            // Several stacks are not written down.
            && !search.worker.watch.observer.keeps_checkpoints();
        if can_be_shared { self.alone_until.max(1) } else { u64::MAX }
    }

    fn go_on<'a>(&self, search: Dfs<'a, S>) -> (Dfs<'a, S>, Result<(), Stop>, usize) {
        let Dfs { program, mut visited, judge, mut worker, stack, .. } = search;
        let omitted = std::mem::take(&mut visited.omitted);
        let shared = Shared::new(visited.into_store(), self.threads);
        let jobs = Arc::new(Jobs::default());
        let limits = worker.watch.limits;
        limits.totals.reset();
        worker.told = Some(limits.totals.part());
        let team = Team { program, limits, shared: &shared, jobs: &jobs };
        let member = jobs.join().expect("nothing has been done so far");
        let (first, parts) = std::thread::scope(|scope| {
            let work = || {
                let mut part = None;
                self.executors.with_one(&mut |executor| part = team.work(executor));
                part
            };
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            // The system may not allow as many as are wanted.
            let others: Vec<_> = (1..self.threads).map_while(start).collect();
            let first = team.lead((judge, worker, stack), member);
            let join = |other: ScopedJoinHandle<'_, Option<Part>>| match other.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            (first, others.into_iter().map(join).collect::<Vec<_>>())
        });
        let how = jobs.how();
        let (mut judge, mut worker, stack, of_first) = first;
        worker.told = None;
        let closes = order(&worker);
        let mut visited = Visited::of_session(program, shared.into_inner(), closes);
        visited.omitted = omitted;
        visited.omitted.absorb(of_first);
        let threads = 1 + parts.len();
        for part in parts.into_iter().flatten() {
            judge.findings.absorb(part.findings);
            worker.absorb(&part.tally, &part.executed, &part.given_up);
            visited.omitted.absorb(part.omitted);
        }
        (Dfs::of(program, visited, judge, worker, stack), how, threads)
    }
}

/// The order of the search, if its visited set is to tell which states are closed.
fn order(worker: &Worker<'_>) -> Option<Order> {
    worker.expander.has_proviso().then_some(Order::DepthFirst)
}

/// What all workers have in common.
struct Team<'a, 't, S> {
    program: &'a Program<'a>,
    limits: &'a Limits,
    shared: &'t Shared<S>,
    jobs: &'t Arc<Jobs>,
}

/// What one of the others did.
struct Part {
    findings: Findings,
    tally: Tally,
    executed: Bitset,
    given_up: Vec<Fault>,
    omitted: Omitted,
}

/// What the first worker has when all have ended.
type First<'a> = (Judge<'a>, Worker<'a>, Stack, Omitted);

impl<'a, S: SharedVisited> Team<'a, '_, S> {
    /// One of the others.
    fn work(&self, executor: &mut dyn Executor) -> Option<Part> {
        let mut seat = self.shared.seat()?;
        let mut observer = ();
        let mut worker = Worker::beside(self.program, self.limits, executor, &mut observer);
        // What an executor makes when it is asked for the first time is made before there is something to do.
        let executor = worker.expander.executor();
        if let Ok(vector) = executor.initial() {
            executor.successors(&vector, None, &mut Successors::default());
        }
        let member = self.jobs.join()?;
        let closes = order(&worker);
        let visited = Visited::of_session(self.program, seat.enter(), closes);
        let stack = Stack::new(0, !visited.keeps_vectors());
        let judge = Judge::new(self.program);
        let mut search = Dfs::of(self.program, visited, judge, worker, stack).among(self.jobs.clone());
        self.follow_jobs(&mut search, member, |_| ());
        let Dfs { judge, worker: Worker { expander, tally, .. }, visited, .. } = search;
        let (executed, given_up) = (expander.executed, expander.given_up);
        Some(Part { findings: judge.findings, tally, executed, given_up, omitted: visited.omitted })
    }

    /// The first worker, which has the observer: from where it is.
    fn lead<'w>(
        &self,
        (judge, worker, stack): (Judge<'w>, Worker<'w>, Stack),
        member: Member<'_>,
    ) -> First<'w>
    where
        'a: 'w,
    {
        let mut seat = self.shared.seat().expect("nobody has taken one so far");
        let closes = order(&worker);
        let visited = Visited::of_session(self.program, seat.enter(), closes);
        let mut search = Dfs::of(self.program, visited, judge, worker, stack).among(self.jobs.clone());
        if let Err(stop) = search.walk() {
            self.jobs.halt(stop);
        }
        self.follow_jobs(&mut search, member, |worker| {
            if let Some(limit) = worker.look_while_waiting() {
                self.jobs.halt(Stop::Limit(limit));
            }
        });
        let Dfs { judge, worker, stack, visited, .. } = search;
        (judge, worker, stack, visited.omitted)
    }

    /// What others gave away, until nothing is left.
    fn follow_jobs<'w>(
        &self,
        search: &mut Dfs<'w, Session<'_, '_, S>>,
        mut member: Member<'_>,
        mut meanwhile: impl FnMut(&mut Worker<'w>),
    ) {
        loop {
            let Dfs { visited, worker, .. } = search;
            let next = visited.store_mut().outside(|| member.next(|| meanwhile(worker)));
            let Some(job) = next else { return };
            if let Err(stop) = search.follow(job) {
                self.jobs.halt(stop);
            }
        }
    }
}
