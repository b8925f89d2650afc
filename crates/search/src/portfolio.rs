//! A portfolio of directed searches: each gets a small budget, then a larger one, until one of them finds an error.
//!
//! No estimate is good for every model, and a search that goes astray does not notice. So several are tried in turn. The opening is for errors
//! that some search finds at once, first by a small projection, as long as that brings it nearer with every few states; then come rounds in which all have the same budget, four times as many states each round. A random walk
//! (depth first, with the steps first that bring a protocol nearer to a deadlock) is among them, and the stages of an escalation. At the end of a round a breadth-first search may store
//! many times as many states as were expanded before: its states cost little, so where no estimate is of use the portfolio takes not much
//! longer than it. From some point on only the one goes on that came nearest to an error, in turn with breadth-first search.
//!
//! The first error found need not be near. A* within a smaller depth then looks for a nearer one, as long as that costs little beside
//! what was spent before.

use crate::escalate::{Scope, scopes, within};
use crate::{
    Checks, Guidance, HeuristicChoice, HeuristicKind, Limit, Merit, Observer, Outcome, PatternTable,
    SearchOptions, Statistics, StepOrder, Toward, bfs, dfs, directed,
};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::collections::VecDeque;
use std::time::Instant;

/// The states that the searches of the opening may expand: one by a projection, as long as it comes nearer within so many states each time, …
const PROJECTION: u64 = 256;
const PATIENCE: u64 = 2;
/// … the stage of an escalation, and the others.
const OPENING_STAGE: u64 = 128;
const OPENING: u64 = 64;
/// Which stage of an escalation: one process in each state, one message in each channel, and no long way.
const STAGE: usize = 1;
/// The states that each search may expand in the first round, and how many times as many in the next one.
const ROUND: u64 = 256;
const GROWTH: u64 = 4;
/// From this budget on only those go on that need not think long of each state.
const LIGHT_ROUND: u64 = 4_096;
/// From this one on only the best of them.
const LAST_ROUND: u64 = 262_144;
/// Breadth-first search may store so many states for each that was expanded before.
const BREADTH: u64 = 8;
/// Of what was spent until an error was found, this part may be spent on shortening it: a search that expanded few states is to stay small.
const SHORTENING: [(u64, u64); 2] = [(64, 16), (u64::MAX, 4)];
/// This part if breadth-first search found it: then it is rarely much too long.
const NEAR_SHORTENING: u64 = 16;
/// Beyond so many states no plans are made for shortening: they take too long.
const PLANNED_MAX: u64 = 1_024;

/// A search of the portfolio.
#[derive(Clone, Debug)]
enum Contender {
    Directed {
        merit: Merit,
        heuristic: HeuristicChoice,
    },
    /// Best-first by a small projection, as long as that leads it nearer to an error.
    Projection(HeuristicChoice),
    /// Depth first, at random among steps of the same kind.
    Walk,
    /// A stage of an escalation.
    Stage(Stage),
    Breadth,
}

impl Contender {
    fn best_first(heuristic: &HeuristicChoice) -> Contender {
        Contender::Directed { merit: Merit::BEST_FIRST, heuristic: heuristic.clone() }
    }

    fn astar(heuristic: &HeuristicChoice) -> Contender {
        Contender::Directed { merit: Merit::ASTAR, heuristic: heuristic.clone() }
    }

    fn makes_plans(&self) -> bool {
        let Contender::Directed { heuristic, .. } = self else { return false };
        matches!(heuristic.kind, HeuristicKind::Joint | HeuristicKind::Relaxed(_) | HeuristicKind::Useless(_))
    }

    /// May it go on where others stop? Plans take too long for that, and a walk is only a part.
    fn may_go_on(&self) -> bool {
        match self {
            Contender::Directed { heuristic, .. } => {
                !self.makes_plans() && !matches!(heuristic.kind, HeuristicKind::Novelty)
            }
            Contender::Projection(_) | Contender::Walk | Contender::Stage(_) | Contender::Breadth => false,
        }
    }
}

/// A stage of an escalation: what it may look at, and the seed of its order.
#[derive(Clone, Copy, Debug)]
struct Stage {
    scope: Scope,
    seed: u64,
}

