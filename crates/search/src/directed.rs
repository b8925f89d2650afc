//! Directed search: the states that seem nearest to an error are expanded first (*best-first search*, A*, weighted A*, beam search).
//!
//! A state waits in the order of its merit `f = a·g + b·h`, where `g` is the number of steps to it and `h` the estimate of those to an
//! error. With `a = 0` that is best-first search, with `b = 0` breadth-first, with `a = b` A*. Steps inside chains of transient
//! configurations count one by one, so `g` is what a trace of the way has.
//!
//! If `a > 0`, a state that is reached in fewer steps than before is opened again. Then every state is expanded at the end of a
//! shortest way, however the estimate errs; and where the estimate is never too large and `a ≥ b`, an error that has no more
//! steps than any merit that waits is a nearest one. Otherwise the first one found ends the search.
//!
//! Among states of the same merit and estimate, the one that was found last comes first. In a model in which messages can come that a process
//! does not take (of Argos), the successors of a state are therefore listed with timeouts first, then sends, receives and internal
//! steps: what empties queues is tried before what fills them.
//!
//! A beam search goes level by level and keeps the best states of each.
//!
//! Best-first search with a heuristic that makes plans has a second frontier, for what is reached by the steps that plans begin with, and
//! the two take turns. A heuristic may put off what useless steps lead to, or give states a rank. Once a search is not small any more, it asks a
//! costly heuristic only for the states that it expands: until then a state waits with the estimate of the one before it.

use crate::conclude::{Ended, conclude};
use crate::distances::{Distances, Turn};
use crate::expander::Origin;
use crate::expansion::{Expansion, Reached, Task};
use crate::frontier::{Alternating, Beam, Buckets, Open, OpenList, Waiting};
use crate::guide::StepKind;
use crate::heuristic::{FAR, Heuristic};
use crate::judge::{Judge, Position};
use crate::limits::Limits;
use crate::omitted::Fork;
use crate::outcome::Estimates;
use crate::parents::{NodeId, Parents};
use crate::program::Program;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use crate::{Limit, Observer, Outcome, SearchOptions};
use panoptes_exec::{Ending, Executor};
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::cmp::Reverse;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merit {
    /// By `a·g + b·h`.
    Weighted { steps: u32, estimate: u32 },
    /// Level by level, so many states of each.
    Beam { width: usize },
}

impl Merit {
    pub const BEST_FIRST: Merit = Merit::Weighted { steps: 0, estimate: 1 };
    pub const ASTAR: Merit = Merit::Weighted { steps: 1, estimate: 1 };
}

/// Explores all that can be reached, what seems nearest to an error first. Without a heuristic all seem equally near.
pub fn directed<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    merit: Merit,
    observer: &mut dyn Observer,
) -> Outcome {
    assert!(!options.por, "what a reduction leaves out may be what is near");
    let heuristic = options.heuristic.as_ref().map(|choice| choice.build(model, options.checks));
    let plans = heuristic.as_ref().is_some_and(|heuristic| heuristic.plans());
    let asked = Asked { model, options, heuristic };
    match merit {
        Merit::Weighted { steps: 0, estimate } if plans => {
            let weights = Weights { steps: 0, estimate };
            Directed::<S, Alternating>::search(asked, executor, weights, true, |_| (), observer)
        }
        Merit::Weighted { steps, estimate } => {
            let weights = Weights { steps, estimate };
            Directed::<S, Buckets>::search(asked, executor, weights, false, |_| (), observer)
        }
        Merit::Beam { width } => {
            let weights = Weights { steps: 0, estimate: 1 };
            let narrow = |beam: &mut Beam| beam.width = width;
            Directed::<S, Beam>::search(asked, executor, weights, false, narrow, observer)
        }
    }
}

/// What is searched, for what, and what leads there.
struct Asked<'a> {
    model: &'a Model,
    options: &'a SearchOptions,
    heuristic: Option<Box<dyn Heuristic + 'a>>,
}

/// What a plan says of a step.
#[derive(Clone, Copy, Default)]
struct Hint {
    is_preferred: bool,
    is_unrelated: bool,
}

/// Above all estimates.
const RANK_SHIFT: u32 = 56;

