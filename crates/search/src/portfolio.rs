//! A portfolio of directed searches: each gets a small budget, then a larger one, until one of them finds an error.
//!
//! No estimate is good for every model, and a search that goes astray does not notice. So several are tried in turn, with as many states
//! as a small search needs; if none finds an error, with four times as many. From some point on only the one goes on that came nearest
//! to an error, without a budget: so a model without errors is searched once to its end, and not once by each.
//!
//! The first error found need not be near. A* within a smaller depth then looks for a nearer one, as long as that costs no more than
//! what was spent before.

use crate::{
    Checks, HeuristicChoice, HeuristicKind, Limit, Merit, Observer, Outcome, SearchOptions, Statistics,
    directed,
};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::time::Instant;

/// The states that each may store at first.
const FIRST_BUDGET: u64 = 64;
/// With more than so many, only the best one goes on.
const BUDGET_MAX: u64 = 16_384;
/// An error is always worth so many states to look for a nearer one.
const SHORTENING_MIN: u64 = 256;

/// A search of the portfolio.
#[derive(Clone, Debug)]
struct Contender {
    merit: Merit,
    heuristic: HeuristicChoice,
}

/// The heuristics that a portfolio tries for what is looked for in a model, the one that fits best first.
pub fn portfolio_heuristics(model: &Model, checks: Checks) -> Vec<HeuristicChoice> {
    let first = HeuristicKind::inferred(model, checks, false);
    let others =
        [HeuristicKind::Formula, HeuristicKind::Active, HeuristicKind::Danger, HeuristicKind::Messages];
    let others = others.into_iter().filter(|kind| kind.name() != first.name());
    let all = std::iter::once(first.clone()).chain(others);
    let choices = all.map(|kind| HeuristicChoice { kind, admissible: false });
    choices
        .filter(|choice| choice.kind.name() == first.name() || choice.check(model, checks).is_ok())
        .collect()
}

/// Runs directed searches with the heuristic of the options, or else with all that fit, up to the first error, a limit, or the end.
pub fn portfolio<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let heuristics = match &options.heuristic {
        Some(choice) => vec![choice.clone()],
        None => portfolio_heuristics(model, options.checks),
    };
    let contenders: Vec<Contender> = heuristics
        .into_iter()
        .flat_map(|heuristic| {
            [Merit::ASTAR, Merit::BEST_FIRST].map(|merit| Contender { merit, heuristic: heuristic.clone() })
        })
        .collect();
    let start = Instant::now();
    let mut portfolio = Portfolio { model, executor, options, observer, start, spent: Statistics::default() };
    let found = portfolio.compete::<S>(&contenders);
    let shortened = match found.errors.is_empty() || options.all_errors {
        true => found,
        false => portfolio.shorten::<S>(found, &contenders[0]),
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
}

impl Portfolio<'_> {
    /// The search that finds an error, meets a limit of all, or comes to the end.
    fn compete<S: StateStore + Default>(&mut self, contenders: &[Contender]) -> Outcome {
        let mut best = &contenders[0];
        // Everything is looked at in any case.
        let mut budget = if self.options.all_errors { u64::MAX } else { FIRST_BUDGET };
        while budget <= BUDGET_MAX {
            let mut nearest = u32::MAX;
            for contender in contenders {
                let outcome = self.run::<S>(contender, Some(budget), None);
                let is_over = self.options.states_max.is_some_and(|states| states <= budget);
                if !outcome.errors.is_empty() || is_over || !outcome.limits.contains(&Limit::States) {
                    return outcome;
                }
                let least = outcome.statistics.estimates.map_or(u32::MAX, |estimates| estimates.min);
                if least < nearest {
                    (nearest, best) = (least, contender);
                }
            }
            budget *= 4;
        }
        self.run::<S>(best, None, None)
    }

    /// Looks for nearer errors than the one found.
    fn shorten<S: StateStore + Default>(&mut self, found: Outcome, contender: &Contender) -> Outcome {
        let astar = Contender { merit: Merit::ASTAR, heuristic: contender.heuristic.clone() };
        let mut left = self.spent.stored.max(SHORTENING_MIN);
        let mut best = found;
        while let Some(depth) = best.errors[0].length.checked_sub(1) {
            let before = self.spent.stored;
            let nearer = self.run::<S>(&astar, Some(left), Some(depth as u64));
            if nearer.errors.is_empty() {
                break;
            }
            left = left.saturating_sub(self.spent.stored - before);
            best = nearer;
        }
        best
    }

    /// One search, within a budget of states and a bound on depth.
    fn run<S: StateStore + Default>(
        &mut self,
        contender: &Contender,
        states: Option<u64>,
        depth: Option<u64>,
    ) -> Outcome {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        let options = SearchOptions {
            heuristic: Some(contender.heuristic.clone()),
            states_max: least(states, self.options.states_max),
            depth_max: least(depth, self.options.depth_max),
            time: self.options.time.map(|time| time.saturating_sub(self.start.elapsed())),
            ..self.options.clone()
        };
        let outcome = directed::<S>(self.model, self.executor, &options, contender.merit, self.observer);
        self.spent = self.spent.plus(&outcome.statistics);
        outcome
    }
}