/// What is tried, in order.
struct Line {
    /// With so many states each.
    opening: Vec<(Contender, u64)>,
    rounds: Vec<Contender>,
    /// The stages of an escalation, a few in each round.
    stages: VecDeque<Stage>,
    /// May breadth-first search take part?
    has_breadth: bool,
}

/// The heuristics that a portfolio tries for what is looked for in a model, in order. The first is for the opening alone.
pub fn portfolio_heuristics(model: &Model, checks: Checks) -> Vec<HeuristicChoice> {
    let choice = |kind: HeuristicKind| HeuristicChoice { kind, admissible: false };
    let inferred = choice(HeuristicKind::inferred(model, checks, false));
    let projection = choice(HeuristicKind::Pattern(PatternTable::small()));
    let mut all = vec![projection, choice(HeuristicKind::Joint)];
    for kind in [HeuristicKind::Messages, HeuristicKind::Active, HeuristicKind::Formula] {
        let next = choice(kind);
        if next.kind.name() == inferred.kind.name() || next.check(model, checks).is_ok() {
            all.push(next);
        }
    }
    all.push(choice(HeuristicKind::Novelty));
    let other = [HeuristicKind::Danger, HeuristicKind::Useless(Toward::Deadlocks)].map(choice);
    all.extend(other.into_iter().filter(|_| checks.deadlocks && model.goal().is_none()));
    all.retain(|next| next.kind.name() == inferred.kind.name() || next.check(model, checks).is_ok());
    all
}

impl Line {
    fn new(model: &Model, options: &SearchOptions) -> Line {
        if let Some(choice) = &options.heuristic {
            let rounds = vec![Contender::astar(choice), Contender::best_first(choice)];
            return Line { opening: Vec::new(), rounds, stages: VecDeque::new(), has_breadth: false };
        }
        let mut heuristics = portfolio_heuristics(model, options.checks);
        let projection = heuristics.remove(0);
        let kind = HeuristicKind::inferred(model, options.checks, false);
        let inferred = HeuristicChoice { kind, admissible: false };
        let mut rounds: Vec<Contender> = heuristics.iter().map(Contender::best_first).collect();
        let mut opening = vec![(Contender::Projection(projection), PROJECTION), (rounds[0].clone(), OPENING)];
        let mut stages = VecDeque::new();
        if model.goal().is_none() && options.depth_max.is_none() {
            opening.push((Contender::Walk, OPENING));
            rounds.insert(1, Contender::Walk);
            let options = SearchOptions { timeouts_last: true, ..options.clone() };
            let scopes = scopes(model, &options).into_iter();
            stages = scopes.zip(options.store.seed..).map(|(scope, seed)| Stage { scope, seed }).collect();
        }
        opening.push((Contender::best_first(&inferred), OPENING));
        if let Some(Stage { scope, seed }) = stages.get(STAGE).copied() {
            let scope = Scope { states_max: Some(OPENING_STAGE), ..scope };
            opening.push((Contender::Stage(Stage { scope, seed }), OPENING_STAGE));
        }
        // Neither a plan nor anything new: what fits, with regard to steps.
        rounds.push(Contender::astar(&inferred));
        Line { opening, rounds, stages, has_breadth: true }
    }
}

/// Runs directed searches with the heuristic of the options, or else with all that fit, up to the first error, a limit, or the end.
pub fn portfolio<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut line = Line::new(model, options);
    let start = Instant::now();
    let mut portfolio = Portfolio {
        model,
        executor,
        options,
        observer,
        start,
        spent: Statistics::default(),
        is_planning_costly: false,
        has_breadth: line.has_breadth,
        is_near: false,
    };
    let found = portfolio.compete::<S>(&mut line);
    let shortened = match found.errors.is_empty() || options.all_errors {
        true => found,
        false => portfolio.shorten::<S>(found),
    };
    Outcome { statistics: portfolio.spent, ..shortened }
}