/// The steps that plans may look at for each state that a search may expand.
const PLANNING_MAX: u64 = 2_000;

/// With more states than this, a search that makes plans estimates late.
const EARLY_MAX: u64 = 2048;

/// When a state is estimated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Timing {
    /// When it is found.
    Early,
    /// When it is its turn.
    Late,
}

#[derive(Clone, Copy)]
struct Weights {
    steps: u32,
    estimate: u32,
}

impl Weights {
    fn merit(self, depth: u32, estimate: u32, rank: u32) -> u64 {
        let sum = u64::from(self.steps) * u64::from(depth) + u64::from(self.estimate) * u64::from(estimate);
        // Where steps count, a rank tells only among equals.
        if self.steps == 0 { u64::from(rank) << RANK_SHIFT | sum } else { sum << 2 | u64::from(rank.min(3)) }
    }

    /// The sum of steps and estimate of a merit.
    fn level(self, merit: u64) -> u64 {
        if self.steps == 0 { 0 } else { merit >> 2 }
    }

    /// Once an error is found, is it worth while to go on?
    fn prove_nearest(self) -> bool {
        self.steps > 0 && self.steps >= self.estimate
    }
}

struct Directed<'a, S, F> {
    program: &'a Program<'a>,
    visited: Visited<S>,
    judge: Judge<'a>,
    worker: Worker<'a>,
    open: F,
    parents: Parents,
    heuristic: Option<Box<dyn Heuristic + 'a>>,
    weights: Weights,
    /// Are the plans of the heuristic asked for what is preferred?
    plans: bool,
    timing: Timing,
    /// Of the state that is expanded.
    estimate: u32,
    /// For each successor of that: is the step to it preferred, and is it one that what is looked for does not depend on?
    hints: Vec<Hint>,
    /// By transition, if receives come before sends; else empty.
    kinds: Vec<StepKind>,
    /// The successors of the state that is expanded, in the order in which they are put on the open list.
    order: Vec<usize>,
    /// Only if states may be opened again.
    distances: Option<Distances>,
    /// The steps to the nearest error found.
    nearest: Option<u32>,
    progress: Progress,
    /// Where steps count: the sum of steps and estimate, with their weights, of the state whose turn it is.
    level: u64,
}

/// The least estimate so far, and how many states had been expanded when it was met.
#[derive(Clone, Copy)]
struct Progress {
    least: u32,
    expanded: u64,
}

impl<'a, S: StateStore + Default, F: OpenList> Directed<'a, S, F> {
    fn search(
        asked: Asked<'_>,
        executor: &mut dyn Executor,
        weights: Weights,
        plans: bool,
        prepare: impl FnOnce(&mut F),
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Asked { model, options, heuristic } = asked;
        let program = Program::new(model, options, executor.hidden_bytes());
        let limits = Limits::new(options, observer.stop_flag());
        let worker = Worker::new(&program, &limits, executor, observer);
        let visited: Visited<S> = Visited::new(&program, worker.watch.limits.store_budget(0), None);
        let mut open = F::new(program.hidden_bytes, visited.keeps_vectors());
        prepare(&mut open);
        // Within a bound on depth, what counts is the nearest way to each state.
        let reopens = weights.steps > 0 || options.depth_max.is_some();
        let mut search = Directed {
            program: &program,
            visited,
            judge: Judge::new(&program),
            worker,
            open,
            parents: Parents::new(),
            heuristic,
            weights,
            plans,
            timing: Timing::Early,
            estimate: 0,
            hints: Vec::new(),
            kinds: if model.waiting.is_empty() { Vec::new() } else { StepKind::all(model) },
            order: Vec::new(),
            distances: reopens.then(Distances::default),
            nearest: None,
            progress: Progress { least: u32::MAX, expanded: 0 },
            level: 0,
        };
        let how = search.walk();
        if let Some(estimates) = &mut search.worker.tally.statistics.estimates {
            estimates.level = search.level;
        }
        let own_bytes = search.own_bytes();
        let Directed { visited, mut judge, worker, open, parents, distances, .. } = search;
        judge.findings.announce(worker.watch.observer);
        if !options.all_errors {
            judge.findings.keep_shortest();
        }
        let is_cut = distances.as_ref().is_some_and(Distances::is_cut);
        let is_narrowed = open.is_cut();
        // What is not needed any more makes room for the paths of errors.
        drop((open, parents, distances));
        let ended =
            Ended { how, is_cut, is_narrowed, by_steps: false, may_look_behind: !is_narrowed, own_bytes };
        conclude(&program, visited, judge, worker, ended)
    }

