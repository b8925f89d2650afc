//! A portfolio of directed searches: each gets a small budget, then a larger one, until one of them finds an error.
//!
//! No estimate is good for every model, and a search that goes astray does not notice. So several are tried in turn, with as many states
//! as a small search needs; if none finds an error, with four times as many. The first of them goes by two estimates at once. A random walk
//! (depth first, with the steps first that bring a protocol nearer to a deadlock) is among the others. From some point on only the one goes on that came
//! nearest to an error, without a budget: so a model without errors is searched once to its end, and not once by each.
//!
//! The first error found need not be near. A* within a smaller depth then looks for a nearer one, as long as that costs little beside
//! what was spent before.

use crate::{
    Checks, Guidance, HeuristicChoice, HeuristicKind, Limit, Merit, Observer, Outcome, SearchOptions,
    Statistics, StepOrder, Toward, dfs, directed,
};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::time::Instant;

/// The states that the first search may expand, and at first each of the others.
const JOINT_BUDGET: u64 = 384;
const FIRST_BUDGET: u64 = 128;
/// With more than so many, only the best one goes on.
const BUDGET_MAX: u64 = 16_384;
/// A search that expanded fewer states is small, and so is what is spent to shorten what it found.
const SMALL: u64 = 256;
/// Beyond so many states no plans are made for shortening: they take too long.
const PLANNED_MAX: u64 = 8_192;

/// A search of the portfolio.
#[derive(Clone, Debug)]
enum Contender {
    Directed {
        merit: Merit,
        heuristic: HeuristicChoice,
    },
    /// Depth first, at random among steps of the same kind.
    Walk,
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
            Contender::Walk => false,
        }
    }
}

/// The heuristics that a portfolio tries for what is looked for in a model, in order.
pub fn portfolio_heuristics(model: &Model, checks: Checks) -> Vec<HeuristicChoice> {
    let choice = |kind: HeuristicKind| HeuristicChoice { kind, admissible: false };
    let inferred = choice(HeuristicKind::inferred(model, checks, false));
    let mut all = vec![choice(HeuristicKind::Joint)];
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

/// The searches that are tried in turn.
fn contenders(model: &Model, options: &SearchOptions) -> Vec<Contender> {
    if let Some(choice) = &options.heuristic {
        return vec![Contender::astar(choice), Contender::best_first(choice)];
    }
    let heuristics = portfolio_heuristics(model, options.checks);
    let inferred = HeuristicKind::inferred(model, options.checks, false);
    let mut all: Vec<Contender> = heuristics.iter().map(Contender::best_first).collect();
    // Neither a plan nor anything new: what fits, with regard to steps.
    all.push(Contender::astar(&HeuristicChoice { kind: inferred, admissible: false }));
    if model.goal().is_none() && options.depth_max.is_none() {
        all.insert(1.min(all.len()), Contender::Walk);
    }
    all
}

/// Runs directed searches with the heuristic of the options, or else with all that fit, up to the first error, a limit, or the end.
pub fn portfolio<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let contenders = contenders(model, options);
    let start = Instant::now();
    let mut portfolio = Portfolio {
        model,
        executor,
        options,
        observer,
        start,
        spent: Statistics::default(),
        is_planning_costly: false,
    };
    let found = portfolio.compete::<S>(&contenders);
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
}

impl Portfolio<'_> {
    /// The search that finds an error, meets a limit of all, or comes to the end.
    fn compete<S: StateStore + Default>(&mut self, contenders: &[Contender]) -> Outcome {
        let going_on = || contenders.iter().filter(|contender| contender.may_go_on());
        let mut best = going_on().next().unwrap_or(&contenders[0]);
        // Everything is looked at in any case.
        let mut budget = if self.options.all_errors { u64::MAX } else { FIRST_BUDGET };
        while budget <= BUDGET_MAX {
            let mut nearest = u32::MAX;
            for (index, contender) in contenders.iter().enumerate() {
                if self.is_planning_costly && contender.makes_plans() && contenders.len() > 2 {
                    continue;
                }
                let states = if index == 0 { budget.max(JOINT_BUDGET) } else { budget };
                let outcome = self.run::<S>(contender, Some(states), None);
                let most = self.options.states_max.unwrap_or(u64::MAX);
                let is_over = outcome.statistics.stored >= most || !outcome.limits.contains(&Limit::States);
                // A walk is over soon, and leaves most out.
                let is_over = is_over && (!matches!(contender, Contender::Walk) || self.is_stopped(&outcome));
                if !outcome.errors.is_empty() || is_over {
                    return outcome;
                }
                self.is_planning_costly |= contender.makes_plans() && outcome.statistics.expanded < states;
                let least = outcome.statistics.estimates.map_or(u32::MAX, |estimates| estimates.min);
                if least < nearest && contender.may_go_on() {
                    (nearest, best) = (least, contender);
                }
            }
            budget *= 4;
        }
        self.run::<S>(best, None, None)
    }

    /// Was it stopped by what stops all others too?
    fn is_stopped(&self, outcome: &Outcome) -> bool {
        let stops = |limit: &Limit| matches!(limit, Limit::Time | Limit::Memory | Limit::Stopped);
        outcome.limits.iter().any(stops)
    }

    /// Looks for nearer errors than the one found.
    fn shorten<S: StateStore + Default>(&mut self, found: Outcome) -> Outcome {
        let expanded = self.spent.expanded;
        let mut left = if expanded < SMALL { expanded / 4 } else { expanded / 2 };
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
            Contender::Directed { heuristic, .. } => Some(heuristic.clone()),
            Contender::Walk => None,
        };
        let options = SearchOptions {
            heuristic,
            expanded_max: expanded,
            depth_max: least(depth, self.options.depth_max),
            time: self.options.time.map(|time| time.saturating_sub(self.start.elapsed())),
            ..self.options.clone()
        };
        let outcome = match contender {
            Contender::Directed { merit, .. } => {
                directed::<S>(self.model, self.executor, &options, *merit, self.observer)
            }
            Contender::Walk => {
                let order = StepOrder::Random(options.store.seed);
                let guidance =
                    Guidance { priorities: true, order, processes_max: Some(1), ..Guidance::default() };
                let states_max = least(expanded, options.states_max);
                let options = SearchOptions { guidance, states_max, ..options };
                dfs::<S>(self.model, self.executor, &options, self.observer)
            }
        };
        self.spent = self.spent.plus(&outcome.statistics);
        outcome
    }
}
