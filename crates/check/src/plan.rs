//! From settings to a search of a model that is optimised already: which search, on which store, with which options.

use crate::direct::digits;
use crate::limits::smaller;
use crate::passes::{Pass, run_passes};
use crate::{BitArray, CheckSettings, Scatter, StoreSpec, Strategy};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_search::{
    Observer, Options as SearchOptions, Outcome, Reduction, Scope, auto_depth, bfs, bfs_by_steps, dfs,
    escalate, iddfs, with_queue_limit, within,
};
use panoptes_store::{
    BitStore, CacheStore, DirectStore, ExactStore, FingerprintStore, StateStore, StoreSettings, TreeStore,
};
use std::time::Instant;

/// A second search, for a nearer error, may always store this many states.
const NEAREST_STATES: u64 = 100_000;

/// Runs one search, or the passes of a bit-state search. Swarms are made of such searches.
pub(crate) fn search(
    model: &Model,
    executor: &mut dyn Executor,
    settings: &CheckSettings,
    observer: &mut dyn Observer,
) -> (Outcome, Vec<Pass>) {
    let (strategy, store) = settings.chosen();
    let options = search_options(model, settings);
    let plan = Plan { model, strategy, scope: scope(model, settings), options: &options };
    let alone = |outcome| (outcome, Vec::new());
    match store {
        StoreSpec::Exact => alone(plan.run::<ExactStore>(executor, observer)),
        StoreSpec::Compressed => alone(plan.run::<TreeStore>(executor, observer)),
        StoreSpec::HashCompact => alone(plan.run::<FingerprintStore>(executor, observer)),
        StoreSpec::Cache(_) => alone(plan.run::<CacheStore>(executor, observer)),
        StoreSpec::Bitstate(BitArray { hashing, .. }) => {
            match digits(model, &options).filter(|_| hashing.is_none()) {
                Some(digits) => {
                    let store = StoreSettings { digits: Some(digits), ..options.store.clone() };
                    let options = &SearchOptions { store, ..options.clone() };
                    alone(Plan { options, ..plan }.run::<DirectStore>(executor, observer))
                }
                None => run_passes(&options, store.passes(), |options| {
                    Plan { options, ..plan }.run::<BitStore>(executor, observer)
                }),
            }
        }
    }
}

/// What the search is asked to do.
fn search_options(model: &Model, settings: &CheckSettings) -> SearchOptions {
    let (strategy, store) = settings.chosen();
    let limits = &settings.limits;
    SearchOptions {
        checks: settings.property.checks(model),
        // One way to get there is enough.
        all_errors: settings.all_errors && model.goal().is_none(),
        depth_max: limits.steps(),
        memory_bytes: limits.memory,
        resident_max: limits.process_memory,
        time: limits.time,
        states_max: limits.states,
        por: settings.may_reduce(),
        lossy: settings.semantics.lossy,
        guidance: strategy.guidance(settings.seed),
        foldings: settings.foldings.clone(),
        queue_limit: queue_limit(settings),
        recurrence: settings.profile,
        timeouts_last: strategy == Strategy::Escalate { timeouts_last: true },
        store: store.settings(settings.seed),
        loop_states: settings.loop_states,
        ..SearchOptions::default()
    }
}

/// How many messages a channel takes.
pub(crate) fn queue_limit(settings: &CheckSettings) -> Option<u16> {
    match settings.strategy {
        Strategy::Scatter(scatter) => smaller(scatter.queue_limit, settings.limits.queue),
        _ => settings.limits.queue,
    }
}

/// What a scatter search may look at; none for other searches.
pub(crate) fn scope(model: &Model, settings: &CheckSettings) -> Option<Scope> {
    let Strategy::Scatter(Scatter { processes_max, options_max, timeouts_last, .. }) = settings.strategy
    else {
        return None;
    };
    Some(Scope {
        processes_max,
        options_max,
        queue_limit: queue_limit(settings),
        depth_max: settings.limits.steps().or_else(|| Some(auto_depth(model))),
        states_max: None,
        timeouts_last: timeouts_last && !model.timeouts.is_empty(),
    })
}

/// What to run, whatever the store.
#[derive(Clone, Copy)]
struct Plan<'p> {
    model: &'p Model,
    strategy: Strategy,
    scope: Option<Scope>,
    options: &'p SearchOptions,
}

impl Plan<'_> {
    fn run<S: StateStore + Default>(
        &self,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options, .. } = *self;
        match self.strategy {
            Strategy::Escalate { .. } => escalate::<S>(model, executor, options, observer),
            Strategy::Scatter(_) => {
                within::<S>(model, executor, options, self.scope.unwrap_or_default(), observer)
            }
            Strategy::Dfs { .. } | Strategy::Random => {
                self.within_queues(executor, |executor| dfs::<S>(model, executor, options, observer))
            }
            Strategy::Iddfs => {
                self.within_queues(executor, |executor| iddfs::<S>(model, executor, options, observer))
            }
            Strategy::Bfs { shortest } => {
                self.within_queues(executor, |executor| self.breadth_first::<S>(shortest, executor, observer))
            }
            Strategy::Auto | Strategy::Swarm(_) => unreachable!("these are settled before a search begins"),
        }
    }

    fn within_queues(
        &self,
        executor: &mut dyn Executor,
        search: impl FnOnce(&mut dyn Executor) -> Outcome,
    ) -> Outcome {
        with_queue_limit(self.model, executor, self.options.queue_limit, search)
    }

    /// One search, and perhaps a second one for a shortest path to the error that the first one found.
    fn breadth_first<S: StateStore + Default>(
        &self,
        shortest: bool,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let Plan { model, options, .. } = *self;
        // Where every step ends in a state, levels are steps.
        let has_chains = model.has_chains();
        if options.depth_max.is_some() || (shortest && has_chains) {
            return bfs_by_steps::<S>(model, executor, options, observer);
        }
        let start = Instant::now();
        let outcome = bfs::<S>(model, executor, options, observer);
        let is_nearest = !has_chains && outcome.reduction != Reduction::Por;
        // That search needs to read states back.
        let is_readable = S::KEEPS_VECTORS && options.foldings.is_empty();
        if outcome.errors.is_empty() || options.all_errors || is_nearest || !is_readable {
            return outcome;
        }
        // Not at any price: without reduction there may be many more states.
        let states_max = Some((2 * outcome.statistics.stored).max(NEAREST_STATES));
        let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
        if time.is_some_and(|time| time.is_zero()) {
            return outcome;
        }
        let options = SearchOptions { por: false, states_max, time, ..options.clone() };
        let nearest = bfs_by_steps::<S>(model, executor, &options, observer);
        if nearest.errors.is_empty() { outcome } else { nearest }
    }
}