    fn walk(&mut self) -> Result<(), Stop> {
        let initial = self.worker.expander.executor().initial();
        let mut vector = initial.map_err(|fault| self.judge.no_initial_state(&fault))?;
        let prepared = self.visited.prepare(&vector)?;
        self.worker.tally.statistics.transitions += 1;
        let (state, _) = self.visited.insert(prepared, &vector)?;
        self.worker.tally.note_stored(&vector);
        self.worker.tally.note_visit(state, true, 0);
        if let Some(distances) = &mut self.distances {
            distances.is_nearer(state, 0);
        }
        self.wait(Open { state, node: NodeId::ROOT, depth: 0 }, Hint::default(), &vector);
        let mut expansion = Expansion::default();
        while let Some(waiting) = self.open.pop(&mut vector) {
            let Waiting { merit, open, .. } = waiting;
            self.level = self.weights.level(merit);
            if self.nearest.is_some_and(|steps| merit >= self.weights.merit(steps, 0, 0)) {
                return Err(Stop::Error);
            }
            let first = Turn { before: None, is_counted: true, forgotten: 0 };
            let turn = match &mut self.distances {
                Some(distances) => distances.turn(open.state, open.depth),
                None => Some(first),
            };
            let Some(turn) = turn else { continue };
            if self.visited.keeps_vectors() {
                self.visited.read_origin(open.state, &mut vector);
            }
            if self.plans && self.is_put_off(waiting, turn, &vector) {
                continue;
            }
            self.expand(open, turn, &vector, &mut expansion)?;
            if cfg!(debug_assertions) {
                self.check_consistency(waiting.estimate, &expansion);
            }
        }
        if self.nearest.is_some() { Err(Stop::Error) } else { Ok(()) }
    }

    /// Makes a plan for a state whose turn it is. If only now it turns out that the step to it was of no use, it waits once more.
    fn is_put_off(&mut self, waiting: Waiting, turn: Turn, vector: &[u8]) -> bool {
        self.estimate = self.ask(vector);
        if self.worker.tally.statistics.stored > EARLY_MAX {
            self.timing = Timing::Late;
        }
        let Waiting { is_estimated, is_preferred, is_put_off, open, .. } = waiting;
        let is_of_use = is_estimated || is_preferred || is_put_off || self.estimate < waiting.estimate;
        if is_of_use || !self.puts_off() {
            return false;
        }
        if let Some(distances) = &mut self.distances {
            distances.take_back(open.state, turn);
        }
        let merit = self.weights.merit(open.depth, self.estimate, 1);
        let again = Waiting { merit, estimate: self.estimate, second: None, is_put_off: true, ..waiting };
        self.open.push(again, vector);
        true
    }

    fn puts_off(&self) -> bool {
        self.heuristic.as_ref().is_some_and(|heuristic| heuristic.puts_off())
    }

    fn expand(&mut self, open: Open, turn: Turn, vector: &[u8], out: &mut Expansion) -> Result<(), Stop> {
        let Directed { program, visited, judge, worker, parents, open: list, distances, .. } = self;
        let own_bytes = || own_bytes(parents, list, distances.as_ref());
        worker.look_at_limits(visited, &mut judge.findings, own_bytes)?;
        let work = self.heuristic.as_ref().map_or(0, |heuristic| heuristic.work());
        let is_spent = |most: u64| worker.tally.statistics.expanded >= most || work > most * PLANNING_MAX;
        let expanded = worker.tally.statistics.expanded;
        // Nothing is nearer than an error itself.
        let is_lost = |patience: u64| {
            expanded - self.progress.expanded > if self.progress.least == 0 { 0 } else { patience }
        };
        if program.options.expanded_max.is_some_and(is_spent) || program.options.patience.is_some_and(is_lost)
        {
            return Err(Stop::Limit(Limit::States));
        }
        let task = Task { steps_max: program.steps_left(open.depth), ..Task::default() };
        worker.expand(Origin { vector, control: None }, task, visited, out)?;
        visited.prepare_all(out)?;
        let statistics = &mut worker.tally.statistics;
        statistics.transitions -= turn.forgotten;
        statistics.reopened += u64::from(turn.before.is_some());
        self.judge(open, turn, vector, out)?;
        self.follow(open, turn, out)
    }

