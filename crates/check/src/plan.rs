//! From settings to a search of a model that is optimised already: on which store, and with which options. Which search a
//! strategy is stands beside the strategy.

use crate::direct::digits;
use crate::nearest::{ByLevels, breadth_first};
use crate::passes::{Pass, run_passes};
use crate::shortest::favoured;
use crate::sounding::{First, Sounding, sound};
use crate::symmetry::Exchange;
use crate::threads::Others;
use crate::{BitArray, CheckSettings, StoreSpec, Strategy};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_search::{
    Crew, Limit, Observer, Outcome, SearchOptions, Team, bfs_by_owners, bfs_on_disk, with_queue_limit,
};
use panoptes_store::{
    BitStore, CacheStore, DirectStore, ExactStore, FingerprintStore, StateStore, StoreSettings, TreeStore,
};
use std::path::Path;

/// What a search found.
pub(crate) struct Searched {
    pub outcome: Outcome,
    pub passes: Vec<Pass>,
    /// The store that it had.
    pub store: StoreSpec,
}

/// Runs one search, or the passes of a bit-state search. Swarms are made of such searches.
pub(crate) fn search(
    model: &Model,
    executor: &mut dyn Executor,
    settings: &CheckSettings,
    exchange: Option<&Exchange>,
    observer: &mut dyn Observer,
    team: Option<&mut dyn Team>,
) -> Searched {
    let (strategy, store) = settings.chosen();
    let options = search_options(model, settings);
    if let Some(team) = team {
        let plan = Plan { model, options: &options, crew: None };
        let outcome = match store {
            StoreSpec::Compressed => together::<TreeStore>(&plan, executor, observer, team),
            StoreSpec::HashCompact => together::<FingerprintStore>(&plan, executor, observer, team),
            _ => together::<ExactStore>(&plan, executor, observer, team),
        };
        return Searched { outcome, passes: Vec::new(), store };
    }
    let others = Others { model, settings, exchange };
    let crew = settings.threads.crew(&others);
    // An executor that leaves out steps tells of it, and one of several would not be heard.
    let crew = Some(&crew).filter(|_| options.queue_limit.is_none());
    let plan = Plan { model, options: &options, crew };
    let is_plain = exchange.is_none() && !settings.checkpoints && !settings.profile && !options.por;
    let is_bounded = options.states_max.or(options.depth_max).is_some() || options.queue_limit.is_some();
    if strategy == Strategy::SHORTEST
        && matches!(store, StoreSpec::Auto | StoreSpec::Exact)
        && is_plain
        && !is_bounded
        && !options.all_errors
        && options.foldings.is_empty()
        && let Some(outcome) = favoured(&plan, executor, observer)
    {
        return Searched { outcome, passes: Vec::new(), store: StoreSpec::Exact };
    }
    let alone = |outcome| (outcome, Vec::new());
    let (outcome, passes) = match store {
        StoreSpec::Auto | StoreSpec::Compressed if settings.is_sounded(strategy) => {
            let (outcome, store) = search_sounded(&plan, strategy, store, executor, observer);
            return Searched { outcome, passes: Vec::new(), store };
        }
        StoreSpec::Compressed => alone(strategy.run_shared::<TreeStore>(&plan, executor, observer)),
        StoreSpec::Auto | StoreSpec::Exact => {
            alone(strategy.run_shared::<ExactStore>(&plan, executor, observer))
        }
        StoreSpec::HashCompact => alone(strategy.run_shared::<FingerprintStore>(&plan, executor, observer)),
        StoreSpec::Disk(dir) => alone(on_disk(&plan, Path::new(dir), strategy, executor, observer)),
        StoreSpec::Cache(_) => alone(strategy.run::<CacheStore>(&plan, executor, observer)),
        StoreSpec::Bitstate(BitArray { hashing, .. }) => {
            // A state that stands for another may have values that none of the executions has there.
            let is_plain = hashing.is_none() && exchange.is_none();
            match digits(model, &options).filter(|_| is_plain) {
                Some(digits) => {
                    let store = StoreSettings { digits: Some(digits), ..options.store.clone() };
                    let options = &SearchOptions { store, ..options.clone() };
                    alone(strategy.run_shared::<DirectStore>(
                        &Plan { model, options, crew },
                        executor,
                        observer,
                    ))
                }
                None => run_passes(&options, store.passes(), |options| {
                    strategy.run_shared::<BitStore>(&Plan { model, options, crew }, executor, observer)
                }),
            }
        }
    };
    Searched { outcome, passes, store }
}