struct Portfolio<'p> {
    model: &'p Model,
    executor: &'p mut dyn Executor,
    options: &'p SearchOptions,
    observer: &'p mut dyn Observer,
    start: Instant,
    /// What all searches took so far.
    spent: Statistics,
    /// Plans take too long here.
    is_planning_costly: bool,
    /// Breadth-first search takes part, and did not run out of memory.
    has_breadth: bool,
    /// It found the error.
    is_near: bool,
}

impl Portfolio<'_> {
    /// The search that finds an error, meets a limit of all, or comes to the end.
    fn compete<S: StateStore + Default>(&mut self, line: &mut Line) -> Outcome {
        let going_on = || line.rounds.iter().filter(|contender| contender.may_go_on());
        let mut best = going_on().next().unwrap_or(&line.rounds[0]);
        // Everything is looked at in any case.
        if self.options.all_errors {
            return self.run::<S>(best, None, None);
        }
        for (contender, budget) in &line.opening {
            if let Some(outcome) = self.attempt::<S>(contender, *budget).last {
                return outcome;
            }
        }
        let mut budget = ROUND;
        while budget < LIGHT_ROUND || self.has_breadth {
            let mut nearest = u32::MAX;
            let last_best = best;
            for contender in &line.rounds {
                let is_skipped = match budget {
                    LAST_ROUND.. => !std::ptr::eq(contender, last_best),
                    LIGHT_ROUND.. => !contender.may_go_on(),
                    _ => self.is_planning_costly && contender.makes_plans() && line.rounds.len() > 2,
                };
                if is_skipped {
                    continue;
                }
                let attempt = self.attempt::<S>(contender, budget);
                if let Some(outcome) = attempt.last {
                    return outcome;
                }
                if attempt.least < nearest && contender.may_go_on() {
                    (nearest, best) = (attempt.least, contender);
                }
            }
            if let Some(outcome) = self.scatter::<S>(&mut line.stages, budget) {
                return outcome;
            }
            // The first two light rounds together cost it no more than one of the others.
            if self.has_breadth && budget != LIGHT_ROUND {
                let breadth = self.attempt::<S>(&Contender::Breadth, BREADTH * self.spent.expanded);
                if let Some(outcome) = breadth.last {
                    return outcome;
                }
            }
            budget *= GROWTH;
        }
        self.run::<S>(best, None, None)
    }

    /// One search within a budget.
    fn attempt<S: StateStore + Default>(&mut self, contender: &Contender, budget: u64) -> Attempt {
        let outcome = self.run::<S>(contender, Some(budget), None);
        let statistics = &outcome.statistics;
        let least = statistics.estimates.map_or(u32::MAX, |estimates| estimates.min);
        // It was stopped because of what its plans took.
        let is_late = statistics.expanded < budget && outcome.errors.is_empty();
        self.is_planning_costly |= is_late && contender.makes_plans();
        let is_user_limit = statistics.stored >= self.options.states_max.unwrap_or(u64::MAX);
        let is_full = is_user_limit && !outcome.complete || outcome.limits.contains(&Limit::Memory);
        let mut is_over = is_user_limit || !outcome.limits.contains(&Limit::States);
        self.is_near = matches!(contender, Contender::Breadth);
        match contender {
            // These are over soon, and leave most out.
            Contender::Walk | Contender::Stage(_) => is_over &= outcome.complete || self.is_stopped(&outcome),
            // It needs more memory and more states than others.
            Contender::Breadth if is_full => {
                (self.has_breadth, is_over) = (false, false);
            }
            _ => {}
        }
        Attempt { last: (is_over || !outcome.errors.is_empty()).then_some(outcome), least }
    }

    /// The stages of an escalation that are not too large for a round and were not tried before.
    fn scatter<S: StateStore + Default>(
        &mut self,
        stages: &mut VecDeque<Stage>,
        budget: u64,
    ) -> Option<Outcome> {
        let is_due = |stage: &&Stage| stage.scope.states_max.is_some_and(|states| states <= GROWTH * budget);
        while let Some(stage) = stages.front().filter(is_due).copied() {
            stages.pop_front();
            let outcome = self.run::<S>(&Contender::Stage(stage), None, None);
            if !outcome.errors.is_empty() || outcome.complete || self.is_stopped(&outcome) {
                return Some(outcome);
            }
        }
        None
    }

    /// Was it stopped by what stops all others too?
    fn is_stopped(&self, outcome: &Outcome) -> bool {
        let stops = |limit: &Limit| matches!(limit, Limit::Time | Limit::Memory | Limit::Stopped);
        outcome.limits.iter().any(stops)
    }

    /// Looks for nearer errors than the one found.
    fn shorten<S: StateStore + Default>(&mut self, found: Outcome) -> Outcome {
        let expanded = self.spent.expanded;
        let part = SHORTENING.iter().find(|(most, _)| expanded < *most).map_or(1, |(_, part)| *part);
        let mut left = match self.is_near {
            // Where each step ends in a state, breadth-first search has found a nearest error.
            true if !self.model.has_chains() => 0,
            true => expanded / NEAR_SHORTENING,
            false => expanded / part,
        };
        let kind = match &self.options.heuristic {
            Some(choice) => choice.kind.clone(),
            None if left <= PLANNED_MAX && !self.is_planning_costly => {
                HeuristicKind::Relaxed(Toward::WhatFits)
            }
            None => HeuristicKind::inferred(self.model, self.options.checks, false),
        };
        let admissible = self.options.heuristic.as_ref().is_some_and(|choice| choice.admissible);
        let astar = Contender::astar(&HeuristicChoice { kind, admissible });
        let mut best = found;
        while let Some(depth) = best.errors[0].length.checked_sub(1).filter(|_| left > 0) {
            let before = self.spent.expanded;
            let nearer = self.run::<S>(&astar, Some(left), Some(depth as u64));
            if nearer.errors.is_empty() {
                break;
            }
            left = left.saturating_sub(self.spent.expanded - before);
            best = nearer;
        }
        best
    }

    /// One search, within a budget of states to expand and a bound on depth.
    fn run<S: StateStore + Default>(
        &mut self,
        contender: &Contender,
        expanded: Option<u64>,
        depth: Option<u64>,
    ) -> Outcome {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        let heuristic = match contender {
            Contender::Directed { heuristic, .. } | Contender::Projection(heuristic) => {
                Some(heuristic.clone())
            }
            Contender::Walk | Contender::Stage(_) | Contender::Breadth => None,
        };
        let options = SearchOptions {
            heuristic,
            expanded_max: expanded,
            depth_max: least(depth, self.options.depth_max),
            time: self.options.time.map(|time| time.saturating_sub(self.start.elapsed())),
            ..self.options.clone()
        };
        let states_max = least(expanded, options.states_max);
        let outcome = match contender {
            Contender::Directed { merit, .. } => {
                directed::<S>(self.model, self.executor, &options, *merit, self.observer)
            }
            Contender::Projection(_) => {
                let options = SearchOptions { patience: Some(PATIENCE), ..options };
                directed::<S>(self.model, self.executor, &options, Merit::BEST_FIRST, self.observer)
            }
            // Levels of breadth-first search do not count steps.
            Contender::Breadth if options.depth_max.is_some() => {
                let merit = Merit::Weighted { steps: 1, estimate: 0 };
                directed::<S>(self.model, self.executor, &options, merit, self.observer)
            }
            Contender::Breadth => {
                let options = SearchOptions { states_max, ..options };
                bfs::<S>(self.model, self.executor, &options, self.observer)
            }
            Contender::Walk => {
                let order = StepOrder::Random(options.store.seed);
                let guidance =
                    Guidance { priorities: true, order, processes_max: Some(1), ..Guidance::default() };
                let options = SearchOptions { guidance, states_max, ..options };
                dfs::<S>(self.model, self.executor, &options, self.observer)
            }
            Contender::Stage(Stage { scope, seed }) => {
                let order = StepOrder::Random(*seed);
                let guidance = Guidance { priorities: true, order, ..Guidance::default() };
                let options = SearchOptions { guidance, ..options };
                within::<S>(self.model, self.executor, &options, *scope, self.observer)
            }
        };
        self.spent = self.spent.plus(&outcome.statistics);
        outcome
    }
}

/// What came of a search within a budget.
struct Attempt {
    /// Its outcome, if it is the last word.
    last: Option<Outcome>,
    /// The least estimate.
    least: u32,
}