    /// Counts an expansion and judges it. All that is wrong is noted, so that the nearest is.
    fn judge(&mut self, open: Open, turn: Turn, vector: &[u8], out: &Expansion) -> Result<(), Stop> {
        let Directed { program, judge, worker, parents, .. } = self;
        let depth = open.depth as usize;
        worker.tally.note_depth(depth + out.chain_steps_max);
        worker.tally.note_expanded(out);
        let branches = || parents.branches(open.node);
        // Within a bound, an earlier expansion showed what was not beyond it.
        let has_shown = |steps: usize| {
            let bound = program.options.depth_max;
            let is_within = |depth: u32| bound.is_none_or(|bound| u64::from(depth) + steps as u64 <= bound);
            turn.before.is_some_and(is_within)
        };
        let at = Position { vector, depth, branches: &branches, has_shown: &has_shown };
        let faults = out.faults.iter().map(|faulty| (judge.step(&at, faulty), faulty.steps.len()));
        let found = faults.filter(|(judged, _)| judged.is_err()).map(|(_, steps)| steps).min();
        let mut is_wrong = judge.invariants(&at, out).is_err();
        // Steps that were tried here and cannot be taken tell more than that there is none, here as breadth first.
        if found.is_none() || out.ending == Ending::Moves {
            is_wrong |= judge.standstill(&at, out).is_err();
        }
        let found = if is_wrong { Some(0) } else { found };
        let Some(steps) = found else { return Ok(()) };
        let length = open.depth + steps as u32;
        self.nearest = Some(self.nearest.map_or(length, |nearest| nearest.min(length)));
        if self.weights.prove_nearest() { Ok(()) } else { Err(Stop::Error) }
    }

    /// Puts what was reached on the open list, if it is new or nearer than before.
    fn follow(&mut self, open: Open, turn: Turn, out: &Expansion) -> Result<(), Stop> {
        let steps_left = self.program.steps_left(open.depth);
        let (mut is_cut, mut lookups) = (out.is_cut, 0);
        self.take_hints(out);
        if out.ending == Ending::Moves {
            self.arrange(out);
            for place in 0..self.order.len() {
                let index = self.order[place];
                let reached = &out.reached[index];
                if reached.steps as usize <= steps_left {
                    lookups += 1;
                    let hint = self.hints.get(index).copied().unwrap_or_default();
                    self.reach(open, reached, turn.is_counted, hint, out.vector(reached))?;
                } else if self.visited.find(reached.prepared, out.vector(reached)).is_some() {
                    lookups += 1;
                    self.worker.tally.statistics.transitions += u64::from(turn.is_counted);
                } else {
                    is_cut = true;
                }
            }
        }
        if let (true, Some(distances)) = (is_cut, &mut self.distances) {
            distances.note_cut(open.state, lookups);
        }
        Ok(())
    }

    /// Puts the successors in order: what is to come first is last.
    fn arrange(&mut self, out: &Expansion) {
        self.order.clear();
        self.order.extend(0..out.reached.len());
        if !self.kinds.is_empty() {
            let kind = |index: &usize| {
                let transition = out.first_step(&out.reached[*index]).transition;
                self.kinds.get(transition.index()).copied().unwrap_or(StepKind::Internal)
            };
            self.order.sort_by_key(|index| Reverse(kind(index)));
        }
    }

