//! Iterative deepening depth-first search: bounded depth-first searches, each with a larger bound than the one before
//! (Korf, *Depth-First Iterative-Deepening*, 1985).
//!
//! Each search sees everything within its bound. When one finds an error, the bound is narrowed down between what is known to
//! hold no error and the length of the path, so that the error that is shown is one of the nearest: as with breadth-first
//! search, but without a frontier or parent links, and with the stores that need a path. Bounds double, so all
//! searches together cost about as much again as the last one where the number of states grows with the bound.

use crate::{Limit, Observer, Outcome, SearchOptions, dfs};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::StateStore;
use std::time::Instant;

/// The first bound, in steps. (Small in tests, whose graphs are.)
const FIRST_BOUND: u64 = if cfg!(test) { 1 } else { 16 };

/// Searches deeper and deeper: up to the first error (unless all are wanted), a limit, or the end.
pub fn iddfs<S: StateStore + Default>(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let start = Instant::now();
    let depth_max = options.depth_max.unwrap_or(u64::MAX);
    let mut search = |bound: u64| {
        let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        let options =
            SearchOptions { depth_max: Some(bound), time, cuts_by_estimate: true, ..options.clone() };
        dfs::<S>(model, executor, &options, observer)
    };
    // Paths of so many steps and less hold no error.
    let mut clean = None;
    let mut bound = FIRST_BOUND.min(depth_max);
    loop {
        let outcome = search(bound);
        if !outcome.errors.is_empty() && !options.all_errors {
            return nearest(outcome, clean, search);
        }
        let is_cut = outcome.limits.contains(&Limit::Depth);
        if !is_cut || bound == depth_max || ended_early(&outcome) {
            return outcome;
        }
        clean = Some(bound);
        bound = bound.saturating_mul(2).min(depth_max);
    }
}

/// Halves the distance between the bound that shows no error and the length of one that is found, until they are neighbours.
fn nearest(found: Outcome, clean: Option<u64>, mut search: impl FnMut(u64) -> Outcome) -> Outcome {
    let mut best = found;
    // The least number of steps that an error may need.
    let mut least = clean.map_or(0, |bound| bound + 1);
    loop {
        let length = best.errors[0].length as u64;
        if length <= least {
            return best;
        }
        let bound = least + (length - least - 1) / 2;
        let nearer = search(bound);
        if !nearer.errors.is_empty() {
            best = nearer;
        } else if ended_early(&nearer) {
            return best;
        } else {
            least = bound + 1;
        }
    }
}

/// Was there something that would end the next search as well?
fn ended_early(outcome: &Outcome) -> bool {
    let is_over =
        |limit: &Limit| matches!(limit, Limit::Time | Limit::Memory | Limit::States | Limit::Stopped);
    outcome.limits.iter().any(is_over)
}