/// A search that takes a first look at the states, and what store it had in the end.
fn search_sounded(
    plan: &Plan<'_>,
    strategy: Strategy,
    store: StoreSpec,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> (Outcome, StoreSpec) {
    let first = match store {
        StoreSpec::Auto => First::Exact,
        _ => First::Compressed,
    };
    let sounding = sound(first, plan.options, executor, observer, |options, executor, observer| {
        let plan = Plan { options, ..*plan };
        match first {
            First::Exact => strategy.run_shared::<ExactStore>(&plan, executor, observer),
            First::Compressed => {
                strategy.run_shared::<TreeStore>(&Plan { crew: None, ..plan }, executor, observer)
            }
        }
    });
    let Sounding { outcome, is_whole, again } = sounding;
    if is_whole && first == First::Compressed {
        return (outcome, store);
    }
    // Compressed, more of the states may find room, or all of them.
    let is_full = outcome.limits.contains(&Limit::Memory) && again.time.is_none_or(|time| !time.is_zero());
    if is_whole && !is_full {
        return (outcome, StoreSpec::Exact);
    }
    let plan = Plan { options: &again, ..*plan };
    let compressed = strategy.run_shared::<TreeStore>(&plan, executor, observer);
    // Where memory is very short, the first search may have got farther.
    let is_less = compressed.limits.contains(&Limit::Memory)
        && compressed.statistics.stored < outcome.statistics.stored;
    if is_whole && is_less && compressed.errors.is_empty() {
        return (outcome, StoreSpec::Exact);
    }
    (compressed, StoreSpec::Compressed)
}

/// One process's part of a search by several.
fn together<S: StateStore + Default>(
    plan: &Plan<'_>,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    team: &mut dyn Team,
) -> Outcome {
    let Plan { model, options, .. } = *plan;
    if team.number() > 0 {
        return bfs_by_owners::<S>(model, executor, options, observer, team);
    }
    breadth_first::<S>(plan, false, executor, observer, |executor, observer| {
        bfs_by_owners::<S>(model, executor, options, observer, team)
    })
}

/// Breadth first with a set of states on disk.
fn on_disk(
    plan: &Plan<'_>,
    dir: &Path,
    strategy: Strategy,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Outcome {
    let by_levels = ByLevels {
        shortest: strategy.is_shortest(),
        can_read_back: true,
        by_states: |executor: &mut dyn Executor, observer: &mut dyn Observer| {
            bfs_on_disk(plan.model, executor, plan.options, dir, false, observer)
        },
        by_steps: |executor: &mut dyn Executor, observer: &mut dyn Observer, options: &SearchOptions| {
            bfs_on_disk(plan.model, executor, options, dir, true, observer)
        },
    };
    plan.within_queues(executor, |executor| by_levels.run(plan, executor, observer))
}

/// What the search is asked to do.
pub(crate) fn search_options(model: &Model, settings: &CheckSettings) -> SearchOptions {
    let (strategy, store) = settings.chosen();
    let limits = &settings.limits;
    let mut options = SearchOptions {
        checks: settings.property.checks(model),
        // One way to get there is enough.
        all_errors: settings.all_errors && model.goal().is_none(),
        depth_max: limits.steps(),
        memory_bytes: limits.memory,
        resident_max: limits.process_memory,
        time: limits.time,
        time_left_over: limits.time_left_over,
        states_max: limits.states,
        por: settings.may_reduce(),
        lossy: settings.semantics.lossy,
        foldings: settings.foldings.clone(),
        queue_limit: limits.queue,
        recurrence: settings.profile,
        store: store.settings(settings.seed),
        loop_states: settings.loop_states,
        heuristic: settings.heuristic(model),
        ..SearchOptions::default()
    };
    // Where nothing was asked for, an array is of its usual length, however much memory there is.
    if let (StoreSpec::Bitstate(BitArray { bits: None, .. }), None, Some(bytes)) =
        (store, limits.memory, limits.process_memory)
    {
        options.store.bits = Some(BitStore::BITS_DEFAULT.min(BitStore::bits_within(bytes)));
    }
    strategy.set_options(settings.seed, &mut options);
    options
}

/// What to run, whatever the strategy and the store.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'p> {
    pub model: &'p Model,
    pub options: &'p SearchOptions,
    /// Who else may take part.
    pub crew: Option<&'p Crew<'p>>,
}

impl Plan<'_> {
    /// Runs a search whose channels take no more messages than is allowed.
    pub fn within_queues(
        &self,
        executor: &mut dyn Executor,
        search: impl FnOnce(&mut dyn Executor) -> Outcome,
    ) -> Outcome {
        with_queue_limit(self.model, executor, self.options.queue_limit, search)
    }
}