    fn reach(
        &mut self,
        from: Open,
        reached: &Reached,
        is_counted: bool,
        hint: Hint,
        vector: &[u8],
    ) -> Result<(), Stop> {
        let depth = from.depth + reached.steps;
        let tally = &mut self.worker.tally;
        tally.statistics.transitions += u64::from(is_counted);
        let (state, is_new) = self.visited.insert(reached.prepared, vector)?;
        if is_new {
            tally.note_stored(vector);
        }
        if is_counted {
            tally.note_visit(state, is_new, depth);
        }
        let is_nearer = self.distances.as_mut().map_or(is_new, |distances| distances.is_nearer(state, depth));
        if is_nearer {
            let node = self.parents.push(from.node, reached.branch)?;
            self.wait(Open { state, node, depth }, hint, vector);
        } else if is_counted {
            let Directed { visited, parents, .. } = self;
            visited.note_met(state, vector, depth, |room| {
                let mut branches = parents.branches(from.node);
                branches.push(reached.branch);
                (branches.len() <= room).then_some(Fork { shared: 0, branches })
            });
        }
        Ok(())
    }

    /// Asks the plan for the state that is expanded which steps it begins with.
    fn take_hints(&mut self, out: &Expansion) {
        self.hints.clear();
        if let (true, Some(heuristic)) = (self.plans, &self.heuristic) {
            self.hints.extend(out.reached.iter().map(|reached| {
                let step = out.first_step(reached);
                Hint {
                    is_preferred: heuristic.is_preferred(step),
                    is_unrelated: heuristic.is_unrelated(step),
                }
            }));
        }
    }

    fn wait(&mut self, open: Open, hint: Hint, vector: &[u8]) {
        let Hint { is_preferred, is_unrelated } = hint;
        let mut rank = u32::from(is_unrelated);
        let is_estimated = self.timing == Timing::Early;
        let mut estimate = self.estimate;
        if is_estimated {
            estimate = self.ask(vector);
            let is_useless = self.plans && !is_preferred && estimate >= self.estimate && open.depth > 0;
            rank |= u32::from(is_useless && self.puts_off());
            rank += self.heuristic.as_mut().map_or(0, |heuristic| heuristic.rank(vector, estimate));
        }
        let merit = self.weights.merit(open.depth, estimate, rank);
        let other = self.heuristic.as_ref().and_then(|heuristic| heuristic.other_estimate());
        let second = match other.filter(|_| is_estimated) {
            Some(other) => Some(self.weights.merit(open.depth, other, u32::from(!is_preferred))),
            None => is_preferred.then_some(merit),
        };
        let is_put_off = rank > 0;
        self.open
            .push(Waiting { merit, estimate, second, is_estimated, is_preferred, is_put_off, open }, vector);
    }

    /// What the heuristic thinks of a state.
    fn ask(&mut self, vector: &[u8]) -> u32 {
        let Some(heuristic) = &mut self.heuristic else { return 0 };
        let estimate = heuristic.estimate(vector);
        debug_assert!(estimate <= FAR);
        let estimates = &mut self.worker.tally.statistics.estimates;
        // What is known to lead nowhere is not so many steps away.
        if estimate < FAR || estimates.is_none() {
            *estimates = Some(Estimates::with(*estimates, estimate));
        }
        if estimate < self.progress.least {
            self.progress = Progress { least: estimate, expanded: self.worker.tally.statistics.expanded };
        }
        estimate
    }

    /// Where the heuristic says that it is consistent, no step makes the estimate smaller than by one.
    fn check_consistency(&mut self, estimate: u32, out: &Expansion) {
        let Some(heuristic) = self.heuristic.as_mut().filter(|heuristic| heuristic.is_consistent()) else {
            return;
        };
        for reached in &out.reached {
            let next = heuristic.estimate(out.vector(reached));
            let steps = reached.steps;
            assert!(
                estimate <= next + steps,
                "the heuristic is not consistent: from {estimate} to {next} in {steps} steps"
            );
        }
    }

    fn own_bytes(&self) -> usize {
        own_bytes(&self.parents, &self.open, self.distances.as_ref())
    }
}

/// What the search takes beside the visited set.
fn own_bytes(parents: &Parents, open: &impl OpenList, distances: Option<&Distances>) -> usize {
    parents.heap_bytes() + open.heap_bytes() + distances.map_or(0, Distances::heap_bytes)
}
